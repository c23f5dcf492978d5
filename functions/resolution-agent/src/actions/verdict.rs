//! `POST /api/concierge/agent-sessions/{id}/actions/{actionId}/verdict`

use axum::extract::State;
use shared::{
    Problem,
    agent::{ActionVerdict, Verdict},
    auth::{Caller, need},
    http::{
        Body, Path, Single,
        refusal::{ConcurrentChange, InvalidTransition, OutcomeKnown, ProposalSuperseded},
    },
};

use super::OfSession;
use crate::{ResolutionAgent, messages::send, sessions::view::AgentSessionView};

/// Settles an action whose outcome is unknown.
///
/// The caller has checked the target system: `done` records a success, `not_done` a failure that
/// may be executed again. A failed session completes once every approved action has succeeded. The
/// same verdict by the same user changes nothing; any other is 409 `outcome_known`.
#[utoipa::path(
    post,
    path = "/api/concierge/agent-sessions/{id}/actions/{actionId}/verdict",
    operation_id = "judgeAgentAction"
)]
pub async fn verdict(
    State(state): State<ResolutionAgent>,
    caller: Caller<need::WithAgent<need::InSession<need::ExecuteAgentRemediation>>>,
    Path((id, action)): OfSession,
    Body(input): Body<ActionVerdict>,
) -> Result<
    Single<AgentSessionView>,
    Problem<(
        OutcomeKnown,
        ProposalSuperseded,
        InvalidTransition,
        ConcurrentChange,
    )>,
> {
    let (id, action) = (id.known()?, action.known()?);
    let verdict = Verdict {
        outcome: input.outcome,
        by: caller.user_id(),
        at: state.app.clock.now(),
        note: input.note.into(),
    };
    let agent = state.app.store.agent();
    let session = agent
        .judge(caller.pending_write(), id, &action, &verdict)
        .await?;
    let message = session.session.alert_check_message(state.app.clock.now());
    send(&state.queue, message.as_slice()).await;
    Ok(Single(AgentSessionView::of(
        &session,
        state.app.clock.now(),
    )))
}
