//! `DELETE /api/service-requests/{id}`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{NoContent, Path, PathId},
    model::ServiceRequestId,
};

/// Deletes a service request with its comments. Creators may always delete their own; for others'
/// it takes the permission `delete_service_request`.
#[utoipa::path(
    delete,
    path = "/api/service-requests/{id}",
    operation_id = "deleteServiceRequest"
)]
pub async fn delete(
    State(app): State<App>,
    caller: Caller<need::OwnOr<need::DeleteServiceRequest>>,
    Path(id): Path<PathId<ServiceRequestId>>,
) -> Result<NoContent, Problem> {
    let requests = app.store.service_requests();
    requests
        .delete(caller.permit(), id.known()?, async |request| {
            caller.created_or_may(request.creator_id).await
        })
        .await?;
    Ok(NoContent)
}
