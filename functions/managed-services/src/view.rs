//! Tickets as the API answers them.

use serde::Serialize;
use shared::{
    model::{Priority, ServiceStatus, Ticket, TicketId, Timestamp, Title, UserId},
    store::Stored,
    versioned,
};
use utoipa::ToSchema;

/// A support ticket.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Ticket)]
#[serde(rename_all = "camelCase")]
pub struct TicketView {
    id: TicketId,
    title: Title,
    status: ServiceStatus,
    priority: Priority,
    created_at: Timestamp,
    updated_at: Timestamp,
    assignee_id: Option<UserId>,
    last_message_at: Option<Timestamp>,
    /// Raised by every write.
    pub(crate) version: i64,
}

versioned!(TicketView);

impl From<Stored<Ticket>> for TicketView {
    fn from(stored: Stored<Ticket>) -> Self {
        let Stored {
            record: ticket,
            version,
        } = stored;
        Self {
            version,
            id: ticket.id,
            title: ticket.title,
            status: ticket.status,
            priority: ticket.priority,
            created_at: ticket.created_at,
            updated_at: ticket.updated_at,
            assignee_id: ticket.assignee_id,
            last_message_at: ticket.last_message_at,
        }
    }
}
