//! `PATCH /api/service-requests/{serviceRequestId}/comments/{commentId}`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Body, Path, PathId, Single, refusal::ConcurrentChange},
    model::{CommentId, CommentUpdate, ServiceRequestId},
    view::ServiceRequestComment,
};

/// Changes the text of a comment on a service request.
///
/// Authors may edit their own comments; other users need the permission `manage_directory`. 404 if
/// the comment is deleted.
#[utoipa::path(
    patch,
    path = "/api/service-requests/{serviceRequestId}/comments/{commentId}",
    operation_id = "updateServiceRequestComment"
)]
pub async fn edit_comment(
    State(app): State<App>,
    caller: Caller<need::OwnOr<need::ManageDirectory>>,
    Path((request, comment)): Path<(PathId<ServiceRequestId>, PathId<CommentId>)>,
    Body(update): Body<CommentUpdate>,
) -> Result<Single<ServiceRequestComment>, Problem<ConcurrentChange>> {
    let request = request.known()?;
    let place = (request.into(), comment.known()?);
    let comments = app.store.comments();
    let comment = comments
        .edit(caller.pending_write(), place, update, async |author| {
            caller.created_or_may(author).await
        })
        .await?;
    Ok(Single(ServiceRequestComment::from_read(request, comment)))
}
