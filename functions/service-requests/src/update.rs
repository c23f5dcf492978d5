//! `PATCH /api/service-requests/{id}`

use axum::{Json, extract::State};
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{
        Body, Path, PathId,
        refusal::{ConcurrentChange, InvalidTransition},
    },
    model::{ServiceRequestId, ServiceRequestUpdate},
    view::ServiceRequestView,
};

/// Changes a service request; one that is closed stays closed.
#[utoipa::path(
    patch,
    path = "/api/service-requests/{id}",
    operation_id = "updateServiceRequest"
)]
pub async fn update(
    State(app): State<App>,
    caller: Caller<need::UpdateServiceRequest>,
    Path(id): Path<PathId<ServiceRequestId>>,
    Body(update): Body<ServiceRequestUpdate>,
) -> Result<Json<ServiceRequestView>, Problem<(InvalidTransition, ConcurrentChange)>> {
    let requests = app.store.service_requests();
    let request = requests.update(caller.permit(), id.known()?, update);
    Ok(Json(request.await?.into()))
}
