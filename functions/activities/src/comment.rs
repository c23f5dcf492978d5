//! `POST /api/activities/{activityId}/comments`

use axum::{Json, extract::State};
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Body, Path, PathId},
    model::{ActivityId, Thread, UserRef},
    view::{CommentView, CreateComment},
};

/// Comments on an activity.
#[utoipa::path(
    post, path = "/api/activities/{activityId}/comments", operation_id = "createActivityComment", tag = "activities",
    params(("activityId" = ActivityId, Path)),
    request_body = CreateComment,
    responses((status = 200, description = "The comment with its author", body = CommentView))
)]
pub async fn comment(
    State(app): State<App>,
    caller: Caller<need::CommentActivity>,
    Path(activity): Path<PathId<ActivityId>>,
    Body(input): Body<CreateComment>,
) -> Result<Json<CommentView>, Problem> {
    let thread = Thread::Activity(activity.known()?);
    let new = input.by(caller.user_id(), thread);
    let comment = app.store.comments().create(caller.tenant(), new).await?;
    let author = UserRef::from(&caller.identity.user);
    Ok(Json(CommentView::new(comment, Some(author))))
}
