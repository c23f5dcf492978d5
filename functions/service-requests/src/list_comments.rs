//! `GET /api/service-requests/{serviceRequestId}/comments`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{List, Path, PathId},
    model::ServiceRequestId,
    view::ServiceRequestComment,
};

/// Lists a service request's comments, replies among them, oldest first.
#[utoipa::path(
    get,
    path = "/api/service-requests/{serviceRequestId}/comments",
    operation_id = "listServiceRequestComments"
)]
pub async fn list_comments(
    State(app): State<App>,
    caller: Caller<need::ViewWork>,
    Path(request): Path<PathId<ServiceRequestId>>,
) -> Result<List<ServiceRequestComment>, Problem> {
    let request = request.known()?;
    let comments = app.store.comments();
    let comments = comments.of(caller.tenant(), request.into()).await?;
    let view = |one| ServiceRequestComment::from_read(request, one);
    let comments: Vec<ServiceRequestComment> = comments.into_iter().map(view).collect();
    Ok(List::of(comments))
}
