//! `GET /api/tasks/{taskId}/comments`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{List, Path, PathId},
    model::TaskId,
    view::TaskComment,
};

/// Lists a task's comments, replies among them, oldest first.
#[utoipa::path(
    get,
    path = "/api/tasks/{taskId}/comments",
    operation_id = "listTaskComments"
)]
pub async fn list_comments(
    State(app): State<App>,
    caller: Caller<need::ViewWork>,
    Path(task): Path<PathId<TaskId>>,
) -> Result<List<TaskComment>, Problem> {
    let task = task.known()?;
    let comments = app.store.comments();
    let comments = comments.of(caller.tenant(), task.into()).await?;
    let view = |one| TaskComment::from_read(task, one);
    let comments: Vec<TaskComment> = comments.into_iter().map(view).collect();
    Ok(List::of(comments))
}
