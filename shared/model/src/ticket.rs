//! Support tickets.

use serde::{Deserialize, Serialize};

use super::{
    AnyOf, Content, Description, Error, OrNone, OrganizationId, Priority, Resolution,
    ServiceStatus, TicketId, TicketMessageId, Timestamp, Title, UserId, Who,
    input::{Change, Defaulted, Patch},
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
    /// What a client sends to raise a ticket.
    pub struct TicketCreate {
        title: Title,
        /// Becomes the first message, by whoever raises it, unless it is empty.
        description: Option<Description>,
        priority: Defaulted<Priority>,
        /// A user of the organization.
        assignee_id: Option<UserId>,
    }
}

input! {
    /// What a client sends to change a ticket, at least one field of it: an absent field is kept,
    /// a null one cleared.
    pub struct TicketUpdate {
        title: Change<Title>,
        /// `open`, `in_progress` and `pending` interchange; each may become `resolved` or `closed`,
        /// and `resolved` may become `open` or `closed`. What is closed stays closed.
        status: Change<ServiceStatus>,
        priority: Change<Priority>,
        /// A user of the organization.
        assignee_id: Patch<UserId>,
    }
    needs any;
}

input! {
    /// Which tickets to list.
    pub struct TicketFilter {
        status: Option<AnyOf<ServiceStatus>>,
        priority: Option<AnyOf<Priority>>,
        assignee_id: Option<AnyOf<OrNone<Who>>>,
        /// Changed at this instant or after it.
        updated_since: Option<Timestamp>,
    }
}

input! {
    /// What a client sends to reply to a ticket.
    pub struct TicketReply {
        content: Content,
    }
}

impl Ticket {
    /// Changes it, and answers what becomes of its resolution. 409 when its status may not become
    /// the one that is asked for.
    pub fn change(
        &mut self,
        update: TicketUpdate,
        now: Timestamp,
    ) -> Result<Option<Resolution>, Error> {
        let TicketUpdate {
            title,
            status,
            priority,
            assignee_id,
        } = update;
        let resolution = match status {
            Change::Keep => None,
            Change::Set(next) => self.status.turn(next, &mut self.resolved_at, now)?,
        };
        title.apply(&mut self.title);
        priority.apply(&mut self.priority);
        assignee_id.apply(&mut self.assignee_id);
        self.updated_at = now;
        Ok(resolution)
    }
}
