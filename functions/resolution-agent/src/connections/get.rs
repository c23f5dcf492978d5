//! `GET /api/concierge/connections/{name}`

use shared::agent::connection::Connection;
use shared::endpoint::*;

use super::view::WithBreaker;

/// Returns a connection and the state of its circuit breaker.
///
/// The secret is never shown.
#[utoipa::path(get, path = "/api/concierge/connections/{name}")]
pub async fn get_connection(
    State(app): State<App>,
    caller: Caller<need::ViewAgentRemediation>,
    Path(name): Path<PathName<Connection>>,
) -> Result<Single<WithBreaker>, Problem> {
    let connections = app.store.connections();
    let name = name.known()?;
    let found = connections.with_breaker(caller.tenant(), &name);
    let (connection, breaker) = found.await?;
    let now = app.store.now();
    Ok(Single(WithBreaker::new(connection, &breaker, now)))
}
