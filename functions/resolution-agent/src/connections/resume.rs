//! `POST /api/concierge/connections/{name}/resume`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Path, PathName, Single, refusal::ConcurrentChange},
    model::Connection,
};

use super::view::ConnectionView;

/// Goes on with a paused connection, and closes its breaker: what waited is begun within a minute or
/// two, if its approvals still hold.
#[utoipa::path(
    post,
    path = "/api/concierge/connections/{name}/resume",
    operation_id = "resumeConnection"
)]
pub async fn resume(
    State(app): State<App>,
    caller: Caller<need::WithAgent<need::ExecuteAgentRemediation>>,
    Path(name): Path<PathName<Connection>>,
) -> Result<Single<ConnectionView>, Problem<ConcurrentChange>> {
    let (name, connections) = (name.known()?, app.store.connections());
    let connection = connections.pause(caller.permit(), &name, false);
    Ok(Single(connection.await?.into()))
}
