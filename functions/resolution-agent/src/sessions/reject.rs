//! `POST /api/concierge/agent-sessions/{id}/reject`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{
        Body, Path, PathId, Single,
        refusal::{ConcurrentChange, InvalidTransition},
    },
    model::{AgentSessionId, SessionReject},
};

use super::view::AgentSessionView;

/// Rejects what a session proposes, which ends it as `cancelled`: `rejection` says who did and why.
#[utoipa::path(
    post,
    path = "/api/concierge/agent-sessions/{id}/reject",
    operation_id = "rejectAgentActions"
)]
pub async fn reject(
    State(app): State<App>,
    caller: Caller<need::ExecuteAgentRemediation>,
    Path(id): Path<PathId<AgentSessionId>>,
    Body(input): Body<SessionReject>,
) -> Result<Single<AgentSessionView>, Problem<(InvalidTransition, ConcurrentChange)>> {
    let agent = app.store.agent();
    let (id, by) = (id.known()?, caller.user_id());
    let session = agent.reject(caller.permit(), id, by, &input.reason).await?;
    Ok(Single(AgentSessionView::of(&session, app.clock.now())))
}
