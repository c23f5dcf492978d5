//! `GET /api/concierge/agent-sessions/{id}/journal`

use shared::{
    endpoint::*,
    model::base::{AgentSessionId, JournalSort, Listing},
};

use crate::journal::view::JournalEntryView;

/// Lists the journal of a session, oldest entry first.
///
/// Each entry holds the hash of the entry before it in its chain.
#[utoipa::path(get, path = "/api/concierge/agent-sessions/{id}/journal")]
pub async fn list_agent_session_journal(
    caller: Caller<need::ViewAgentRemediation, Listing<(), JournalSort>>,
    Path(id): Path<PathId<AgentSessionId>>,
) -> Result<List<JournalEntryView>, Problem> {
    let (id, pages) = (id.known()?, caller.pages()?);
    let agent = caller.app.store.agent();
    let page = agent
        .journal(caller.tenant(), id, &pages.wanted)
        .await?;
    Ok(pages.answer(page, JournalEntryView::of)?)
}
