//! `GET /api/service-requests/{id}`

use shared::{endpoint::*, model::base::ServiceRequestId, view::ServiceRequestView};

/// Returns a service request.
#[utoipa::path(get, path = "/api/service-requests/{id}")]
pub async fn get_service_request(
    caller: Caller<need::ViewWork>,
    Path(id): Path<PathId<ServiceRequestId>>,
) -> Result<Single<ServiceRequestView>, Problem> {
    let requests = caller.app.store.service_requests();
    let request = requests
        .get(&caller.reader(), id.known()?)
        .await?;
    Ok(Single(request.into()))
}
