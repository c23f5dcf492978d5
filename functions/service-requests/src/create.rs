//! `POST /api/managed-services/request`

use axum::{Json, extract::State};
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::Body,
    model::ServiceRequestCreate,
    view::ServiceRequestView,
};

/// Raises a service request.
#[utoipa::path(
    post,
    path = "/api/managed-services/request",
    operation_id = "createServiceRequest"
)]
pub async fn create(
    State(app): State<App>,
    caller: Caller<need::CreateServiceRequest>,
    Body(new): Body<ServiceRequestCreate>,
) -> Result<Json<ServiceRequestView>, Problem> {
    let requests = app.store.service_requests();
    let request = requests.create(caller.permit(), caller.user_id(), new);
    Ok(Json(request.await?.into()))
}
