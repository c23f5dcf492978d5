//! `POST /api/projects/{projectId}/phases`

use shared::endpoint::*;
use shared::model::{Phase, PhaseCreate, ProjectId};

/// Adds a phase to a project.
///
/// Without `order` it comes last. 409 `project_archived` if the project is archived.
#[utoipa::path(post, path = "/api/projects/{projectId}/phases")]
pub async fn create_phase(
    State(app): State<App>,
    caller: Caller<need::ManageDirectory>,
    Path(project): Path<PathId<ProjectId>>,
    Body(new): Body<PhaseCreate>,
) -> Result<Single<Shown<Phase>>, Problem<(ProjectArchived, NoRoom)>> {
    let directory = app.store.directory();
    let phase = directory.create_phase(caller.pending_write(), project.known()?, new);
    Ok(Single(phase.await?.into()))
}
