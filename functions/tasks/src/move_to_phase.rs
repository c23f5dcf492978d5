//! `PATCH /api/tasks/{taskId}/phase`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Body, Changed, Path, PathId, refusal::ConcurrentChange},
    model::{TaskId, TaskPhase},
};

/// Moves a task to a phase of its project, or out of its phase.
#[utoipa::path(
    patch,
    path = "/api/tasks/{taskId}/phase",
    operation_id = "moveTaskToPhase"
)]
pub async fn move_to_phase(
    State(app): State<App>,
    caller: Caller<need::UpdateTask>,
    Path(id): Path<PathId<TaskId>>,
    Body(phase): Body<TaskPhase>,
) -> Result<Changed, Problem<ConcurrentChange>> {
    let tasks = app.store.tasks();
    let moved = tasks.update(caller.pending_write(), id.known()?, phase.into());
    Ok(Changed(moved.await?.task.version))
}
