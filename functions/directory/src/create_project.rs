//! `POST /api/projects`

use shared::endpoint::*;
use shared::model::ProjectCreate;

use crate::view::ProjectView;

/// Creates a project.
#[utoipa::path(post, path = "/api/projects", operation_id = "createProject")]
pub async fn create_project(
    State(app): State<App>,
    caller: Caller<need::ManageDirectory>,
    Body(new): Body<ProjectCreate>,
) -> Result<Single<ProjectView>, Problem> {
    let directory = app.store.directory();
    let project = directory
        .create_project(caller.pending_write(), new)
        .await?;
    Ok(Single(project.into()))
}
