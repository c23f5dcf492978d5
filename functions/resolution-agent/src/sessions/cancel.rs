//! `POST /api/concierge/agent-sessions/{id}/cancel`

use shared::{
    agent::session::AgentSessionStatus,
    endpoint::*,
    model::base::AgentSessionId,
    runtime::telemetry::{self, Metric},
};

/// The result of a cancellation.
#[derive(Debug, Serialize, ToSchema)]
pub struct AgentSessionCancelled {
    message: &'static str,
}

/// Cancels a session.
///
/// Queued actions are skipped. Running actions end and are recorded. 409 `invalid_transition` if
/// the session has ended otherwise.
#[utoipa::path(post, path = "/api/concierge/agent-sessions/{id}/cancel")]
pub async fn cancel_agent_session(
    caller: Caller<need::CreateAgentRemediation>,
    Path(id): Path<PathId<AgentSessionId>>,
) -> Result<Json<AgentSessionCancelled>, Problem<(InvalidTransition, ConcurrentChange)>> {
    let agent = caller.app.store.agent();
    let (session, outcomes) = agent
        .cancel(caller.write(), id.known()?)
        .await?;
    for outcome in outcomes {
        telemetry::count(Metric::Action(outcome.name()), caller.app.clock.now());
    }
    let message = if session.status == AgentSessionStatus::Cancelling {
        "The session is being cancelled: running actions end and are recorded, and no other action \
         starts."
    } else {
        "The session is cancelled."
    };
    Ok(Json(AgentSessionCancelled { message }))
}
