//! `GET /api/tasks/{id}`

use axum::{Json, extract::State};
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Path, PathId},
    model::TaskId,
};

use crate::view::JoinedTaskView;

/// Reads a task with the records that it names.
#[utoipa::path(get, path = "/api/tasks/{id}", operation_id = "getTask")]
pub async fn get(
    State(app): State<App>,
    caller: Caller<need::ViewWork>,
    Path(id): Path<PathId<TaskId>>,
) -> Result<Json<JoinedTaskView>, Problem> {
    let task = app.store.tasks().get(caller.tenant(), id.known()?).await?;
    Ok(Json(task.into()))
}
