//! `POST /api/concierge/agent-sessions/{id}/reject`

use shared::{
    agent::session::SessionReject,
    endpoint::*,
    model::base::{AgentSessionId, WithDetail},
};

use crate::sessions::view::AgentSessionView;

/// Rejects the proposal of a session, which becomes `cancelled`.
///
/// `rejection` of the session names the user and the reason. 409 `invalid_transition` unless the
/// session is `awaiting_confirmation`.
#[utoipa::path(post, path = "/api/concierge/agent-sessions/{id}/reject")]
pub async fn reject_agent_actions(
    caller: Caller<need::ToBrake<need::ExecuteAgentRemediation>, WithDetail>,
    Path(id): Path<PathId<AgentSessionId>>,
    Body(input): Body<SessionReject>,
) -> Result<Single<AgentSessionView>, Problem<(InvalidTransition, ConcurrentChange)>> {
    let agent = caller.app.store.agent();
    let (id, by) = (id.known()?, caller.user_id());
    let session = agent
        .reject(caller.write(), id, by, &input.reason)
        .await?;
    let identity = caller.identity().await?;
    let reader = (&*identity, caller.query.is_full());
    Ok(Single(
        AgentSessionView::read(&caller.app, &session, reader).await?,
    ))
}
