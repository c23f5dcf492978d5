//! `PATCH /api/projects/{id}`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Body, Path, PathId, Single, refusal::ConcurrentChange},
    model::{ProjectId, ProjectUpdate},
};

use crate::view::ProjectView;

/// Changes a project; an archived one takes no new work.
#[utoipa::path(patch, path = "/api/projects/{id}", operation_id = "updateProject")]
pub async fn update_project(
    State(app): State<App>,
    caller: Caller<need::ManageDirectory>,
    Path(id): Path<PathId<ProjectId>>,
    Body(update): Body<ProjectUpdate>,
) -> Result<Single<ProjectView>, Problem<ConcurrentChange>> {
    let directory = app.store.directory();
    let project = directory.update_project(caller.permit(), id.known()?, update);
    Ok(Single(project.await?.into()))
}
