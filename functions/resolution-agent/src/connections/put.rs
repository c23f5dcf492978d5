//! `PUT /api/concierge/connections/{name}`

use targets::SecretOf;

use crate::prelude::*;

/// Creates or replaces a connection.
///
/// The base URL is https and leads to a public host, except on a stack that runs on one machine.
/// The secret is encrypted, and no answer has it. A connection that is replaced keeps its secret if
/// none is sent; with another base URL the secret is required. With `If-Match`, 404 if there is no connection of this name. 409 `too_many_connections` if the
/// organization has as many as it may.
#[utoipa::path(put, path = "/api/concierge/connections/{name}")]
pub async fn put_connection(
    State(state): State<ResolutionAgent>,
    caller: Caller<need::WithAgent<need::Root>>,
    Path(name): Path<PathName<Connection>>,
    Body(put): Body<ConnectionPut>,
) -> Result<Single<ConnectionView>, Problem<(ConcurrentChange, TooManyConnections)>> {
    if !state.targets.allows_local()
        && let Some(fault) = put.not_public()
    {
        return Err(Error::invalid(fault).into());
    }
    let (name, connections) = (name.known()?, state.app.store.connections());
    let (pending, sealer) = (caller.write(), &state.sealer);
    let (tenant, of) = (pending.tenant(), SecretOf::Connection(name.to_string()));
    let seal = async |secret: SentSecret| sealer.seal(tenant, &of, &secret).await;
    let connection = connections.put(pending, &name, put, seal);
    Ok(Single(ConnectionView::of(connection.await?)))
}
