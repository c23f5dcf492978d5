//! `PATCH /api/managed-services/ticket/{ticketId}`

use shared::{
    endpoint::*,
    model::{base::TicketId, work::TicketUpdate},
    store::work::TaggedTicket,
};

/// Updates a ticket.
///
/// A closed one stays closed: another status is 409 `invalid_transition`.
#[utoipa::path(patch, path = "/api/managed-services/ticket/{ticketId}")]
pub async fn update_ticket(
    caller: Caller<need::ManageTickets>,
    Path(id): Path<PathId<TicketId>>,
    Body(update): Body<TicketUpdate>,
) -> Result<Single<TaggedTicket>, Problem<(InvalidTransition, ConcurrentChange)>> {
    let tickets = caller.app.store.tickets();
    let ticket = tickets.update(caller.write(), id.known()?, update);
    Ok(Single(ticket.await?))
}
