//! `POST /api/concierge/connections/{name}/test`

use std::time::Duration;

use axum::{Json, extract::State};
use serde::Serialize;
use shared::{
    agent::connection::{ApiCall, Connection},
    endpoint::*,
    model::base::Stopwatch,
};
use targets::{Sending, Targets};
use utoipa::ToSchema;

use crate::ResolutionAgent;

const PATIENCE: Duration = Duration::from_secs(8);

/// The result of a connection test.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConnectionTested {
    /// True if there was an answer, whatever its status.
    reachable: bool,
    /// HTTP status of the answer; 401 and 403 mean that the secret is not accepted.
    #[schema(minimum = 100, maximum = 599)]
    status: Option<u16>,
    /// Milliseconds until the answer.
    duration_ms: u64,
    /// Reason why there was no answer.
    problem: Option<String>,
}

/// Sends one GET through a connection and returns its status.
///
/// Requests `testPath`, or the first GET in `allow` without a placeholder, and waits up to eight
/// seconds. The body of the answer is not read.
#[utoipa::path(post, path = "/api/concierge/connections/{name}/test")]
pub async fn test_connection(
    State(state): State<ResolutionAgent>,
    caller: Caller<need::WithAgent<need::InSession<need::ManageOrganization>>>,
    Path(name): Path<PathName<Connection>>,
) -> Result<Json<ConnectionTested>, Problem<ConcurrentChange>> {
    let (name, connections) = (name.known()?, state.app.store.connections());
    let connection = connections
        .to_test(caller.write(), &name)
        .await?;
    Ok(Json(tested(&state.targets, &connection).await))
}

async fn tested(targets: &Targets, connection: &Connection) -> ConnectionTested {
    let since = Stopwatch::start();
    let (status, problem) = if let Some(path) = connection.tested_path() {
        let call = ApiCall::get(path);
        let key = None;
        let timeout = PATIENCE;
        let answered = targets.send(connection, &call, Sending { key, timeout });
        match answered.await {
            Ok(answered) => (Some(answered.response.status().as_u16()), None),
            Err(no_response) => (None, Some(no_response.problem())),
        }
    } else {
        let problem = "The connection allows no GET without a placeholder. Set its `testPath`.";
        (None, Some(problem.to_owned()))
    };
    ConnectionTested {
        reachable: status.is_some(),
        status,
        duration_ms: u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX),
        problem,
    }
}
