//! `DELETE /api/service-requests/{id}`

use shared::endpoint::*;
use shared::model::ServiceRequestId;

/// Deletes a service request and its comments.
///
/// Creators may delete their own service requests; other users need the permission
/// `delete_service_request`.
#[utoipa::path(delete, path = "/api/service-requests/{id}")]
pub async fn delete_service_request(
    State(app): State<App>,
    caller: Caller<need::OwnOr<need::DeleteServiceRequest>>,
    Path(id): Path<PathId<ServiceRequestId>>,
) -> Result<NoContent, Problem> {
    let requests = app.store.service_requests();
    requests
        .delete(caller.pending_write(), id.known()?, async |creator| {
            caller.created_or_may(creator).await
        })
        .await?;
    Ok(NoContent)
}
