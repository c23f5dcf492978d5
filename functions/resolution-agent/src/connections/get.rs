//! `GET /api/concierge/connections/{name}`

use shared::{agent::connection::Connection, endpoint::*};

use crate::connections::view::{BreakerView, ConnectionView, WithBreaker};

/// Returns a connection and the state of its circuit breaker.
///
/// The secret is never shown.
#[utoipa::path(get, path = "/api/concierge/connections/{name}")]
pub async fn get_connection(
    caller: Caller<need::ViewAgentRemediation>,
    Path(name): Path<PathName<Connection>>,
) -> Result<Single<WithBreaker>, Problem> {
    let connections = caller.app.store.connections();
    let name = name.known()?;
    let (connection, breaker) = connections
        .with_breaker(caller.tenant(), &name)
        .await?;
    let breaker = BreakerView::of(&breaker, caller.app.store.now());
    let connection = ConnectionView::of(connection);
    Ok(Single(WithBreaker {
        connection,
        breaker,
    }))
}
