//! `POST /api/service-requests/{serviceRequestId}/comments`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Body, Path, PathId, Single, refusal::ConcurrentChange},
    model::{CommentCreate, ServiceRequestId},
    view::ServiceRequestComment,
};

/// Adds a comment to a service request.
///
/// With `parentId` it replies to a comment on the same service request. 400 if there is no such
/// comment or it is deleted. A comment by the creator of a `pending` or `resolved` service request
/// sets its status to `open`.
#[utoipa::path(
    post,
    path = "/api/service-requests/{serviceRequestId}/comments",
    operation_id = "createServiceRequestComment"
)]
pub async fn comment(
    State(app): State<App>,
    caller: Caller<need::CommentServiceRequest>,
    Path(request): Path<PathId<ServiceRequestId>>,
    Body(new): Body<CommentCreate>,
) -> Result<Single<ServiceRequestComment>, Problem<ConcurrentChange>> {
    let request = request.known()?;
    let comments = app.store.comments();
    let comment = comments
        .create(
            caller.pending_write(),
            request.into(),
            caller.user_id(),
            new,
        )
        .await?;
    let author = caller.identity().await?.as_author();
    Ok(Single(ServiceRequestComment::new(request, comment, author)))
}
