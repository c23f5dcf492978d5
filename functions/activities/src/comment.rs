//! `POST /api/activities/{activityId}/comments`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Body, Path, PathId, Single},
    model::{ActivityId, CommentCreate},
    view::ActivityComment,
};

/// Adds a comment to an activity.
///
/// With `parentId` it replies to a comment on the same activity. 400 if there is no such comment or
/// it is deleted.
#[utoipa::path(
    post,
    path = "/api/activities/{activityId}/comments",
    operation_id = "createActivityComment"
)]
pub async fn comment(
    State(app): State<App>,
    caller: Caller<need::CommentActivity>,
    Path(activity): Path<PathId<ActivityId>>,
    Body(new): Body<CommentCreate>,
) -> Result<Single<ActivityComment>, Problem> {
    let activity = activity.known()?;
    let comments = app.store.comments();
    let comment = comments
        .create(
            caller.pending_write(),
            activity.into(),
            caller.user_id(),
            new,
        )
        .await?;
    let author = caller.identity().await?.as_author();
    Ok(Single(ActivityComment::new(activity, comment, author)))
}
