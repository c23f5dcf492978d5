//! `GET /api/service-requests/{id}`

use shared::endpoint::*;
use shared::model::ServiceRequestId;

/// Returns a service request.
#[utoipa::path(get, path = "/api/service-requests/{id}")]
pub async fn get_service_request(
    State(app): State<App>,
    caller: Caller<need::ViewWork>,
    Path(id): Path<PathId<ServiceRequestId>>,
) -> Result<Single<ServiceRequestView>, Problem> {
    let requests = app.store.service_requests();
    let request = requests.get(caller.tenant(), id.known()?).await?;
    Ok(Single(request.into()))
}
