//! `PUT /api/concierge/connections/{name}`

use std::time::Duration;

use axum::extract::State;
use shared::{
    agent::{
        check::Observation,
        connection::{Connection, ConnectionPut},
    },
    endpoint::*,
    http::refusal::TooManyConnections,
    model::base::{Error, Fault, FaultCode, SentSecret},
};
use targets::{SecretOf, Targets};

use crate::{ResolutionAgent, connections::view::ConnectionView};

/// The longest wait for the account behind a connection.
const PATIENCE: Duration = Duration::from_secs(8);

/// Creates or replaces a connection.
///
/// The base URL is https and leads to a public host, except on a stack that runs on one machine.
/// The secret is encrypted, and no answer has it. A connection that is replaced keeps its secret if
/// none is sent; with another base URL the secret is required. Each of the `partners` is another
/// connection of its kind. With `identity`, the account is read through the new connection. If no
/// account is read within eight seconds, that is 400 and nothing is stored. With `If-Match`, 404 if
/// there is no connection of this name. 409 `too_many_connections` if the organization has as many
/// as it may.
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
    let pending = caller.write();
    let sealer = &state.sealer;
    let tenant = pending.tenant();
    let of = SecretOf::Connection(name.to_string());
    let seal = async |secret: SentSecret| sealer.seal(tenant, &of, &secret).await;
    let identify = async |connection: Connection| account(&state.targets, &connection).await;
    let connection = connections.put(pending, &name, put, seal, identify);
    Ok(Single(ConnectionView::of(connection.await?)))
}

/// Reads the account behind a connection; none if it has no `identity`.
async fn account(targets: &Targets, connection: &Connection) -> Result<Option<String>, Error> {
    let Some(identity) = &connection.identity else {
        return Ok(None);
    };
    let read = identity.read(&connection.name);
    let seen = targets
        .read(connection, &read, PATIENCE)
        .await;
    let observation: Observation = [(&read, seen)].into_iter().collect();
    let account = identity.account(&observation);
    account.map(Some).map_err(|error| {
        let detail = format!("The account was not read. {}", error.problem);
        Error::invalid(Fault::at("identity", FaultCode::Combination, detail))
    })
}
