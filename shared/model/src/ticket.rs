//! Support tickets.

use serde::{Deserialize, Serialize};

use super::{
    Content, OrganizationId, Priority, ServiceStatus, TicketId, TicketMessageId, Timestamp, Title,
    UserId,
};
use crate::input;

/// A support ticket.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Ticket {
    /// Unique id.
    pub id: TicketId,
    /// The owning organization.
    pub organization_id: OrganizationId,
    /// What it is about.
    pub title: Title,
    /// Where it stands.
    pub status: ServiceStatus,
    /// How pressing it is.
    pub priority: Priority,
    /// Who works on it.
    pub assignee_id: Option<UserId>,
    /// When the newest message was written.
    pub last_message_at: Option<Timestamp>,
    /// When it was last resolved; null while it is not resolved or closed.
    pub resolved_at: Option<Timestamp>,
    /// When it was opened.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// A message of a ticket.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TicketMessage {
    /// Unique id.
    pub id: TicketMessageId,
    /// The owning organization.
    pub organization_id: OrganizationId,
    /// The ticket.
    pub ticket_id: TicketId,
    /// What it says.
    pub content: Content,
    /// Author.
    pub user_id: UserId,
    /// When it was written.
    pub created_at: Timestamp,
}

input! {
    /// What a client sends to reply to a ticket.
    pub struct TicketReply {
        content: Content,
    }
}
