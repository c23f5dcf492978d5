//! `DELETE /api/service-requests/{id}`

use axum::{extract::State, http::StatusCode};
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Path, PathId},
    model::{Permission, ServiceRequestId},
};

/// Deletes a service request with its comments. Creators may always delete their own; for others'
/// it takes the permission `delete_service_request`.
#[utoipa::path(
    delete, path = "/api/service-requests/{id}", operation_id = "deleteServiceRequest", tag = "service-requests",
    params(("id" = ServiceRequestId, Path)),
    responses((status = 204, description = "Deleted"))
)]
pub async fn delete(
    State(app): State<App>,
    caller: Caller<need::ViewWork>,
    Path(id): Path<PathId<ServiceRequestId>>,
) -> Result<StatusCode, Problem> {
    app.store
        .service_requests()
        .delete(caller.tenant(), id.known()?, async |request| {
            if request.creator_id == caller.user_id() {
                Ok(())
            } else {
                caller.needs(Permission::DeleteServiceRequest)
            }
        })
        .await?;
    Ok(StatusCode::NO_CONTENT)
}
