//! `GET /api/concierge/agent-sessions/{id}/journal`

use shared::endpoint::*;
use shared::model::{AgentSessionId, JournalSort};

use super::view::JournalEntryView;

/// Lists the journal of a session, oldest entry first.
///
/// Each entry holds the hash of the entry before it in its chain.
#[utoipa::path(get, path = "/api/concierge/agent-sessions/{id}/journal")]
pub async fn list_agent_session_journal(
    State(app): State<App>,
    caller: Caller<need::ViewAgentRemediation, Listing<(), JournalSort>>,
    Path(id): Path<PathId<AgentSessionId>>,
) -> Result<List<JournalEntryView>, Problem> {
    let (id, pages) = (id.known()?, caller.pages(&app)?);
    let agent = app.store.agent();
    let page = agent.journal(caller.tenant(), id, &pages.wanted).await?;
    Ok(pages.answer(page, |entry| JournalEntryView::from(entry.record))?)
}
