//! `GET /api/tasks/{id}`

use shared::endpoint::*;
use shared::model::TaskId;
use shared::store::JoinedTask;

/// Returns a task with its assignee, project, milestone and tags.
#[utoipa::path(get, path = "/api/tasks/{id}")]
pub async fn get_task(
    State(app): State<App>,
    caller: Caller<need::ViewWork>,
    Path(id): Path<PathId<TaskId>>,
) -> Result<Single<JoinedTask>, Problem> {
    let task = app.store.tasks().get(caller.tenant(), id.known()?).await?;
    Ok(Single(task))
}
