//! `DELETE /api/managed-services/ticket/{ticketId}/messages/{messageId}`

use shared::{
    endpoint::*,
    http::refusal::MessageFinal,
    model::base::{TicketId, TicketMessageId},
};

/// Deletes the caller's own message of a ticket.
///
/// The message stays in the ticket, with empty `content` and a `deletedAt`. Only its author may,
/// within five minutes, while no reply follows it: else 409 `message_final`. An internal note is no
/// reply. Mails and notifications with the text are not called back.
#[utoipa::path(
    delete,
    path = "/api/managed-services/ticket/{ticketId}/messages/{messageId}"
)]
pub async fn delete_ticket_message(
    caller: Caller<need::ReplyTicket>,
    Path((ticket, message)): Path<(PathId<TicketId>, PathId<TicketMessageId>)>,
) -> Result<NoContent, Problem<(MessageFinal, ConcurrentChange)>> {
    let tickets = caller.app.store.tickets();
    let place = (ticket.known()?, message.known()?);
    tickets
        .delete_message(caller.write(), place, caller.user_id())
        .await?;
    Ok(NoContent)
}
