//! `POST /api/tasks/{taskId}/comments`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Body, Path, PathId, Single},
    model::{CommentCreate, TaskId},
    view::TaskComment,
};

/// Adds a comment to a task.
///
/// With `parentId` it replies to a comment on the same task. 400 if there is no such comment or it
/// is deleted.
#[utoipa::path(
    post,
    path = "/api/tasks/{taskId}/comments",
    operation_id = "createTaskComment"
)]
pub async fn comment(
    State(app): State<App>,
    caller: Caller<need::CommentActivity>,
    Path(task): Path<PathId<TaskId>>,
    Body(new): Body<CommentCreate>,
) -> Result<Single<TaskComment>, Problem> {
    let task = task.known()?;
    let comments = app.store.comments();
    let comment = comments
        .create(caller.pending_write(), task.into(), caller.user_id(), new)
        .await?;
    let author = caller.identity().await?.as_author();
    Ok(Single(TaskComment::new(task, comment, author)))
}
