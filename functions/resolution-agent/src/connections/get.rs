//! `GET /api/concierge/connections/{name}`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Path, Single},
};

use super::name::ConnectionName;
use super::view::ConnectionView;

/// Reads a connection, whose secret is nowhere in it.
#[utoipa::path(
    get,
    path = "/api/concierge/connections/{name}",
    operation_id = "getConnection"
)]
pub async fn get(
    State(app): State<App>,
    caller: Caller<need::ViewAgentRemediation>,
    Path(name): Path<ConnectionName>,
) -> Result<Single<ConnectionView>, Problem> {
    let connections = app.store.connections();
    let connection = connections.get(caller.tenant(), &name.known()?).await?;
    Ok(Single(connection.into()))
}
