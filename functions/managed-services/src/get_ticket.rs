//! `GET /api/managed-services/ticket/{ticketId}`

use axum::extract::State;
use serde::Serialize;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Linked, Path, PathId},
    model::{Content, Listing, ThreadSort, TicketId, TicketMessageId, Timestamp, UserId},
    store::{MessageFrom, TicketWithMessages},
    versioned,
};
use utoipa::ToSchema;

use crate::view::JoinedTicketView;

/// A ticket and its messages.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TicketWithMessages)]
pub struct TicketWithMessagesView {
    ticket: JoinedTicketView,
    /// Messages by creation time, with internal notes for those who see them. The `Link` header leads to further ones.
    messages: Vec<TicketMessageView>,
}

versioned!(TicketWithMessagesView: ticket);

/// A message of a ticket.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TicketMessage, examples(json!({
    "id": 6,
    "content": "We found the missing usage. The corrected invoice follows today.",
    "sender": {"id": 2, "name": "Sue Park", "isSupport": true},
    "internal": false,
    "createdAt": "2026-01-14T11:40:00.000Z"
})))]
#[serde(rename_all = "camelCase")]
pub struct TicketMessageView {
    id: TicketMessageId,
    content: Content,
    sender: SenderView,
    /// True for a note that only users with `manage_tickets` or `reply_ticket` see.
    internal: bool,
    created_at: Timestamp,
}

/// The sender of a message.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Sender)]
#[serde(rename_all = "camelCase")]
pub struct SenderView {
    /// Null if the account is gone.
    id: Option<UserId>,
    name: String,
    /// True if the sender has `manage_tickets` and did not raise the ticket.
    is_support: bool,
}

/// Returns a ticket with its messages.
///
/// The oldest message comes first unless `sort` says otherwise. `limit` and `cursor` page through
/// the messages; the `Link` header leads to the next page. Internal notes are only shown to users with
/// `manage_tickets` or `reply_ticket`.
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
    let (tenant, sort) = (caller.tenant(), caller.query.sort);
    let with_notes = async { Ok(caller.identity().await?.sees_notes()) };
    let found = tickets.get(tenant, id, sort, &pages.wanted, with_notes);
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
                id: sender.id,
                name: sender.name,
                is_support: sender.is_support,
            },
            internal: message.internal,
            created_at: message.created_at,
        }
    }
}
