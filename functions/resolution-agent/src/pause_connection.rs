//! `POST /api/concierge/connections/{name}/pause`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Path, Single, refusal::ConcurrentChange},
};

use crate::{connection_name::ConnectionName, connection_view::ConnectionView};

/// Pauses a connection: nothing is sent through it, and what is approved for it waits.
#[utoipa::path(
    post,
    path = "/api/concierge/connections/{name}/pause",
    operation_id = "pauseConnection"
)]
pub async fn pause_connection(
    State(app): State<App>,
    caller: Caller<need::ExecuteAgentRemediation>,
    Path(name): Path<ConnectionName>,
) -> Result<Single<ConnectionView>, Problem<ConcurrentChange>> {
    let (name, connections) = (name.known()?, app.store.connections());
    let connection = connections.pause(caller.permit(), &name, true);
    Ok(Single(connection.await?.into()))
}
