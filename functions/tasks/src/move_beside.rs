//! `POST /api/tasks/{id}/move`

use shared::{
    endpoint::*,
    http::refusal::NoRoom,
    model::{base::TaskId, work::TaskMove},
    store::work::JoinedTask,
};

/// Moves a task directly before or after another one.
///
/// Both are tasks of one project. With `status` the task gets that status, too. The task's `order`
/// comes between those of its neighbours. If there is no room, tasks around it get a new `order`
/// and `version`, too. 409 `no_room` if 1,000 tasks on either side have none. A task that is in its
/// place stays as it is.
#[utoipa::path(post, path = "/api/tasks/{id}/move")]
pub async fn move_task(
    _: Conditional,
    caller: Caller<need::UpdateTask>,
    Path(id): Path<PathId<TaskId>>,
    Body(to): Body<TaskMove>,
) -> Result<Single<JoinedTask>, Problem<(ConcurrentChange, NoRoom)>> {
    let tasks = caller.app.store.tasks();
    let moved = tasks.move_beside(caller.write(), id.known()?, to);
    Ok(Single(moved.await?))
}
