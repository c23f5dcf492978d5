//! `POST /api/projects`

use shared::endpoint::*;
use shared::model::{Project, ProjectCreate};

/// Creates a project.
#[utoipa::path(post, path = "/api/projects")]
pub async fn create_project(
    State(app): State<App>,
    caller: Caller<need::ManageDirectory>,
    Body(new): Body<ProjectCreate>,
) -> Result<Single<Shown<Project>>, Problem> {
    let directory = app.store.directory();
    let project = directory
        .create_project(caller.pending_write(), new)
        .await?;
    Ok(Single(project.into()))
}
