//! `GET /api/concierge/agent-sessions`

use axum::extract::State;
use shared::{
    App, Problem,
    agent::AgentSessionFilter,
    auth::{Caller, need},
    http::List,
    model::{AgentSessionSort, Listing},
};

use super::row::AgentSessionRow;

/// Lists the agent sessions of the caller's organization, newest first.
///
/// `status=awaiting_confirmation` lists the proposals that wait for approval.
#[utoipa::path(
    get,
    path = "/api/concierge/agent-sessions",
    operation_id = "listAgentSessions"
)]
pub async fn list(
    State(app): State<App>,
    caller: Caller<need::ViewAgentRemediation, Listing<AgentSessionFilter, AgentSessionSort>>,
) -> Result<List<AgentSessionRow>, Problem> {
    let pages = caller.pages(&app)?;
    let (tenant, user) = (caller.tenant(), caller.user_id());
    let filter = &caller.query.filter;
    let agent = app.store.agent();
    let page = agent.list(tenant, user, filter, &pages.wanted).await?;
    let now = app.clock.now();
    Ok(pages.answer(page, |row| AgentSessionRow::of(row, now))?)
}
