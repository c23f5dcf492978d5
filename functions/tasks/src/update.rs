//! `PATCH /api/tasks/{id}`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Body, Path, PathId, Single, refusal::ConcurrentChange},
    model::{TaskId, TaskUpdate},
};

use crate::view::JoinedTaskView;

/// Updates a task.
#[utoipa::path(patch, path = "/api/tasks/{id}", operation_id = "updateTask")]
pub async fn update(
    State(app): State<App>,
    caller: Caller<need::UpdateTask>,
    Path(id): Path<PathId<TaskId>>,
    Body(update): Body<TaskUpdate>,
) -> Result<Single<JoinedTaskView>, Problem<ConcurrentChange>> {
    let tasks = app.store.tasks();
    let task = tasks
        .update(caller.pending_write(), id.known()?, update)
        .await?;
    Ok(Single(task.into()))
}
