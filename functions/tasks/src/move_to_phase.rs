//! `PATCH /api/tasks/{taskId}/phase`

use shared::{
    endpoint::*,
    model::{base::TaskId, work::TaskPhase},
};

/// Moves a task to a phase of its project, or out of its phase.
#[utoipa::path(patch, path = "/api/tasks/{taskId}/phase")]
pub async fn move_task_to_phase(
    caller: Caller<need::UpdateTask>,
    Path(id): Path<PathId<TaskId>>,
    Body(phase): Body<TaskPhase>,
) -> Result<Changed, Problem<ConcurrentChange>> {
    let tasks = caller.app.store.tasks();
    let moved = tasks.update(caller.write(), id.known()?, phase.into());
    Ok(Changed(moved.await?.version))
}
