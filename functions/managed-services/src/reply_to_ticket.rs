//! `POST /api/managed-services/ticket/{ticketId}/reply`

use axum::extract::State;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{
        Body, Done, Path, PathId,
        refusal::{ConcurrentChange, TicketClosed},
    },
    model::{TicketId, TicketReply},
};

/// Adds a message to a ticket.
///
/// A `pending` or `resolved` ticket becomes `open`. 409 `ticket_closed` if it is closed.
#[utoipa::path(
    post,
    path = "/api/managed-services/ticket/{ticketId}/reply",
    operation_id = "replyToTicket"
)]
pub async fn reply_to_ticket(
    State(app): State<App>,
    caller: Caller<need::ReplyTicket>,
    Path(id): Path<PathId<TicketId>>,
    Body(TicketReply { content }): Body<TicketReply>,
) -> Result<Done, Problem<(TicketClosed, ConcurrentChange)>> {
    let tickets = app.store.tickets();
    tickets
        .reply(
            caller.pending_write(),
            id.known()?,
            caller.user_id(),
            content,
        )
        .await?;
    Ok(Done)
}
