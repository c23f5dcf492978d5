//! `GET /api/activities/{activityId}/comments`

use axum::{Json, extract::State};
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Path, PathId},
    model::{ActivityId, Thread},
    view::CommentView,
};

/// Lists an activity's comments, replies among them, oldest first.
#[utoipa::path(
    get, path = "/api/activities/{activityId}/comments", operation_id = "listActivityComments", tag = "activities",
    params(("activityId" = ActivityId, Path)),
    responses((status = 200, description = "The comments with their authors", body = [CommentView]))
)]
pub async fn list_comments(
    State(app): State<App>,
    caller: Caller<need::ViewWork>,
    Path(activity): Path<PathId<ActivityId>>,
) -> Result<Json<Vec<CommentView>>, Problem> {
    let thread = Thread::Activity(activity.known()?);
    let comments = app.store.comments().of(caller.tenant(), thread).await?;
    Ok(Json(comments.into_iter().map(Into::into).collect()))
}
