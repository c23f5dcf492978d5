//! `POST /api/concierge/agent-sessions/{id}/actions/{actionId}/settle`

use axum::extract::State;
use shared::{
    agent::session::ActionSettle,
    endpoint::*,
    http::refusal::{AlreadyHandled, OutcomeKnown, ProposalSuperseded, SessionExpired, UnderWay},
    model::base::WithDetail,
};

use crate::{ResolutionAgent, actions::OfSession, sessions::view::AgentSessionView};

type Refused = (
    OutcomeKnown,
    UnderWay,
    AlreadyHandled,
    ProposalSuperseded,
    SessionExpired,
    InvalidTransition,
    (ConcurrentChange, SignInAgain),
);

/// Settles an action: the caller says what became of it.
///
/// An automated action takes `done` or `not_done` while its outcome is unknown; `not_done` may be
/// executed again. While its call is under way or a check is due, `not_done` is 409 `under_way`. A
/// manual action takes `done` or `waived`. The same outcome by the same user changes nothing; any
/// other is 409 `outcome_known` or `already_handled`.
///
/// The session ends with the last outcome that was open. A session of manual actions
/// completes when each is done or waived.
#[utoipa::path(
    post,
    path = "/api/concierge/agent-sessions/{id}/actions/{actionId}/settle"
)]
pub async fn settle_agent_action(
    State(state): State<ResolutionAgent>,
    caller: Caller<need::WithAgent<need::InSession<need::ExecuteAgentRemediation>>, WithDetail>,
    Path((id, action)): OfSession,
    Body(input): Body<ActionSettle>,
) -> Result<Single<AgentSessionView>, Problem<Refused>> {
    let (id, action) = (id.known()?, action.known()?);
    let agent = state.app.store.agent();
    let by = caller.user_id();
    let settled = agent.settle_action(caller.write(), id, &action, by, &input);
    let session = settled.await?;
    let message = session
        .session
        .alert_check_message(state.app.clock.now());
    state
        .queue
        .try_send(message.as_slice())
        .await;
    let identity = caller.identity().await?;
    let reader = (&*identity, caller.query.is_full());
    Ok(Single(
        AgentSessionView::read(&state.app, &session, reader).await?,
    ))
}
