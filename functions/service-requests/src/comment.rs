//! `POST /api/service-requests/{serviceRequestId}/comments`

use axum::{Json, extract::State};
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Body, Path, PathId, ProblemDetails},
    model::{ServiceRequestId, Thread, UserRef},
    view::{CommentView, CreateComment},
};

/// Comments on a service request. A comment of the creator on a pending or resolved request opens
/// it again.
#[utoipa::path(
    post, path = "/api/service-requests/{serviceRequestId}/comments", operation_id = "createServiceRequestComment", tag = "service-requests",
    params(("serviceRequestId" = ServiceRequestId, Path)),
    request_body = CreateComment,
    responses(
        (status = 200, description = "The comment with its author", body = CommentView),
        (status = 409, description = "The request to open again kept changing", body = ProblemDetails, content_type = "application/problem+json")
    )
)]
pub async fn comment(
    State(app): State<App>,
    caller: Caller<need::CommentServiceRequest>,
    Path(request): Path<PathId<ServiceRequestId>>,
    Body(input): Body<CreateComment>,
) -> Result<Json<CommentView>, Problem> {
    let thread = Thread::ServiceRequest(request.known()?);
    let new = input.by(caller.user_id(), thread);
    let comment = app.store.comments().create(caller.tenant(), new).await?;
    let author = UserRef::from(&caller.identity.user);
    Ok(Json(CommentView::new(comment, Some(author))))
}
