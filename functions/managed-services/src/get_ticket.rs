//! `GET /api/managed-services/ticket/{ticketId}`

use axum::{Json, extract::State};
use serde::Serialize;
use shared::{
    App, Problem,
    auth::{Caller, need},
    http::{Path, PathId},
    model::{Content, TicketId, TicketMessageId, Timestamp},
    store::{MessageFrom, TicketWithMessages},
};
use utoipa::ToSchema;

use crate::view::TicketView;

/// A ticket and what was said about it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TicketWithMessages)]
pub struct TicketWithMessagesView {
    ticket: TicketView,
    /// By time.
    messages: Vec<TicketMessageView>,
}

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

/// Reads a ticket with its messages.
#[utoipa::path(
    get,
    path = "/api/managed-services/ticket/{ticketId}",
    operation_id = "getTicket"
)]
pub async fn get_ticket(
    State(app): State<App>,
    caller: Caller<need::ViewManagedServices>,
    Path(id): Path<PathId<TicketId>>,
) -> Result<Json<TicketWithMessagesView>, Problem> {
    let ticket = app
        .store
        .tickets()
        .get(caller.tenant(), id.known()?)
        .await?;
    Ok(Json(ticket.into()))
}

impl From<TicketWithMessages> for TicketWithMessagesView {
    fn from(TicketWithMessages { ticket, messages }: TicketWithMessages) -> Self {
        Self {
            ticket: ticket.into(),
            messages: messages.into_iter().map(Into::into).collect(),
        }
    }
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
