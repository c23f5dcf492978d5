//! `POST /api/managed-services/request`

use shared::{
    endpoint::*, http::refusal::CustomerArchived, model::work::ServiceRequestCreate,
    view::ServiceRequestView,
};

/// Creates a service request with the status `open`.
///
/// 400 if it refers to a record that is not the caller's organization's. 409 `customer_archived` if
/// its customer is archived.
#[utoipa::path(post, path = "/api/managed-services/request")]
pub async fn create_service_request(
    caller: Caller<need::CreateServiceRequest>,
    Body(new): Body<ServiceRequestCreate>,
) -> Result<Single<ServiceRequestView>, Problem<CustomerArchived>> {
    let requests = caller.app.store.service_requests();
    let request = requests.create(caller.write(), caller.user_id(), new);
    Ok(Single(request.await?.into()))
}
