//! `DELETE /api/concierge/connections/{name}`

use shared::{agent::connection::Connection, endpoint::*};

/// Deletes a connection.
///
/// An action that is approved for it and has not ended fails, with nothing more sent.
#[utoipa::path(delete, path = "/api/concierge/connections/{name}")]
pub async fn delete_connection(
    caller: Caller<need::WithAgent<need::Root>>,
    Path(name): Path<PathName<Connection>>,
) -> Result<NoContent, Problem<ConcurrentChange>> {
    let connections = caller.app.store.connections();
    connections
        .delete(caller.write(), &name.known()?)
        .await?;
    Ok(NoContent)
}
