//! `GET /api/concierge/agent-sessions/{id}`

use crate::prelude::*;

/// Returns an agent session with its analysis, actions and results.
#[utoipa::path(get, path = "/api/concierge/agent-sessions/{id}")]
pub async fn get_agent_session(
    caller: Caller<need::ViewAgentRemediation>,
    Path(id): Path<PathId<AgentSessionId>>,
) -> Result<Single<AgentSessionView>, Problem> {
    let agent = caller.app.store.agent();
    let session = agent.get(caller.tenant(), id.known()?).await?;
    Ok(Single(AgentSessionView::read(&caller.app, &session).await?))
}
