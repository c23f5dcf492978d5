//! `PATCH /api/projects/{id}`

use shared::endpoint::*;
use shared::model::{Project, ProjectId, ProjectUpdate};

/// Updates a project.
///
/// An archived project takes no new tasks, milestones, activities or phases. What it has can still
/// be read, changed and finished.
#[utoipa::path(patch, path = "/api/projects/{id}")]
pub async fn update_project(
    State(app): State<App>,
    caller: Caller<need::ManageDirectory>,
    Path(id): Path<PathId<ProjectId>>,
    Body(update): Body<ProjectUpdate>,
) -> Result<Single<Shown<Project>>, Problem<ConcurrentChange>> {
    let directory = app.store.directory();
    let project = directory.update_project(caller.pending_write(), id.known()?, update);
    Ok(Single(project.await?.into()))
}
