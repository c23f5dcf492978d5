//! `GET /api/projects/{projectId}/tasks`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{List, Path, PathId},
    model::ProjectId,
};

use crate::view::ListedTask;

/// Lists a project's tasks by `order`, ties by id.
#[utoipa::path(
    get,
    path = "/api/projects/{projectId}/tasks",
    operation_id = "listProjectTasks"
)]
pub async fn list_of_project(
    State(app): State<App>,
    caller: Caller<need::ViewWork>,
    Path(project): Path<PathId<ProjectId>>,
) -> Result<List<ListedTask>, Problem> {
    let tasks = app.store.tasks();
    let tasks = tasks.of_project(caller.tenant(), project.known()?).await?;
    Ok(List::of(tasks))
}
