//! `GET /api/concierge/agent-sessions/{id}/journal/check`

use shared::{agent::session::JournalCheck, endpoint::*, model::base::AgentSessionId};

/// Checks that the journal of a session is complete and unchanged.
///
/// Names, for each chain, the first entry that was changed or is missing.
#[utoipa::path(get, path = "/api/concierge/agent-sessions/{id}/journal/check")]
pub async fn check_agent_session_journal(
    caller: Caller<need::ViewAgentRemediation>,
    Path(id): Path<PathId<AgentSessionId>>,
) -> Result<Json<JournalCheck>, Problem> {
    let agent = caller.app.store.agent();
    let check = agent
        .check_journal(caller.tenant(), id.known()?)
        .await?;
    Ok(Json(check))
}
