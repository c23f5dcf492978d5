//! `POST /api/service-requests/{serviceRequestId}/comments`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Body, Path, PathId, Single, refusal::ConcurrentChange},
    model::{CommentCreate, ServiceRequestId},
    view::ServiceRequestComment,
};

/// Comments on a service request. A comment of the creator on a pending or resolved request opens
/// it again.
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
        .create(caller.permit(), request.into(), caller.user_id(), new)
        .await?;
    let author = caller.identity().await?.as_author();
    Ok(Single(ServiceRequestComment::new(request, comment, author)))
}
