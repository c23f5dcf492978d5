//! `POST /api/concierge/agent-sessions/{id}/actions/{actionId}/waive`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{
        Body, Path, PathId, Single,
        refusal::{
            ActionAutomated, AlreadyHandled, ConcurrentChange, InvalidTransition,
            ProposalSuperseded, SessionExpired,
        },
    },
    model::{ActionWaive, AgentSessionId},
    store::ByHand,
};

use super::name::ActionName;
use crate::sessions::view::AgentSessionView;

/// Waives a manual action: nobody has to do it, and `handling` says who decided so and why.
#[utoipa::path(
    post,
    path = "/api/concierge/agent-sessions/{id}/actions/{actionId}/waive",
    operation_id = "waiveAgentAction"
)]
pub async fn waive(
    State(app): State<App>,
    caller: Caller<need::WithAgent<need::ExecuteAgentRemediation>>,
    Path((id, action)): Path<(PathId<AgentSessionId>, ActionName)>,
    Body(input): Body<ActionWaive>,
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
    let said = ByHand::Waived(&input.reason);
    let session = agent.handle(caller.permit(), id, &action, by, said).await?;
    Ok(Single(AgentSessionView::of(&session, app.clock.now())))
}
