//! `POST /api/concierge/agent-sessions/{id}/actions/{actionId}/hand-over`

use shared::agent::session::ActionHandOver;
use shared::endpoint::*;

use super::OfSession;
use crate::sessions::view::AgentSessionView;

/// Hands over a manual action by creating a service request for it.
///
/// The service request is assigned to `assigneeId` and refers back to the action. Once it is
/// resolved or closed, the action is done. Until then the session does not expire.
#[utoipa::path(
    post,
    path = "/api/concierge/agent-sessions/{id}/actions/{actionId}/hand-over"
)]
pub async fn hand_over_agent_action(
    State(app): State<App>,
    caller: Caller<need::WithAgent<need::CreateAgentRemediation>>,
    Path((id, action)): OfSession,
    Body(input): Body<ActionHandOver>,
) -> Result<
    Single<AgentSessionView>,
    Problem<(
        ActionAutomated,
        AlreadyHandled,
        ProposalSuperseded,
        SessionExpired,
        InvalidTransition,
        ConcurrentChange,
    )>,
> {
    let (id, action, by) = (id.known()?, action.known()?, caller.user_id());
    let agent = app.store.agent();
    let handed_over = agent.hand_over(caller.pending_write(), id, &action, by, &input);
    let session = handed_over.await?;
    Ok(Single(AgentSessionView::read(&app, &session).await?))
}
