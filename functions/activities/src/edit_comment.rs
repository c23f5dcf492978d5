//! `PATCH /api/activities/{activityId}/comments/{commentId}`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Body, Path, PathId, Single, refusal::ConcurrentChange},
    model::{ActivityId, CommentId, CommentUpdate},
    view::ActivityComment,
};

/// Changes the text of a comment on an activity.
///
/// Authors may edit their own comments; other users need the permission `manage_directory`. 404 if
/// the comment is deleted.
#[utoipa::path(
    patch,
    path = "/api/activities/{activityId}/comments/{commentId}",
    operation_id = "updateActivityComment"
)]
pub async fn edit_comment(
    State(app): State<App>,
    caller: Caller<need::OwnOr<need::ManageDirectory>>,
    Path((activity, comment)): Path<(PathId<ActivityId>, PathId<CommentId>)>,
    Body(update): Body<CommentUpdate>,
) -> Result<Single<ActivityComment>, Problem<ConcurrentChange>> {
    let activity = activity.known()?;
    let place = (activity.into(), comment.known()?);
    let comments = app.store.comments();
    let comment = comments
        .edit(caller.pending_write(), place, update, async |author| {
            caller.created_or_may(author).await
        })
        .await?;
    Ok(Single(ActivityComment::from_read(activity, comment)))
}
