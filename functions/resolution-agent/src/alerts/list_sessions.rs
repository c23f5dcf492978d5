//! `GET /api/concierge/alerts/{id}/agent-sessions`

use shared::endpoint::*;
use shared::model::{AgentSessionSort, AlertId};

use crate::sessions::row::AgentSessionRow;

/// Lists the agent sessions on an alert, newest first.
#[utoipa::path(get, path = "/api/concierge/alerts/{id}/agent-sessions")]
pub async fn list_agent_sessions_of_alert(
    State(app): State<App>,
    caller: Caller<need::ViewAgentRemediation, Listing<(), AgentSessionSort>>,
    Path(alert): Path<PathId<AlertId>>,
) -> Result<List<AgentSessionRow>, Problem> {
    let pages = caller.pages(&app)?;
    let agent = app.store.agent();
    let page = agent
        .of_alert(caller.tenant(), alert.known()?, &pages.wanted)
        .await?;
    let (identity, now) = (caller.identity().await?, app.clock.now());
    Ok(pages.answer(page, |row| AgentSessionRow::of(row, &identity, now))?)
}
