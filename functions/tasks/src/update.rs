//! `PATCH /api/tasks/{id}`

use shared::endpoint::*;
use shared::model::{TaskId, TaskUpdate};
use shared::store::JoinedTask;

/// Updates a task.
#[utoipa::path(patch, path = "/api/tasks/{id}")]
pub async fn update_task(
    State(app): State<App>,
    caller: Caller<need::UpdateTask>,
    Path(id): Path<PathId<TaskId>>,
    Body(update): Body<TaskUpdate>,
) -> Result<Single<JoinedTask>, Problem<ConcurrentChange>> {
    let tasks = app.store.tasks();
    let task = tasks
        .update(caller.pending_write(), id.known()?, update)
        .await?;
    Ok(Single(task))
}
