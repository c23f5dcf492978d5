//! `GET /api/concierge/alerts/{id}/agent-sessions`

use shared::{
    endpoint::*,
    model::base::{AgentSessionSort, AlertId, Listing},
};

use crate::sessions::row::AgentSessionRow;

/// Lists the agent sessions on an alert, newest first.
#[utoipa::path(get, path = "/api/concierge/alerts/{id}/agent-sessions")]
pub async fn list_agent_sessions_of_alert(
    caller: Caller<need::ViewAgentRemediation, Listing<(), AgentSessionSort>>,
    Path(alert): Path<PathId<AlertId>>,
) -> Result<List<AgentSessionRow>, Problem> {
    let agent = caller.app.store.agent();
    let pages = caller.pages()?;
    let sessions = agent.of_alert(caller.tenant(), alert.known()?, &pages.wanted);
    let page = sessions.await?;
    let (identity, now) = (caller.identity().await?, caller.app.clock.now());
    Ok(pages.answer(page, |row| AgentSessionRow::of(row, &identity, now))?)
}
