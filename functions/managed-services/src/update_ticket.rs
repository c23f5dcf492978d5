//! `PATCH /api/managed-services/ticket/{ticketId}`

use shared::{
    endpoint::*,
    http::refusal::CustomerArchived,
    model::{base::TicketId, work::TicketUpdate},
    store::work::TaggedTicket,
};

/// Updates a ticket.
///
/// A closed one stays closed: another status is 409 `invalid_transition`. A new customer that is
/// archived is 409 `customer_archived`.
#[utoipa::path(patch, path = "/api/managed-services/ticket/{ticketId}")]
pub async fn update_ticket(
    caller: Caller<need::ManageTickets>,
    Path(id): Path<PathId<TicketId>>,
    Body(update): Body<TicketUpdate>,
) -> Result<Single<TaggedTicket>, Problem<(InvalidTransition, ConcurrentChange, CustomerArchived)>>
{
    let tickets = caller.app.store.tickets();
    let ticket = tickets.update(caller.write(), id.known()?, update);
    Ok(Single(ticket.await?))
}
