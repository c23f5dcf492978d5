//! `POST /api/concierge/connections/{name}/resume`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Path, Single, refusal::ConcurrentChange},
};

use crate::{connection_name::ConnectionName, connection_view::ConnectionView};

/// Goes on with a paused connection: what waited is sent within a minute.
#[utoipa::path(
    post,
    path = "/api/concierge/connections/{name}/resume",
    operation_id = "resumeConnection"
)]
pub async fn resume_connection(
    State(app): State<App>,
    caller: Caller<need::ExecuteAgentRemediation>,
    Path(name): Path<ConnectionName>,
) -> Result<Single<ConnectionView>, Problem<ConcurrentChange>> {
    let (name, connections) = (name.known()?, app.store.connections());
    let connection = connections.pause(caller.permit(), &name, false);
    Ok(Single(connection.await?.into()))
}
