use std::ops::Not;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    base::{
        AnyOf, CarriedTags, Code, Content, CustomerId, Description, Error, Ids, OrNone, OrOther,
        OrganizationId, TicketId, TicketMessageId, Timestamp, Title, TitleWords, UserId,
        WantedTags, Who,
        input::{Defaulted, Patch, PatchField},
        span,
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
    /// The customer whom it concerns.
    #[serde(default)]
    pub customer_id: Option<CustomerId>,
    /// The ids of its tags, some of which may have been deleted.
    #[serde(default)]
    #[schema(ignore)]
    pub tag_ids: CarriedTags,
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
    /// The text; none after a deletion.
    pub content: Option<Content>,
    pub user_id: UserId,
    /// `true` for a note that only those who may manage tickets or reply to them see.
    #[serde(default, skip_serializing_if = "Not::not")]
    pub internal: bool,
    pub created_at: Timestamp,
    /// When its author last changed the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited_at: Option<Timestamp>,
    /// When its author deleted it. A deleted message keeps its place, without its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deleted_at: Option<Timestamp>,
}

input! {
    pub struct TicketCreate {
        title: Title,
        /// Becomes the caller's first message, unless it is empty.
        description: Option<Description>,
        priority: Defaulted<Priority>,
        /// A user of the organization.
        assignee_id: Option<UserId>,
        /// A customer of the organization that is not archived.
        customer_id: Option<CustomerId>,
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
        /// A customer of the organization that is not archived.
        customer_id: Patch<CustomerId>,
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
        customer_id: Option<AnyOf<OrNone<CustomerId>>>,
        tag_id: Option<WantedTags>,
        /// Changed at this instant or after it.
        updated_since: Option<Timestamp>,
        /// Words, each of which must begin a word of the title, without regard to case and accents.
        query: Option<TitleWords>,
    }

    pub struct TicketReply {
        content: Content,
        /// True for a note that only users who manage tickets or reply to them see. It does not
        /// reopen the ticket and is not counted.
        internal: Defaulted<bool>,
    }
    example {"content": "We found the missing usage. The corrected invoice follows today."};

    pub struct TicketMessageUpdate { content: Content }
    example {"content": "We found the missing usage. The corrected invoice follows tomorrow."};
}

impl TicketFilter {
    pub fn fits(&self, ticket: &Ticket, caller: UserId) -> bool {
        let status = self.status.as_ref();
        let priority = self.priority.as_ref();
        let assignee = self.assignee_id.as_ref();
        let creator = self.creator_id.as_ref();
        let customer = self.customer_id.as_ref();
        let tag = self.tag_id.as_ref();
        status.is_none_or(|any| any.has(&ticket.status))
            && priority.is_none_or(|any| any.has(&ticket.priority))
            && assignee.is_none_or(|any| any.names_user(ticket.assignee_id, caller))
            && creator.is_none_or(|any| any.names_user(ticket.creator_id, caller))
            && customer.is_none_or(|any| any.names(ticket.customer_id.as_ref()))
            && tag.is_none_or(|any| any.names_one_of(&ticket.tag_ids))
            && self
                .updated_since
                .is_none_or(|at| ticket.updated_at >= at)
            && self
                .query
                .as_ref()
                .is_none_or(|query| query.begin_words_of(&ticket.title))
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
        update
            .customer_id
            .apply(&mut self.customer_id);
        self.updated_at = now;
        Ok(resolution)
    }
}

impl TicketMessage {
    /// Milliseconds from its creation in which its author may change a message.
    const CHANGEABLE: i64 = 5 * span::MINUTE;

    /// 403 for another user than the author, 409 for an older message or one that a reply follows.
    pub fn may_change(&self, user: UserId, is_last: bool, now: Timestamp) -> Result<(), Error> {
        if user != self.user_id {
            let detail = "Only its author may change a message, or delete it.";
            return Err(Error::forbidden(Code::PermissionDenied, detail));
        }
        if !is_last {
            let detail = "A reply follows the message. Send another message instead.";
            return Err(Error::conflict(Code::MessageFinal, detail));
        }
        if now.since(self.created_at) > Self::CHANGEABLE {
            let detail = "The message is older than five minutes. Send another message instead.";
            return Err(Error::conflict(Code::MessageFinal, detail));
        }
        Ok(())
    }

    /// Changes the text. The same text leaves the message as it is.
    pub fn edit(&mut self, TicketMessageUpdate { content }: TicketMessageUpdate, now: Timestamp) {
        if self.content.as_deref() != Some(&content) {
            self.content = Some(content);
            self.edited_at = Some(now);
        }
    }

    /// Removes the text and marks the message as deleted.
    pub fn delete(&mut self, now: Timestamp) {
        self.content = None;
        self.deleted_at = Some(now);
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
