//! `GET /api/tasks`

use axum::{Json, extract::State};
use shared::{
    App, Problem,
    auth::{Caller, need},
};

use crate::view::ListedTaskView;

/// Lists all tasks of the caller's organization by id.
#[utoipa::path(
    get, path = "/api/tasks", operation_id = "listTasks", tag = "tasks",
    responses((status = 200, description = "The tasks with what they name", body = [ListedTaskView]))
)]
pub async fn list(
    State(app): State<App>,
    caller: Caller<need::ViewWork>,
) -> Result<Json<Vec<ListedTaskView>>, Problem> {
    let tasks = app.store.tasks().all(caller.tenant()).await?;
    Ok(Json(tasks.into_iter().map(Into::into).collect()))
}
