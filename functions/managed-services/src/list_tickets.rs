//! `GET /api/managed-services/tickets`

use shared::{
    endpoint::*,
    model::work::{TicketFilter, TicketSort},
    store::work::JoinedTicket,
};

/// Lists the tickets of the caller's organization.
///
/// The newest come first unless `sort` says otherwise.
#[utoipa::path(get, path = "/api/managed-services/tickets")]
pub async fn list_tickets(
    caller: Caller<need::ViewManagedServices, Listing<TicketFilter, TicketSort>>,
) -> Result<List<JoinedTicket>, Problem> {
    let pages = caller.pages()?;
    let Listing { filter, sort, .. } = &caller.query;
    let reader = caller.reader();
    let user = caller.user_id();
    let tickets = caller.app.store.tickets();
    let page = tickets.list(&reader, user, filter, *sort, &pages.wanted);
    Ok(pages.answer(page.await?, |ticket| ticket)?)
}
