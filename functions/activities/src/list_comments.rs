//! `GET /api/activities/{activityId}/comments`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{List, Path, PathId},
    model::{ActivityId, CommentFilter, Listing, ThreadSort},
    view::ActivityComment,
};

/// Lists the comments on an activity, replies included, by creation time.
///
/// A deleted comment stays in the list, with empty `content` and a `deletedAt`.
#[utoipa::path(
    get,
    path = "/api/activities/{activityId}/comments",
    operation_id = "listActivityComments"
)]
pub async fn list_comments(
    State(app): State<App>,
    caller: Caller<need::ViewWork, Listing<CommentFilter, ThreadSort>>,
    Path(activity): Path<PathId<ActivityId>>,
) -> Result<List<ActivityComment>, Problem> {
    let (activity, pages) = (activity.known()?, caller.pages(&app)?);
    let comments = app.store.comments();
    let page = comments.of(
        caller.tenant(),
        activity.into(),
        &caller.query.filter,
        caller.query.sort,
        &pages.wanted,
    );
    let view = |one| ActivityComment::from_read(activity, one);
    Ok(pages.answer(page.await?, view)?)
}
