//! `POST /api/concierge/agent-sessions/{id}/actions/{actionId}/waive`

use axum::extract::State;
use shared::{
    App, Problem,
    agent::ActionWaive,
    auth::{Caller, need},
    http::{Body, Path, Single},
    store::ByHand,
};

use super::{NotHandled, OfSession};
use crate::sessions::view::AgentSessionView;

/// Waives a manual action: it need not be done.
///
/// `handling` of the action names the user and the reason. A session whose actions are all manual
/// completes when each is done or waived.
#[utoipa::path(
    post,
    path = "/api/concierge/agent-sessions/{id}/actions/{actionId}/waive",
    operation_id = "waiveAgentAction"
)]
pub async fn waive(
    State(app): State<App>,
    caller: Caller<need::WithAgent<need::InSession<need::ExecuteAgentRemediation>>>,
    Path((id, action)): OfSession,
    Body(input): Body<ActionWaive>,
) -> Result<Single<AgentSessionView>, Problem<NotHandled>> {
    let (id, action, by) = (id.known()?, action.known()?, caller.user_id());
    let agent = app.store.agent();
    let said = ByHand::Waived(&input.reason);
    let session = agent
        .handle(caller.pending_write(), id, &action, by, said)
        .await?;
    Ok(Single(AgentSessionView::of(&session, app.clock.now())))
}
