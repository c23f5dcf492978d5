//! `DELETE /api/concierge/connections/{name}`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{NoContent, Path, refusal::ConcurrentChange},
};

use super::name::ConnectionName;

/// Deletes a connection. What was approved for it and has not ended fails, with nothing more sent.
#[utoipa::path(
    delete,
    path = "/api/concierge/connections/{name}",
    operation_id = "deleteConnection"
)]
pub async fn delete(
    State(app): State<App>,
    caller: Caller<need::WithAgent<need::ManageOrganization>>,
    Path(name): Path<ConnectionName>,
) -> Result<NoContent, Problem<ConcurrentChange>> {
    let connections = app.store.connections();
    connections.delete(caller.permit(), &name.known()?).await?;
    Ok(NoContent)
}
