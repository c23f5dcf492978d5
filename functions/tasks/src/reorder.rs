//! `PATCH /api/tasks/reorder`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Body, NoContent, refusal::NotFound},
    input::List,
    model::TaskReorder,
};

/// Gives up to 100 tasks new places, all or none.
#[utoipa::path(patch, path = "/api/tasks/reorder", operation_id = "reorderTasks")]
pub async fn reorder(
    State(app): State<App>,
    caller: Caller<need::UpdateTask>,
    Body(TaskReorder {
        tasks: List(places),
    }): Body<TaskReorder>,
) -> Result<NoContent, Problem<NotFound>> {
    app.store.tasks().reorder(caller.permit(), &places).await?;
    Ok(NoContent)
}
