//! `POST /api/activities/{activityId}/comments`

use axum::{Json, extract::State};
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Body, Path, PathId},
    model::{ActivityId, CommentCreate},
    view::ActivityComment,
};

/// Comments on an activity.
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
) -> Result<Json<ActivityComment>, Problem> {
    let activity = activity.known()?;
    let comments = app.store.comments();
    let comment = comments
        .create(caller.permit(), activity.into(), caller.user_id(), new)
        .await?;
    let author = caller.identity().await?.as_author();
    Ok(Json(ActivityComment::new(activity, comment, author)))
}
