//! `POST /api/concierge/alerts/{id}/agent-session`

use shared::endpoint::*;
use shared::model::AlertId;

use super::view::AgentSessionOpened;

/// Opens an agent session on an alert, or returns the open one.
///
/// A session is open until it is `completed`, `failed`, `cancelled` or `expired`.
#[utoipa::path(post, path = "/api/concierge/alerts/{id}/agent-session")]
pub async fn open_agent_session(
    State(app): State<App>,
    caller: Caller<need::WithAgent<need::CreateAgentRemediation>>,
    Path(alert): Path<PathId<AlertId>>,
) -> Result<Json<AgentSessionOpened>, Problem<ConcurrentChange>> {
    let agent = app.store.agent();
    let session = agent
        .open(caller.pending_write(), alert.known()?, caller.user_id())
        .await?;
    Ok(Json(AgentSessionOpened::of(&session, app.clock.now())))
}
