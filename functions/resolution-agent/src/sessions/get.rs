//! `GET /api/concierge/agent-sessions/{id}`

use shared::endpoint::*;
use shared::model::AgentSessionId;

use super::view::AgentSessionView;

/// Returns an agent session with its analysis, actions and results.
#[utoipa::path(get, path = "/api/concierge/agent-sessions/{id}")]
pub async fn get_agent_session(
    State(app): State<App>,
    caller: Caller<need::ViewAgentRemediation>,
    Path(id): Path<PathId<AgentSessionId>>,
) -> Result<Single<AgentSessionView>, Problem> {
    let agent = app.store.agent();
    let session = agent.get(caller.tenant(), id.known()?).await?;
    Ok(Single(AgentSessionView::read(&app, &session).await?))
}
