//! `GET /api/concierge/connections`

use shared::{
    endpoint::*,
    model::base::{ConnectionSort, Listing},
};

use crate::connections::view::ConnectionView;

/// Lists the connections of the caller's organization by name.
#[utoipa::path(get, path = "/api/concierge/connections")]
pub async fn list_connections(
    caller: Caller<need::ViewAgentRemediation, Listing<(), ConnectionSort>>,
) -> Result<List<ConnectionView>, Problem> {
    let pages = caller.pages()?;
    let connections = caller.app.store.connections();
    let page = connections
        .list(caller.tenant(), &pages.wanted)
        .await?;
    Ok(pages.answer(page, ConnectionView::of)?)
}
