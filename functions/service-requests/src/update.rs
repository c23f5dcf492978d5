//! `PATCH /api/service-requests/{id}`

use shared::{
    endpoint::*,
    http::refusal::CustomerArchived,
    model::{base::ServiceRequestId, work::ServiceRequestUpdate},
    view::ServiceRequestView,
};

/// Updates a service request.
///
/// A closed one stays closed: another status is 409 `invalid_transition`. A new customer that is
/// archived is 409 `customer_archived`.
#[utoipa::path(patch, path = "/api/service-requests/{id}")]
pub async fn update_service_request(
    caller: Caller<need::UpdateServiceRequest>,
    Path(id): Path<PathId<ServiceRequestId>>,
    Body(update): Body<ServiceRequestUpdate>,
) -> Result<
    Single<ServiceRequestView>,
    Problem<(InvalidTransition, ConcurrentChange, CustomerArchived)>,
> {
    let requests = caller.app.store.service_requests();
    let request = requests.update(caller.write(), id.known()?, update);
    Ok(Single(request.await?.into()))
}
