//! `POST /api/concierge/connections/{name}/resume`

use shared::{agent::connection::Connection, endpoint::*};

use crate::connections::view::ConnectionView;

/// Resumes a connection and closes its circuit breaker.
///
/// Waiting actions start within two minutes, if their approvals still hold.
#[utoipa::path(post, path = "/api/concierge/connections/{name}/resume")]
pub async fn resume_connection(
    caller: Caller<need::WithAgent<need::ToResume<need::ExecuteAgentRemediation>>>,
    Path(name): Path<PathName<Connection>>,
) -> Result<Single<ConnectionView>, Problem<ConcurrentChange>> {
    let (name, connections) = (name.known()?, caller.app.store.connections());
    let connection = connections.pause(caller.write(), &name, false);
    Ok(Single(ConnectionView::of(connection.await?)))
}
