//! `GET /api/managed-services/tickets`

use shared::endpoint::*;
use shared::model::{TicketFilter, TicketSort};
use shared::store::JoinedTicket;

/// Lists the tickets of the caller's organization.
///
/// The newest come first unless `sort` says otherwise.
#[utoipa::path(get, path = "/api/managed-services/tickets")]
pub async fn list_tickets(
    State(app): State<App>,
    caller: Caller<need::ViewManagedServices, Listing<TicketFilter, TicketSort>>,
) -> Result<List<JoinedTicket>, Problem> {
    let pages = caller.pages(&app)?;
    let Listing { filter, sort, .. } = &caller.query;
    let (tenant, user) = (caller.tenant(), caller.user_id());
    let tickets = app.store.tickets();
    let page = tickets.list(tenant, user, filter, *sort, &pages.wanted);
    Ok(pages.answer(page.await?, |ticket| ticket)?)
}
