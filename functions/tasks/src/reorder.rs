//! `PATCH /api/tasks/reorder`

use shared::{endpoint::*, http::refusal::NotFound, model::work::TaskReorder};

/// Moves up to 100 tasks to new places, all or none.
///
/// 404 if the caller's organization does not have one of them.
#[utoipa::path(patch, path = "/api/tasks/reorder")]
pub async fn reorder_tasks(
    caller: Caller<need::UpdateTask>,
    Body(sent): Body<TaskReorder>,
) -> Result<NoContent, Problem<NotFound>> {
    let tasks = caller.app.store.tasks();
    tasks
        .reorder(caller.write(), &sent.tasks.0)
        .await?;
    Ok(NoContent)
}
