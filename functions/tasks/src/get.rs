//! `GET /api/tasks/{id}`

use shared::{endpoint::*, model::base::TaskId, store::work::JoinedTask};

/// Returns a task with its assignee, project, milestone and tags.
#[utoipa::path(get, path = "/api/tasks/{id}")]
pub async fn get_task(
    caller: Caller<need::ViewWork>,
    Path(id): Path<PathId<TaskId>>,
) -> Result<Single<JoinedTask>, Problem> {
    let tasks = caller.app.store.tasks();
    let task = tasks
        .get(&caller.reader(), id.known()?)
        .await?;
    Ok(Single(task))
}
