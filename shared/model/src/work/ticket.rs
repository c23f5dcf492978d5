use std::ops::Not;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    base::{
        AnyOf, Content, Description, Error, Ids, OrNone, OrOther, OrganizationId, TicketId,
        TicketMessageId, Timestamp, Title, UserId, Who,
        input::{Defaulted, Patch, PatchField},
    },
    input, names,
    work::{Priority, Resolution, ServiceStatus},
};

/// A support ticket.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Ticket {
    pub id: TicketId,
    pub organization_id: OrganizationId,
    pub title: Title,
    #[schema(value_type = ServiceStatus)]
    pub status: OrOther<ServiceStatus>,
    #[schema(value_type = Priority)]
    pub priority: OrOther<Priority>,
    /// The user who works on it.
    pub assignee_id: Option<UserId>,
    /// The user who raised it; null for a ticket that no user raised.
    #[serde(default)]
    pub creator_id: Option<UserId>,
    /// The number of its messages without internal notes.
    #[serde(default)]
    #[schema(required = true)]
    pub message_count: i64,
    /// When the newest message was written.
    pub last_message_at: Option<Timestamp>,
    /// When it was last resolved or closed; null while it is neither.
    pub resolved_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TicketMessage {
    pub id: TicketMessageId,
    pub organization_id: OrganizationId,
    pub ticket_id: TicketId,
    pub content: Content,
    pub user_id: UserId,
    /// `true` for a note that only those who may manage tickets or reply to them see.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub internal: bool,
    pub created_at: Timestamp,
}

input! {
    pub struct TicketCreate {
        title: Title,
        /// Becomes the caller's first message, unless it is empty.
        description: Option<Description>,
        priority: Defaulted<Priority>,
        /// A user of the organization.
        assignee_id: Option<UserId>,
    }
    example {
        "title": "Usage of October is missing from the invoice",
        "description": "Invoice HS-2026-10 shows no usage after October 12.", "priority": "high",
        "assigneeId": 1,
    };

    /// A change of a ticket: at least one field. An absent field is kept, null clears it.
    pub struct TicketUpdate {
        title: PatchField<Title>,
        /// A status that the current one may change to; see `ServiceStatus`.
        status: PatchField<ServiceStatus>,
        priority: PatchField<Priority>,
        /// A user of the organization.
        assignee_id: Patch<UserId>,
    }
    needs any;
    example {"status": "pending", "priority": "high"};

    pub struct TicketFilter {
        /// Tickets with these ids. They are read by id, so none lags behind a write.
        id: Option<Ids<TicketId>>,
        status: Option<AnyOf<ServiceStatus>>,
        priority: Option<AnyOf<Priority>>,
        assignee_id: Option<AnyOf<OrNone<Who>>>,
        creator_id: Option<AnyOf<OrNone<Who>>>,
        /// Changed at this instant or after it.
        updated_since: Option<Timestamp>,
    }

    pub struct TicketReply {
        content: Content,
        /// True for a note that only users who manage tickets or reply to them see. It does not
        /// reopen the ticket and is not counted.
        internal: Defaulted<bool>,
    }
    example {"content": "We found the missing usage. The corrected invoice follows today."};
}

impl TicketFilter {
    pub fn fits(&self, ticket: &Ticket, caller: UserId) -> bool {
        let status = self.status.as_ref();
        let priority = self.priority.as_ref();
        let assignee = self.assignee_id.as_ref();
        let creator = self.creator_id.as_ref();
        status.is_none_or(|any| any.has(&ticket.status))
            && priority.is_none_or(|any| any.has(&ticket.priority))
            && assignee.is_none_or(|any| any.names_user(ticket.assignee_id, caller))
            && creator.is_none_or(|any| any.names_user(ticket.creator_id, caller))
            && self
                .updated_since
                .is_none_or(|at| ticket.updated_at >= at)
    }
}

impl Ticket {
    /// Changes the ticket. Returns the change of its resolution, if there is one. 409 if its status
    /// may not change to the new one.
    pub fn change(
        &mut self,
        update: TicketUpdate,
        now: Timestamp,
    ) -> Result<Option<Resolution>, Error> {
        let resolved_at = &mut self.resolved_at;
        let resolution = self
            .status
            .change(update.status, resolved_at, now)?;
        update.title.apply(&mut self.title);
        update
            .priority
            .apply(&mut self.priority);
        update
            .assignee_id
            .apply(&mut self.assignee_id);
        self.updated_at = now;
        Ok(resolution)
    }
}

names! {
    /// Orders of tickets; ties are broken by id.
    #[derive(Default)]
    pub enum TicketSort = "a sort order" {
        NewestFirst as "-createdAt" = default: "The newest first.",
        OldestFirst as "createdAt": "The oldest first.",
        LastMessageFirst as "-lastMessageAt": "The one with the newest message first, those without a message last.",
    }
}
