//! `POST /api/concierge/connections/{name}/resume`

use shared::agent::connection::Connection;
use shared::endpoint::*;

use super::view::ConnectionView;

/// Resumes a connection and closes its circuit breaker.
///
/// Waiting actions start within two minutes, if their approvals still hold.
#[utoipa::path(post, path = "/api/concierge/connections/{name}/resume")]
pub async fn resume_connection(
    State(app): State<App>,
    caller: Caller<need::WithAgent<need::InSession<need::ExecuteAgentRemediation>>>,
    Path(name): Path<PathName<Connection>>,
) -> Result<Single<ConnectionView>, Problem<ConcurrentChange>> {
    let (name, connections) = (name.known()?, app.store.connections());
    let connection = connections.pause(caller.pending_write(), &name, false);
    Ok(Single(connection.await?.into()))
}
