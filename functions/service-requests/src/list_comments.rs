//! `GET /api/service-requests/{serviceRequestId}/comments`

use axum::{Json, extract::State};
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Path, PathId},
    model::{ServiceRequestId, Thread},
    view::CommentView,
};

/// Lists a service request's comments, replies among them, oldest first.
#[utoipa::path(
    get, path = "/api/service-requests/{serviceRequestId}/comments", operation_id = "listServiceRequestComments", tag = "service-requests",
    params(("serviceRequestId" = ServiceRequestId, Path)),
    responses((status = 200, description = "The comments with their authors", body = [CommentView]))
)]
pub async fn list_comments(
    State(app): State<App>,
    caller: Caller<need::ViewWork>,
    Path(request): Path<PathId<ServiceRequestId>>,
) -> Result<Json<Vec<CommentView>>, Problem> {
    let thread = Thread::ServiceRequest(request.known()?);
    let comments = app.store.comments().of(caller.tenant(), thread).await?;
    Ok(Json(comments.into_iter().map(Into::into).collect()))
}
