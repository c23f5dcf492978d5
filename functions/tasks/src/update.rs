//! `PATCH /api/tasks/{id}`

use shared::{
    endpoint::*,
    model::{base::TaskId, work::TaskUpdate},
    store::work::JoinedTask,
};

/// Updates a task.
#[utoipa::path(patch, path = "/api/tasks/{id}")]
pub async fn update_task(
    caller: Caller<need::UpdateTask>,
    Path(id): Path<PathId<TaskId>>,
    Body(update): Body<TaskUpdate>,
) -> Result<Single<JoinedTask>, Problem<ConcurrentChange>> {
    let tasks = caller.app.store.tasks();
    let task = tasks
        .update(caller.write(), id.known()?, update)
        .await?;
    Ok(Single(task))
}
