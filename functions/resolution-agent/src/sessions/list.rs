//! `GET /api/concierge/agent-sessions`

use shared::{
    agent::session::{AgentSessionFilter, NextFilter},
    endpoint::*,
    model::base::{AgentSessionSort, Listing},
};

use crate::sessions::row::AgentSessionRow;

/// Lists the agent sessions of the caller's organization, newest first.
///
/// `status=awaiting_confirmation` lists the proposals that wait for approval. `open=true` lists
/// every session with open work, whatever its status. `next=me` lists those on which the caller can
/// take the next step now.
#[utoipa::path(get, path = "/api/concierge/agent-sessions")]
pub async fn list_agent_sessions(
    caller: Caller<need::ViewAgentRemediation, Listing<AgentSessionFilter, AgentSessionSort>>,
) -> Result<List<AgentSessionRow>, Problem> {
    let pages = caller.pages()?;
    let tenant = caller.tenant();
    let user = caller.user_id();
    let filter = &caller.query.filter;
    let agent = caller.app.store.agent();
    let page = agent
        .list(tenant, user, filter, &pages.wanted)
        .await?;
    let (identity, now) = (caller.identity().await?, caller.app.clock.now());
    let rows = page.filter_map(|row| match filter.next {
        Some(NextFilter::Me) => AgentSessionRow::of_callers(row, &identity, now),
        None => Some(AgentSessionRow::of(row, &identity, now)),
    });
    Ok(pages.answer(rows, |row| row)?)
}
