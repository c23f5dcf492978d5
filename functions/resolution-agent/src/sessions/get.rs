//! `GET /api/concierge/agent-sessions/{id}`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Path, PathId, Single},
    model::AgentSessionId,
};

use super::view::AgentSessionView;

/// Returns an agent session with its analysis, actions and results.
#[utoipa::path(
    get,
    path = "/api/concierge/agent-sessions/{id}",
    operation_id = "getAgentSession"
)]
pub async fn get(
    State(app): State<App>,
    caller: Caller<need::ViewAgentRemediation>,
    Path(id): Path<PathId<AgentSessionId>>,
) -> Result<Single<AgentSessionView>, Problem> {
    let agent = app.store.agent();
    let session = agent.get(caller.tenant(), id.known()?).await?;
    Ok(Single(AgentSessionView::read(&app, &session).await?))
}
