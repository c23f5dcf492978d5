//! `POST /api/projects`

use axum::{Json, extract::State};
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::Body,
    model::ProjectCreate,
};

use crate::view::ProjectView;

/// Creates a project.
#[utoipa::path(post, path = "/api/projects", operation_id = "createProject")]
pub async fn create_project(
    State(app): State<App>,
    caller: Caller<need::ManageDirectory>,
    Body(new): Body<ProjectCreate>,
) -> Result<Json<ProjectView>, Problem> {
    let directory = app.store.directory();
    let project = directory.create_project(caller.permit(), new).await?;
    Ok(Json(project.into()))
}
