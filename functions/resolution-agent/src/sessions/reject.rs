//! `POST /api/concierge/agent-sessions/{id}/reject`

use shared::agent::session::SessionReject;
use shared::endpoint::*;
use shared::model::AgentSessionId;

use super::view::AgentSessionView;

/// Rejects the proposal of a session, which becomes `cancelled`.
///
/// `rejection` of the session names the user and the reason. 409 `invalid_transition` unless the
/// session is `awaiting_confirmation`.
#[utoipa::path(post, path = "/api/concierge/agent-sessions/{id}/reject")]
pub async fn reject_agent_actions(
    State(app): State<App>,
    caller: Caller<need::ToBrake<need::ExecuteAgentRemediation>>,
    Path(id): Path<PathId<AgentSessionId>>,
    Body(input): Body<SessionReject>,
) -> Result<Single<AgentSessionView>, Problem<(InvalidTransition, ConcurrentChange)>> {
    let agent = app.store.agent();
    let (id, by) = (id.known()?, caller.user_id());
    let session = agent
        .reject(caller.pending_write(), id, by, &input.reason)
        .await?;
    Ok(Single(AgentSessionView::read(&app, &session).await?))
}
