//! `DELETE /api/tasks/{id}`

use shared::endpoint::*;
use shared::model::TaskId;

/// Deletes a task and its comments.
#[utoipa::path(delete, path = "/api/tasks/{id}")]
pub async fn delete_task(
    State(app): State<App>,
    caller: Caller<need::DeleteTask>,
    Path(id): Path<PathId<TaskId>>,
) -> Result<NoContent, Problem> {
    let tasks = app.store.tasks();
    tasks.delete(caller.pending_write(), id.known()?).await?;
    Ok(NoContent)
}
