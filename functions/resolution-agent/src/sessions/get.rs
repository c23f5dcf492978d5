//! `GET /api/concierge/agent-sessions/{id}`

use shared::{
    endpoint::*,
    model::base::{AgentSessionId, WithDetail},
};

use crate::sessions::view::AgentSessionView;

/// Returns an agent session with its analysis, actions and results.
#[utoipa::path(get, path = "/api/concierge/agent-sessions/{id}")]
pub async fn get_agent_session(
    caller: Caller<need::ViewAgentRemediation, WithDetail>,
    Path(id): Path<PathId<AgentSessionId>>,
) -> Result<Single<AgentSessionView>, Problem> {
    let agent = caller.app.store.agent();
    let session = agent
        .get(caller.tenant(), id.known()?)
        .await?;
    let identity = caller.identity().await?;
    let reader = (&*identity, caller.query.is_full());
    Ok(Single(
        AgentSessionView::read(&caller.app, &session, reader).await?,
    ))
}
