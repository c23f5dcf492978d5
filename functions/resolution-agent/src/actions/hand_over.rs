//! `POST /api/concierge/agent-sessions/{id}/actions/{actionId}/hand-over`

use shared::{
    agent::session::ActionHandOver,
    endpoint::*,
    http::refusal::{ActionAutomated, AlreadyHandled, ProposalSuperseded, SessionExpired},
    model::base::WithDetail,
};

use crate::{actions::OfSession, sessions::view::AgentSessionView};

type Refused = (
    ActionAutomated,
    AlreadyHandled,
    ProposalSuperseded,
    SessionExpired,
    InvalidTransition,
    ConcurrentChange,
);

/// Hands over a manual action by creating a service request for it.
///
/// The service request is assigned to `assigneeId` and refers back to the action. Once it is
/// resolved or closed, the action is done. Until then the session does not expire.
#[utoipa::path(
    post,
    path = "/api/concierge/agent-sessions/{id}/actions/{actionId}/hand-over"
)]
pub async fn hand_over_agent_action(
    caller: Caller<need::WithAgent<need::CreateAgentRemediation>, WithDetail>,
    Path((id, action)): OfSession,
    Body(input): Body<ActionHandOver>,
) -> Result<Single<AgentSessionView>, Problem<Refused>> {
    let (id, action, by) = (id.known()?, action.known()?, caller.user_id());
    let agent = caller.app.store.agent();
    let handed_over = agent.hand_over(caller.write(), id, &action, by, &input);
    let session = handed_over.await?;
    let identity = caller.identity().await?;
    let reader = (&*identity, caller.query.is_full());
    Ok(Single(
        AgentSessionView::read(&caller.app, &session, reader).await?,
    ))
}
