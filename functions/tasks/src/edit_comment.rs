//! `PATCH /api/tasks/{taskId}/comments/{commentId}`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Body, Path, PathId, Single, refusal::ConcurrentChange},
    model::{CommentId, CommentUpdate, TaskId},
    view::TaskComment,
};

/// Changes the text of a comment on a task.
///
/// Authors may edit their own comments; other users need the permission `manage_directory`. 404 if
/// the comment is deleted.
#[utoipa::path(
    patch,
    path = "/api/tasks/{taskId}/comments/{commentId}",
    operation_id = "updateTaskComment"
)]
pub async fn edit_comment(
    State(app): State<App>,
    caller: Caller<need::OwnOr<need::ManageDirectory>>,
    Path((task, comment)): Path<(PathId<TaskId>, PathId<CommentId>)>,
    Body(update): Body<CommentUpdate>,
) -> Result<Single<TaskComment>, Problem<ConcurrentChange>> {
    let task = task.known()?;
    let place = (task.into(), comment.known()?);
    let comments = app.store.comments();
    let comment = comments
        .edit(caller.pending_write(), place, update, async |author| {
            caller.created_or_may(author).await
        })
        .await?;
    Ok(Single(TaskComment::from_read(task, comment)))
}
