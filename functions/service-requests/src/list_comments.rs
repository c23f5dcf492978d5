//! `GET /api/service-requests/{serviceRequestId}/comments`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{List, Path, PathId},
    model::{CommentFilter, Listing, ServiceRequestId, ThreadSort},
    view::ServiceRequestComment,
};

/// Lists the comments on a service request, replies included, by creation time.
///
/// A deleted comment stays in the list, with empty `content` and a `deletedAt`.
#[utoipa::path(
    get,
    path = "/api/service-requests/{serviceRequestId}/comments",
    operation_id = "listServiceRequestComments"
)]
pub async fn list_comments(
    State(app): State<App>,
    caller: Caller<need::ViewWork, Listing<CommentFilter, ThreadSort>>,
    Path(request): Path<PathId<ServiceRequestId>>,
) -> Result<List<ServiceRequestComment>, Problem> {
    let (request, pages) = (request.known()?, caller.pages(&app)?);
    let comments = app.store.comments();
    let page = comments.of(
        caller.tenant(),
        request.into(),
        &caller.query.filter,
        caller.query.sort,
        &pages.wanted,
    );
    let view = |one| ServiceRequestComment::from_read(request, one);
    Ok(pages.answer(page.await?, view)?)
}
