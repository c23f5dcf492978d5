//! `DELETE /api/service-requests/{id}`

use shared::{endpoint::*, model::base::ServiceRequestId};

/// Deletes a service request and its comments.
///
/// Creators may delete their own service requests; other users need the permission
/// `delete_service_request`.
#[utoipa::path(delete, path = "/api/service-requests/{id}")]
pub async fn delete_service_request(
    caller: Caller<need::OwnOr<need::DeleteServiceRequest>>,
    Path(id): Path<PathId<ServiceRequestId>>,
) -> Result<NoContent, Problem> {
    let requests = caller.app.store.service_requests();
    let may = async |creator| caller.created_or_may(creator).await;
    requests
        .delete(caller.write(), id.known()?, may)
        .await?;
    Ok(NoContent)
}
