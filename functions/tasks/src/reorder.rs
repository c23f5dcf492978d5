//! `PATCH /api/tasks/reorder`

use shared::endpoint::*;
use shared::input::List;
use shared::model::TaskReorder;

/// Moves up to 100 tasks to new places, all or none.
///
/// 404 if the caller's organization does not have one of them.
#[utoipa::path(patch, path = "/api/tasks/reorder")]
pub async fn reorder_tasks(
    State(app): State<App>,
    caller: Caller<need::UpdateTask>,
    Body(TaskReorder {
        tasks: List(places),
    }): Body<TaskReorder>,
) -> Result<NoContent, Problem<NotFound>> {
    app.store
        .tasks()
        .reorder(caller.pending_write(), &places)
        .await?;
    Ok(NoContent)
}
