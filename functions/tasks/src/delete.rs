//! `DELETE /api/tasks/{id}`

use shared::{endpoint::*, model::base::TaskId};

/// Deletes a task and its comments.
#[utoipa::path(delete, path = "/api/tasks/{id}")]
pub async fn delete_task(
    caller: Caller<need::DeleteTask>,
    Path(id): Path<PathId<TaskId>>,
) -> Result<NoContent, Problem> {
    let tasks = caller.app.store.tasks();
    tasks
        .delete(caller.write(), id.known()?)
        .await?;
    Ok(NoContent)
}
