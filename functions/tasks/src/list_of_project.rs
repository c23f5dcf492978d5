//! `GET /api/projects/{projectId}/tasks`

use axum::{Json, extract::State};
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Path, PathId},
    model::ProjectId,
};

use crate::view::ListedTaskView;

/// Lists a project's tasks by `order`, ties by id.
#[utoipa::path(
    get, path = "/api/projects/{projectId}/tasks", operation_id = "listProjectTasks", tag = "tasks",
    params(("projectId" = ProjectId, Path)),
    responses((status = 200, description = "The tasks with what they name", body = [ListedTaskView]))
)]
pub async fn list_of_project(
    State(app): State<App>,
    caller: Caller<need::ViewWork>,
    Path(project): Path<PathId<ProjectId>>,
) -> Result<Json<Vec<ListedTaskView>>, Problem> {
    let tasks = app
        .store
        .tasks()
        .of_project(caller.tenant(), project.known()?)
        .await?;
    Ok(Json(tasks.into_iter().map(Into::into).collect()))
}
