//! `GET /api/tasks/{id}`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Path, PathId, Single},
    model::TaskId,
};

use crate::view::JoinedTaskView;

/// Returns a task with its assignee, project, milestone and tags.
#[utoipa::path(get, path = "/api/tasks/{id}", operation_id = "getTask")]
pub async fn get(
    State(app): State<App>,
    caller: Caller<need::ViewWork>,
    Path(id): Path<PathId<TaskId>>,
) -> Result<Single<JoinedTaskView>, Problem> {
    let task = app.store.tasks().get(caller.tenant(), id.known()?).await?;
    Ok(Single(task.into()))
}
