//! `DELETE /api/tasks/{id}`

use axum::{extract::State, http::StatusCode};
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Path, PathId},
    model::TaskId,
};

/// Deletes a task.
#[utoipa::path(
    delete, path = "/api/tasks/{id}", operation_id = "deleteTask", tag = "tasks",
    params(("id" = TaskId, Path)),
    responses((status = 204, description = "Deleted"))
)]
pub async fn delete(
    State(app): State<App>,
    caller: Caller<need::DeleteTask>,
    Path(id): Path<PathId<TaskId>>,
) -> Result<StatusCode, Problem> {
    let tasks = app.store.tasks();
    tasks.delete(caller.tenant(), id.known()?).await?;
    Ok(StatusCode::NO_CONTENT)
}
