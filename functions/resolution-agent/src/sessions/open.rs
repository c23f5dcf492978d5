//! `POST /api/concierge/alerts/{id}/agent-session`

use axum::Json;
use shared::{endpoint::*, model::base::AlertId};

use crate::sessions::view::{AgentSessionOpened, AgentSessionSummary};

/// Opens an agent session on an alert, or returns the open one.
///
/// A session is open until it is `completed`, `failed`, `cancelled` or `expired`.
#[utoipa::path(post, path = "/api/concierge/alerts/{id}/agent-session")]
pub async fn open_agent_session(
    caller: Caller<need::WithAgent<need::CreateAgentRemediation>>,
    Path(alert): Path<PathId<AlertId>>,
) -> Result<Json<AgentSessionOpened>, Problem<ConcurrentChange>> {
    let agent = caller.app.store.agent();
    let user = caller.user_id();
    let session = agent
        .open(caller.write(), alert.known()?, user)
        .await?;
    let summary = AgentSessionSummary::of(&session, caller.app.clock.now());
    Ok(Json(AgentSessionOpened { session: summary }))
}
