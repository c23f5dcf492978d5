//! `POST /api/concierge/connections/{name}/pause`

use shared::{agent::connection::Connection, endpoint::*};

use crate::connections::view::ConnectionView;

/// Pauses a connection.
///
/// No action starts through it; approved actions wait. An action that already runs may finish,
/// within a minute.
#[utoipa::path(post, path = "/api/concierge/connections/{name}/pause")]
pub async fn pause_connection(
    caller: Caller<need::ToBrake<need::ExecuteAgentRemediation>>,
    Path(name): Path<PathName<Connection>>,
) -> Result<Single<ConnectionView>, Problem<ConcurrentChange>> {
    let (name, connections) = (name.known()?, caller.app.store.connections());
    let connection = connections.pause(caller.write(), &name, true);
    Ok(Single(ConnectionView::of(connection.await?)))
}
