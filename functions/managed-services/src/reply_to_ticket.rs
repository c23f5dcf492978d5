//! `POST /api/managed-services/ticket/{ticketId}/reply`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{
        Body, DoneAt, Path, PathId,
        refusal::{ConcurrentChange, TicketClosed},
    },
    model::{TicketId, TicketReply},
};

/// Adds a message to a ticket.
///
/// A `pending` or `resolved` ticket becomes `open`, unless the message is an internal note. 409
/// `ticket_closed` if it is closed. `Location` names the ticket and the message.
#[utoipa::path(
    post,
    path = "/api/managed-services/ticket/{ticketId}/reply",
    operation_id = "replyToTicket"
)]
pub async fn reply_to_ticket(
    State(app): State<App>,
    caller: Caller<need::ReplyTicket>,
    Path(id): Path<PathId<TicketId>>,
    Body(reply): Body<TicketReply>,
) -> Result<DoneAt, Problem<(TicketClosed, ConcurrentChange)>> {
    let (tickets, id) = (app.store.tickets(), id.known()?);
    let message = tickets.reply(caller.pending_write(), id, caller.user_id(), reply);
    let message = message.await?;
    Ok(DoneAt(format!(
        "/api/managed-services/ticket/{id}#message-{message}"
    )))
}
