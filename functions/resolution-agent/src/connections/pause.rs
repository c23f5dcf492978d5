//! `POST /api/concierge/connections/{name}/pause`

use crate::prelude::{
    Caller, ConcurrentChange, Connection, ConnectionView, Id, Path, PathName, Problem, Single, need,
};

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
