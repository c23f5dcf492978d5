//! `GET /api/managed-services/ticket/{ticketId}`

use axum::extract::State;
use serde::Serialize;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Linked, Path, PathId},
    model::{Content, Listing, ThreadSort, TicketId, TicketMessageId, Timestamp},
    store::{MessageFrom, TicketWithMessages},
    versioned,
};
use utoipa::ToSchema;

use crate::view::TicketView;

/// A ticket and what was said about it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TicketWithMessages)]
pub struct TicketWithMessagesView {
    ticket: TicketView,
    /// By time; where there are more, the `Link` header leads to them.
    messages: Vec<TicketMessageView>,
}

versioned!(TicketWithMessagesView: ticket);

/// A message of a ticket.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TicketMessage)]
#[serde(rename_all = "camelCase")]
pub struct TicketMessageView {
    id: TicketMessageId,
    content: Content,
    sender: SenderView,
    created_at: Timestamp,
}

/// The author of a message.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Sender)]
#[serde(rename_all = "camelCase")]
pub struct SenderView {
    name: String,
    /// Whether the author has the support role.
    is_support: bool,
}

/// Reads a ticket with its messages, the oldest first unless another order is asked for; `limit` and
/// `cursor` are the messages'.
#[utoipa::path(
    get,
    path = "/api/managed-services/ticket/{ticketId}",
    operation_id = "getTicket"
)]
pub async fn get_ticket(
    State(app): State<App>,
    caller: Caller<need::ViewManagedServices, Listing<(), ThreadSort>>,
    Path(id): Path<PathId<TicketId>>,
) -> Result<Linked<TicketWithMessagesView>, Problem> {
    let (id, pages) = (id.known()?, caller.pages(&app)?);
    let tickets = app.store.tickets();
    let found = tickets.get(caller.tenant(), id, caller.query.sort, &pages.wanted);
    let TicketWithMessages { ticket, messages } = found.await?;
    let ticket = ticket.into();
    let whole = |messages| TicketWithMessagesView { ticket, messages };
    Ok(pages.answer_within(messages, TicketMessageView::from, whole)?)
}

impl From<MessageFrom> for TicketMessageView {
    fn from(MessageFrom { message, sender }: MessageFrom) -> Self {
        Self {
            id: message.id,
            content: message.content,
            sender: SenderView {
                name: sender.name,
                is_support: sender.is_support,
            },
            created_at: message.created_at,
        }
    }
}
