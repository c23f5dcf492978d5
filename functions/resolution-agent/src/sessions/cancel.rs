//! `POST /api/concierge/agent-sessions/{id}/cancel`

use axum::{Json, extract::State};
use serde::Serialize;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{
        Path, PathId,
        refusal::{ConcurrentChange, InvalidTransition},
    },
    model::{AgentSessionId, AgentSessionStatus},
    telemetry::{self, Metric},
};
use utoipa::ToSchema;

/// What became of it.
#[derive(Debug, Serialize, ToSchema)]
pub struct AgentSessionCancelled {
    message: &'static str,
}

/// Cancels a session: what runs ends and is recorded, and nothing new starts.
#[utoipa::path(
    post,
    path = "/api/concierge/agent-sessions/{id}/cancel",
    operation_id = "cancelAgentSession"
)]
pub async fn cancel(
    State(app): State<App>,
    caller: Caller<need::CreateAgentRemediation>,
    Path(id): Path<PathId<AgentSessionId>>,
) -> Result<Json<AgentSessionCancelled>, Problem<(InvalidTransition, ConcurrentChange)>> {
    let agent = app.store.agent();
    let (session, outcomes) = agent.cancel(caller.permit(), id.known()?).await?;
    for outcome in outcomes {
        telemetry::count(Metric::Action(outcome.name()), app.clock.now());
    }
    let message = if session.status == AgentSessionStatus::Cancelling {
        "The session is being cancelled: what already runs ends and is recorded, and nothing new \
         starts."
    } else {
        "The session is cancelled."
    };
    Ok(Json(AgentSessionCancelled { message }))
}
