//! `POST /api/concierge/connections/{name}/test`

use std::time::Duration;

use axum::{Json, extract::State};
use serde::Serialize;
use shared::{
    Problem,
    auth::{Caller, need},
    http::{Path, PathName, refusal::ConcurrentChange},
    model::{ApiCall, Connection, Stopwatch},
};
use targets::{NoAnswer, Sending, Targets};
use utoipa::ToSchema;

use crate::ResolutionAgent;

/// How long a test may take.
const PATIENCE: Duration = Duration::from_secs(8);

/// What a connection answered.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConnectionTested {
    /// Whether there was an answer, whatever it said.
    reachable: bool,
    /// Its HTTP status; 401 or 403 mean that the secret is not taken.
    #[schema(minimum = 100, maximum = 599, examples(200))]
    status: Option<u16>,
    /// Milliseconds until the answer.
    duration_ms: u64,
    /// What kept an answer from coming.
    problem: Option<String>,
}

/// Sends one call that changes nothing, `testPath` or the first GET of `allow` without a placeholder,
/// and answers what became of it. The body that came with the answer is not read.
#[utoipa::path(
    post,
    path = "/api/concierge/connections/{name}/test",
    operation_id = "testConnection"
)]
pub async fn test(
    State(state): State<ResolutionAgent>,
    caller: Caller<need::WithAgent<need::ManageOrganization>>,
    Path(name): Path<PathName<Connection>>,
) -> Result<Json<ConnectionTested>, Problem<ConcurrentChange>> {
    let (name, connections) = (name.known()?, state.app.store.connections());
    let connection = connections.to_test(caller.permit(), &name).await?;
    Ok(Json(tested(&state.targets, &connection).await))
}

async fn tested(targets: &Targets, connection: &Connection) -> ConnectionTested {
    let since = Stopwatch::start();
    let answered = match connection.tested_path() {
        Some(path) => {
            let call = ApiCall::get(path);
            let sending = Sending {
                key: None,
                timeout: PATIENCE,
            };
            let answered = targets.send(connection, &call, sending).await;
            answered.map(|answered| answered.response.status().as_u16())
        }
        None => Err(NoAnswer::Unsendable(
            "The connection allows no GET that can be tested: send a `testPath`.".to_owned(),
        )),
    };
    let duration = since.elapsed().as_millis();
    let (status, problem) = match answered {
        Ok(status) => (Some(status), None),
        Err(none) => (None, Some(none.problem())),
    };
    ConnectionTested {
        reachable: status.is_some(),
        status,
        duration_ms: u64::try_from(duration).unwrap_or(u64::MAX),
        problem,
    }
}
