//! `GET /api/activities/{activityId}/comments`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{List, Path, PathId},
    model::ActivityId,
    view::ActivityComment,
};

/// Lists an activity's comments, replies among them, oldest first.
#[utoipa::path(
    get,
    path = "/api/activities/{activityId}/comments",
    operation_id = "listActivityComments"
)]
pub async fn list_comments(
    State(app): State<App>,
    caller: Caller<need::ViewWork>,
    Path(activity): Path<PathId<ActivityId>>,
) -> Result<List<ActivityComment>, Problem> {
    let activity = activity.known()?;
    let comments = app.store.comments();
    let comments = comments.of(caller.tenant(), activity.into()).await?;
    let view = |one| ActivityComment::from_read(activity, one);
    let comments: Vec<ActivityComment> = comments.into_iter().map(view).collect();
    Ok(List::of(comments))
}
