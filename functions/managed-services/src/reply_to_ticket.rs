//! `POST /api/managed-services/ticket/{ticketId}/reply`

use shared::{
    endpoint::*,
    http::{DoneAt, refusal::TicketClosed},
    model::{base::TicketId, work::TicketReply},
};

/// Adds a message to a ticket.
///
/// A `pending` or `resolved` ticket becomes `open`, unless the message is an internal note. 409
/// `ticket_closed` if it is closed. `Location` names the ticket and the message.
#[utoipa::path(post, path = "/api/managed-services/ticket/{ticketId}/reply")]
pub async fn reply_to_ticket(
    caller: Caller<need::ReplyTicket>,
    Path(id): Path<PathId<TicketId>>,
    Body(reply): Body<TicketReply>,
) -> Result<DoneAt, Problem<(TicketClosed, ConcurrentChange)>> {
    let tickets = caller.app.store.tickets();
    let id = id.known()?;
    let replied = tickets.reply(caller.write(), id, caller.user_id(), reply);
    let message = replied.await?;
    let ticket = format!("/api/managed-services/ticket/{id}");
    Ok(DoneAt(format!("{ticket}#message-{message}")))
}
