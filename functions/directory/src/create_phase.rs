//! `POST /api/projects/{projectId}/phases`

use shared::{
    endpoint::*,
    http::refusal::{NoRoom, ProjectArchived},
    model::{
        base::ProjectId,
        work::{Phase, PhaseCreate},
    },
};

/// Adds a phase to a project.
///
/// Without `order` it comes last. 409 `project_archived` if the project is archived.
#[utoipa::path(post, path = "/api/projects/{projectId}/phases")]
pub async fn create_phase(
    caller: Caller<need::ManageDirectory>,
    Path(project): Path<PathId<ProjectId>>,
    Body(new): Body<PhaseCreate>,
) -> Result<Single<Shown<Phase>>, Problem<(ProjectArchived, NoRoom)>> {
    let directory = caller.app.store.directory();
    let phase = directory.create_phase(caller.write(), project.known()?, new);
    Ok(Single(phase.await?.into()))
}
