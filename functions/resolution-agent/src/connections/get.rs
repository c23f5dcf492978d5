//! `GET /api/concierge/connections/{name}`

use shared::endpoint::*;

use super::view::WithBreaker;

/// Returns a connection and the state of its circuit breaker.
///
/// The secret is never shown.
#[utoipa::path(get, path = "/api/concierge/connections/{name}")]
pub async fn get_connection(
    caller: Caller<need::ViewAgentRemediation>,
    Path(name): Path<PathName<Connection>>,
) -> Result<Single<WithBreaker>, Problem> {
    let (connections, name) = (caller.app.store.connections(), name.known()?);
    let found = connections.with_breaker(caller.tenant(), &name);
    let (connection, breaker) = found.await?;
    Ok(Single(WithBreaker::new(
        connection,
        &breaker,
        caller.app.store.now(),
    )))
}
