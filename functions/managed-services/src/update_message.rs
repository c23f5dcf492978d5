//! `PATCH /api/managed-services/ticket/{ticketId}/messages/{messageId}`

use shared::{
    endpoint::*,
    http::refusal::MessageFinal,
    model::{
        base::{TicketId, TicketMessageId},
        work::TicketMessageUpdate,
    },
    store::work::MessageFrom,
};

/// Changes the text of the caller's own message of a ticket.
///
/// Only its author may, within five minutes, while no reply follows it: else 409 `message_final`.
/// An internal note is no reply. Mails and notifications with the text are not called back.
#[utoipa::path(
    patch,
    path = "/api/managed-services/ticket/{ticketId}/messages/{messageId}"
)]
pub async fn update_ticket_message(
    caller: Caller<need::ReplyTicket>,
    Path((ticket, message)): Path<(PathId<TicketId>, PathId<TicketMessageId>)>,
    Body(update): Body<TicketMessageUpdate>,
) -> Result<Single<MessageFrom>, Problem<(MessageFinal, ConcurrentChange)>> {
    let tickets = caller.app.store.tickets();
    let place = (ticket.known()?, message.known()?);
    let edited = tickets.edit_message(caller.write(), place, caller.user_id(), update);
    Ok(Single(edited.await?))
}
