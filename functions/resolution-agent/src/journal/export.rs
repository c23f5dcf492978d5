//! `GET /api/concierge/journal`

use shared::{
    agent::journal::JournalPeriod,
    endpoint::*,
    http::Lines,
    model::base::{JournalSort, Listing},
};

use crate::journal::view::JournalEntryView;

/// Exports the journal entries of a period as NDJSON, oldest first.
///
/// Each line has one entry. The entries of all sessions of the organization are included. The
/// organization's own journal has the changes of users, policy and connections: `GET /api/journal`.
#[utoipa::path(get, path = "/api/concierge/journal")]
pub async fn export_agent_journal(
    caller: Caller<need::ViewAgentRemediation, Listing<JournalPeriod, JournalSort>>,
) -> Result<Lines<JournalEntryView>, Problem> {
    let pages = caller.pages()?;
    let agent = caller.app.store.agent();
    let period = &caller.query.filter;
    let page = agent.journals(caller.tenant(), period, &pages.wanted);
    Ok(pages.lines(page.await?, JournalEntryView::of)?)
}
