//! `DELETE /api/tasks/{taskId}/comments/{commentId}`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{NoContent, Path, PathId, refusal::ConcurrentChange},
    model::{CommentId, TaskId},
};

/// Deletes a comment on a task.
///
/// The comment stays in the list, with empty `content` and a `deletedAt`, so that its replies keep
/// their place. It can no longer be edited or replied to. Authors may delete their own comments;
/// other users need the permission `manage_directory`.
#[utoipa::path(
    delete,
    path = "/api/tasks/{taskId}/comments/{commentId}",
    operation_id = "deleteTaskComment"
)]
pub async fn delete_comment(
    State(app): State<App>,
    caller: Caller<need::OwnOr<need::ManageDirectory>>,
    Path((task, comment)): Path<(PathId<TaskId>, PathId<CommentId>)>,
) -> Result<NoContent, Problem<ConcurrentChange>> {
    let place = (task.known()?.into(), comment.known()?);
    let comments = app.store.comments();
    comments
        .delete(caller.pending_write(), place, async |author| {
            caller.created_or_may(author).await
        })
        .await?;
    Ok(NoContent)
}
