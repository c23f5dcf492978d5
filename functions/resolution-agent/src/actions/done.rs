//! `POST /api/concierge/agent-sessions/{id}/actions/{actionId}/done`

use axum::extract::State;
use shared::{
    App, Problem,
    agent::ActionDone,
    auth::{Caller, need},
    http::{Body, Path, Single},
    store::ByHand,
};

use super::{NotHandled, OfSession};
use crate::sessions::view::AgentSessionView;

/// Marks a manual action as done.
///
/// A session whose actions are all manual completes when each is done or waived.
#[utoipa::path(
    post,
    path = "/api/concierge/agent-sessions/{id}/actions/{actionId}/done",
    operation_id = "markAgentActionDone"
)]
pub async fn done(
    State(app): State<App>,
    caller: Caller<need::WithAgent<need::InSession<need::CreateAgentRemediation>>>,
    Path((id, action)): OfSession,
    Body(input): Body<ActionDone>,
) -> Result<Single<AgentSessionView>, Problem<NotHandled>> {
    let (id, action, by) = (id.known()?, action.known()?, caller.user_id());
    let agent = app.store.agent();
    let said = ByHand::Done(&input.note);
    let session = agent
        .handle(caller.pending_write(), id, &action, by, said)
        .await?;
    Ok(Single(AgentSessionView::of(&session, app.clock.now())))
}
