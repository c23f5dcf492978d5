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
    let identity = caller.identity().await?;
    let view = AgentSessionView::read_by(&caller.app, &session, &identity);
    Ok(Single(view.await?))
}
