use std::collections::{BTreeMap, HashMap};

use futures::future::try_join_all;
use model::{
    base::{
        AnyOf, CarriedTags, Code, Content, CustomerId, Error, HistoryOf, Id, RecordType,
        ThreadSort, TicketId, TicketMessageId, Timestamp, Title, UserId,
    },
    people::{Permission, User, UserRef},
    work::{
        Priority, Resolution, ServiceStatus, Ticket, TicketCreate, TicketFilter, TicketMessage,
        TicketMessageUpdate, TicketReply, TicketSort, TicketUpdate,
    },
};
use serde::Serialize;
use table::{
    Batch, Condition, Index, OrNotFound, Read, Record, RecordList, Stored, UpdateExpression, Write,
    page::{ListPosition, Page, PageRequest},
};
use utoipa::ToSchema;

use crate::{
    Result, Tenant,
    base::{
        InScope, Pending, Reader, Shown, WriteContext,
        filter::Filter,
        idempotency::{Created, id_of},
        ids::Reserved,
        named::{Named, Names},
        reads::{in_first_index, titled_page},
        record::{any_keys, record},
        records::Participant,
        store::{id_is_taken, resource},
        tracked::Tracked,
        writes::Writes,
    },
    key::{self, Keyed},
    people::directory::NamedCustomer,
    versioned,
    work::{
        assignee::Assignee,
        resolutions,
        tagging::{self, CarriedTag},
    },
};

resource! { pub Tickets as tickets }

/// A new ticket with its first messages. A time that is `None` is the current one.
#[derive(Clone, Debug)]
pub struct NewTicket {
    pub title: Title,
    pub status: ServiceStatus,
    pub priority: Priority,
    pub assignee_id: Option<UserId>,
    pub customer_id: Option<CustomerId>,
    pub created_at: Option<Timestamp>,
    /// Time of resolution; only for status resolved or closed.
    pub resolved_at: Option<Timestamp>,
    /// Its first messages, at most 48, which fit in one transaction with their authors.
    pub messages: Vec<NewMessage>,
}

impl NewTicket {
    /// The ticket, and the writes of its messages and of its resolution. Without a user who writes,
    /// the sender of the first message raised it.
    fn ticket(
        &self,
        context: &WriteContext,
        id: TicketId,
        message_ids: Vec<Reserved<TicketMessageId>>,
        now: Timestamp,
    ) -> Result<(Ticket, Writes)> {
        let tenant = context.tenant;
        let created_at = self.created_at.unwrap_or(now);
        let is_over = self.status.is_over();
        let resolved_at = is_over.then(|| self.resolved_at.unwrap_or(now));
        let mut writes = Writes::default();
        let mut last_message_at = None;
        let mut participants = BTreeMap::new();
        for (message_id, message) in message_ids
            .into_iter()
            .zip(&self.messages)
        {
            let message = TicketMessage {
                id: message_id.used(),
                organization_id: tenant,
                ticket_id: id,
                content: Some(message.content.clone()),
                user_id: message.user_id,
                internal: false,
                created_at: message.created_at.unwrap_or(now),
                edited_at: None,
                deleted_at: None,
            };
            last_message_at = last_message_at.max(Some(message.created_at));
            let participant = Participant::from(&message);
            participants
                .entry(message.user_id)
                .or_insert(participant);
            writes.push(Write::create(&message)?);
        }
        let resolution = resolved_at.map(Resolution::Made);
        writes.extend(resolution.map(|made| resolutions::count(tenant, created_at, made)));
        let changes = [last_message_at, resolved_at]
            .into_iter()
            .flatten();
        let first = self
            .messages
            .first()
            .map(|message| message.user_id);
        let creator_id = context.actor.or(first);
        // Its creator takes part in any case.
        participants.retain(|author, _| Some(*author) != creator_id);
        for participant in participants.values() {
            writes.push(Write::create(participant)?);
        }
        let ticket = Ticket {
            id,
            organization_id: tenant,
            title: self.title.clone(),
            status: self.status.into(),
            priority: self.priority.into(),
            assignee_id: self.assignee_id,
            creator_id,
            customer_id: self.customer_id,
            tag_ids: CarriedTags::new(),
            message_count: i64::try_from(self.messages.len()).unwrap_or(i64::MAX),
            last_message_at,
            resolved_at,
            created_at,
            updated_at: changes.fold(created_at, Timestamp::max),
        };
        Ok((ticket, writes))
    }
}

#[derive(Clone, Debug)]
pub struct NewMessage {
    pub user_id: UserId,
    pub content: Content,
    pub created_at: Option<Timestamp>,
}

/// The fields of the record. `ToSchema` takes no type arguments here.
type Fields = Shown<Ticket>;

/// A support ticket.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Ticket)]
pub struct TaggedTicket {
    #[serde(flatten)]
    #[schema(inline)]
    ticket: Fields,
    /// The tags of the ticket, by id.
    tags: Vec<CarriedTag>,
}

/// A support ticket with the user who raised it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct JoinedTicket {
    #[serde(flatten)]
    ticket: TaggedTicket,
    /// User with the id `creatorId`.
    creator: Option<UserRef>,
}

versioned!(TaggedTicket: ticket, JoinedTicket: ticket);

impl TaggedTicket {
    pub(crate) fn new(ticket: InScope<Ticket>, named: &Named) -> Self {
        Self {
            tags: named.tags(&ticket.tag_ids),
            ticket: ticket.into(),
        }
    }
}

/// A ticket with a page of its messages.
#[derive(Clone, Debug)]
pub struct TicketWithMessages {
    pub ticket: JoinedTicket,
    /// The messages, by time.
    pub messages: Page<MessageFrom>,
}

/// A message of a support ticket.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = TicketMessage)]
#[serde(rename_all = "camelCase")]
pub struct MessageFrom {
    id: TicketMessageId,
    /// The text; empty once the message is deleted.
    content: String,
    sender: Sender,
    /// True for a note that only users with `manage_tickets` or `reply_ticket` see.
    internal: bool,
    created_at: Timestamp,
    /// When its author last changed the text.
    edited_at: Option<Timestamp>,
    /// Time of deletion. A deleted message keeps its place.
    deleted_at: Option<Timestamp>,
    /// Raised by every write.
    version: i64,
}

versioned!(MessageFrom);

impl MessageFrom {
    fn new(message: Stored<TicketMessage>, sender: Option<&Person>, ticket: &Ticket) -> Self {
        let sender = sender.map(|person| Sender {
            id: Some(person.user.id),
            name: person.user.full_name.clone(),
            is_support: person.manages_tickets && ticket.creator_id != Some(person.user.id),
        });
        let version = message.version;
        let message = message.record;
        Self {
            version,
            id: message.id,
            content: message
                .content
                .map(String::from)
                .unwrap_or_default(),
            sender: sender.unwrap_or_default(),
            internal: message.internal,
            created_at: message.created_at,
            edited_at: message.edited_at,
            deleted_at: message.deleted_at,
        }
    }
}

#[derive(Clone, Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Sender {
    /// Null if the account is gone.
    id: Option<UserId>,
    name: String,
    /// True if the sender has `manage_tickets` and did not raise the ticket.
    is_support: bool,
}

record! {
    ticket: Ticket, id: TicketId,
    number_sets: [tagging::TAG_IDS],
    gsi1: Some(key::ticket_in_time(ticket)),
    gsi2: {
        let place = key::ticket_message_time(ticket.last_message_at, ticket.id);
        Some(key::tickets_by_message(ticket.organization_id).at(place))
    },
    gsi3: key::ticket_of_customer(ticket),
    hidden: ["organizationId", "resolvedAt", "tagIds"],
}

impl Tracked for Ticket {
    fn history(&self) -> Option<HistoryOf> {
        Some(self.id.into())
    }
}

record! {
    message: TicketMessage = RecordType::TicketMessage.name(),
    key: key::ticket_message(message),
}

impl Tracked for TicketMessage {}

/// A user as the creator of a ticket, and as the author of a message.
struct Person {
    user: UserRef,
    manages_tickets: bool,
}

impl From<&User> for Person {
    fn from(user: &User) -> Self {
        Self {
            user: user.into(),
            manages_tickets: user.may(Permission::ManageTickets),
        }
    }
}

impl Tickets<'_> {
    /// Creates a ticket with its first messages, and counts its resolution. 400 when its assignee
    /// is not the tenant's.
    pub async fn create(&self, pending: impl Pending, new: NewTicket) -> Result<InScope<Ticket>> {
        let pending = pending.into();
        let assignee = Assignee::new(pending.tenant(), new.assignee_id.as_ref());
        let customer = NamedCustomer::new(pending.tenant(), new.customer_id.as_ref());
        let keys = assignee
            .key()
            .into_iter()
            .chain(customer.key());
        let named = self.0.batch(keys);
        let message_ids = try_join_all(
            new.messages
                .iter()
                .map(|_| self.0.next_id()),
        );
        // Both end, also after an error, so that no id is lost on its way.
        let read = async {
            let (ids, named) = tokio::join!(message_ids, named);
            Ok((ids?, named?))
        };
        let ticket = |context: &WriteContext, id, (ids, named): (_, Batch), now| {
            let faults = assignee.fault(&named, None).into_iter();
            let faults = faults.chain(customer.fault(&named, None)?);
            Error::unless_valid(faults.collect())?;
            new.ticket(context, id, ids, now)
        };
        self.0
            .create(pending, read, ticket)
            .await
    }

    /// As [`create`](Self::create), of a request. The ticket is open, and its description becomes
    /// the first message.
    pub async fn raise(
        &self,
        pending: impl Pending,
        author: UserId,
        sent: TicketCreate,
    ) -> Result<TaggedTicket> {
        let (pending, tenant) = pending.with_tenant();
        // White space alone is no message.
        let said = sent
            .description
            .map(String::from)
            .map(Content::try_from);
        let message = said
            .into_iter()
            .flatten()
            .map(|content| NewMessage {
                user_id: author,
                content,
                created_at: None,
            });
        let new = NewTicket {
            title: sent.title,
            status: ServiceStatus::Open,
            priority: sent.priority.0,
            assignee_id: sent.assignee_id,
            customer_id: sent.customer_id,
            created_at: None,
            resolved_at: None,
            messages: message.collect(),
        };
        let ticket = self.create(pending, new).await?;
        // A replay answers the record as it is now.
        let tags = Names::of_tags([&ticket.tag_ids]);
        let named = self.0.named(tenant, tags).await?;
        Ok(TaggedTicket::new(ticket, &named))
    }

    pub async fn list(
        &self,
        reader: &Reader,
        caller: UserId,
        filter: &TicketFilter,
        sort: TicketSort,
        wanted: &PageRequest,
    ) -> Result<Page<JoinedTicket>> {
        let tenant = reader.tenant;
        let condition = Filter::of(caller)
            .any("status", filter.status.as_ref())?
            .any("priority", filter.priority.as_ref())?
            .any("assigneeId", filter.assignee_id.as_ref())?
            .any("creatorId", filter.creator_id.as_ref())?
            .any("customerId", filter.customer_id.as_ref())?
            .having(tagging::TAG_IDS, filter.tag_id.as_ref())?
            .since("updatedAt", filter.updated_since)
            .condition();
        let descending = sort != TicketSort::OldestFirst;
        let customer = filter
            .customer_id
            .as_ref()
            .and_then(AnyOf::only_value);
        let page = match sort {
            _ if let Some(AnyOf(ids)) = &filter.id => {
                let keys = ids.iter().map(|id| id.key(tenant));
                let fits = |ticket: &Ticket| filter.fits(ticket, caller);
                let place = |ticket: &Ticket| match sort {
                    TicketSort::LastMessageFirst => {
                        Some(ListPosition::in_index(ticket.key(), ticket.gsi2()?))
                    }
                    _ => in_first_index(ticket),
                };
                let rows = self
                    .0
                    .rows_by_id(keys, fits, place, descending, wanted);
                rows.await?
            }
            TicketSort::LastMessageFirst => {
                let tickets = key::tickets_by_message(tenant).filter(condition);
                self.titled(tickets.descending(), filter, wanted)
                    .await?
            }
            _ if let Some(customer) = customer => {
                let tickets = key::tickets_of_customer(tenant, customer).filter(condition);
                let tickets = tickets.descending_if(descending);
                self.titled(tickets, filter, wanted)
                    .await?
            }
            TicketSort::NewestFirst | TicketSort::OldestFirst => {
                let tickets = key::tickets(tenant).filter(condition);
                let tickets = tickets.descending_if(descending);
                self.titled(tickets, filter, wanted)
                    .await?
            }
        };
        let page = self
            .0
            .scoped()
            .page(reader, page)
            .await?;
        let creators = page
            .records()
            .filter_map(|ticket| ticket.creator_id);
        let tags = page
            .records()
            .map(|ticket| &ticket.tag_ids);
        let ids = Names::of_tags(tags).and_users(creators);
        let named = self.0.named(tenant, ids).await?;
        let wanted_tags = filter.tag_id.as_ref();
        // Drops rows that matched the filter by a deleted tag.
        Ok(page.filter_map(|ticket| {
            let creator = ticket
                .creator_id
                .and_then(|id| named.users.get(&id).cloned());
            let ticket = TaggedTicket::new(ticket, &named);
            let fits = wanted_tags.is_none_or(|wanted| tagging::fits(wanted, &ticket.tags));
            fits.then_some(JoinedTicket { ticket, creator })
        }))
    }

    /// A page of a list of tickets, whose titles match the query of the filter.
    async fn titled<I: Index>(
        &self,
        tickets: RecordList<Ticket, I>,
        filter: &TicketFilter,
        wanted: &PageRequest,
    ) -> Result<Page<Stored<Ticket>>> {
        let query = filter.query.as_ref();
        let table = &self.0.table;
        titled_page(table, tickets, |ticket| &ticket.title, query, wanted).await
    }

    /// One ticket with its messages by time, and internal notes if `with_notes` says so. 404 when
    /// it is not the tenant's.
    pub async fn get(
        &self,
        reader: &Reader,
        id: TicketId,
        sort: ThreadSort,
        wanted: &PageRequest,
        with_notes: impl Future<Output = Result<bool>>,
    ) -> Result<TicketWithMessages> {
        let tenant = reader.tenant;
        let table = &self.0.table;
        let key = id.key(tenant);
        let messages = async {
            let shown = (!with_notes.await?).then(|| Condition::default().lacks("internal"));
            let messages = key::ticket_messages(tenant, id)
                .consistent()
                .descending_if(sort == ThreadSort::NewestFirst)
                .filter(shown);
            table.page(messages, wanted).await
        };
        let (ticket, messages) = tokio::try_join!(table.get(&key, Read::Consistent), messages)?;
        let ticket = self
            .0
            .scoped()
            .place(reader, ticket, TicketId::NOUN)
            .await?;
        let authors = messages
            .records()
            .map(|message| message.user_id);
        let named = authors.chain(ticket.creator_id);
        let people = self.0.users(tenant, named);
        let tags = self
            .0
            .named(tenant, Names::of_tags([&ticket.tag_ids]));
        let (people, tags): (HashMap<_, Person>, _) = tokio::try_join!(people, tags)?;
        let messages = messages.map(|message| {
            let sender = people.get(&message.user_id);
            MessageFrom::new(message, sender, &ticket)
        });
        let creator = ticket
            .creator_id
            .and_then(|id| people.get(&id));
        let ticket = JoinedTicket {
            creator: creator.map(|person| person.user.clone()),
            ticket: TaggedTicket::new(ticket, &tags),
        };
        Ok(TicketWithMessages { ticket, messages })
    }

    /// Changes a ticket. Counts its resolution, and no longer counts it when it is reopened. 404
    /// when it is not the tenant's, 400 when its new assignee is not, 409 for a forbidden change of
    /// status.
    pub async fn update(
        &self,
        pending: impl Pending,
        id: TicketId,
        update: TicketUpdate,
    ) -> Result<TaggedTicket> {
        let (pending, tenant) = pending.with_tenant();
        let assignee = Assignee::new(tenant, update.assignee_id.value());
        let customer = NamedCustomer::new(tenant, update.customer_id.value());
        let keys = assignee
            .key()
            .into_iter()
            .chain(customer.key())
            .chain([id.key(tenant).into()]);
        let mut plan = self.0.plan(pending, keys).await?;
        loop {
            let read = plan.read().await?;
            let mut draft = plan.draft(&read, id).await?;
            let before = &draft.before;
            let faults = assignee
                .fault(&read, before.assignee_id)
                .into_iter();
            let faults = faults.chain(customer.fault(&read, before.customer_id)?);
            Error::unless_valid(faults.collect())?;
            let resolution = draft
                .after
                .change(update.clone(), draft.now)?;
            let created_at = draft.after.created_at;
            let counted = resolution.map(|made| resolutions::count(tenant, created_at, made));
            draft.writes.extend(counted);
            let tags = Names::of_tags([&draft.after.tag_ids]);
            let written = plan.write(draft);
            let (done, named) = tokio::try_join!(written, self.0.named(tenant, tags))?;
            if let Some(done) = done {
                return Ok(TaggedTicket::new(done.not_replayed()?, &named));
            }
        }
    }

    /// Replies to a ticket, and returns the id of the message. The reply reopens a pending or
    /// resolved ticket, whose resolution no longer counts. An internal note does not. 404 when it
    /// is not the tenant's, 409 when it is closed.
    pub async fn reply(
        &self,
        pending: impl Pending,
        id: TicketId,
        author: UserId,
        reply: TicketReply,
    ) -> Result<TicketMessageId> {
        let (pending, tenant) = pending.with_tenant();
        let key = id.key(tenant);
        let keys = any_keys![&key, key::participant(tenant, id.into(), author)];
        // Both end, also after an error, so that no id is lost on its way.
        let (plan, message_id) = tokio::join!(self.0.plan_once(pending, keys), self.0.next_id());
        let mut plan = match plan? {
            Created::New(plan) => plan,
            Created::Replayed(made) => return id_of(made),
        };
        let message_id: TicketMessageId = message_id?.used();
        loop {
            let read = plan.read().await?;
            let ticket: Stored<Ticket> = read
                .get(&key)?
                .or_not_found(TicketId::NOUN)?;
            if ticket.status == ServiceStatus::Closed {
                let detail = "The ticket is closed and takes no more replies.";
                return Err(Error::conflict(Code::TicketClosed, detail));
            }
            let message = TicketMessage {
                id: message_id,
                organization_id: tenant,
                ticket_id: id,
                content: Some(reply.content.clone()),
                user_id: author,
                internal: reply.internal.0,
                created_at: self.0.now(),
                edited_at: None,
                deleted_at: None,
            };
            let mut writes = writes_of_reply(&plan.context, &ticket, &message)?;
            writes.extend(Participant::from(&message).joins(&read)?);
            match plan
                .commit(writes.making(message_id), message_id)
                .await?
            {
                Some(Created::New(id)) => return Ok(id),
                Some(Created::Replayed(made)) => return id_of(made),
                None => {}
            }
        }
    }
}

impl Tickets<'_> {
    /// The messages that a search for one reads at first.
    const NEWEST: usize = 20;

    /// Changes the text of a message. 404 when the ticket has no such message, or it is deleted.
    /// 403 for another user than its author. 409 when it is final, or other requests kept changing
    /// the ticket.
    pub async fn edit_message(
        &self,
        pending: impl Pending,
        place: (TicketId, TicketMessageId),
        author: UserId,
        update: TicketMessageUpdate,
    ) -> Result<MessageFrom> {
        let (pending, tenant) = pending.with_tenant();
        let edit = |message: &mut TicketMessage, now| message.edit(update.clone(), now);
        let changed = self.change_message(pending, place, author, edit);
        let sender = self
            .0
            .users(tenant, [author].into_iter());
        let (changed, sender): (_, HashMap<_, Person>) = tokio::try_join!(changed, sender)?;
        let (message, ticket) = changed;
        Ok(MessageFrom::new(message, sender.get(&author), &ticket))
    }

    /// Deletes the text of a message, which keeps its place. Refused as
    /// [`edit_message`](Self::edit_message) is.
    pub async fn delete_message(
        &self,
        pending: impl Pending,
        place: (TicketId, TicketMessageId),
        author: UserId,
    ) -> Result<()> {
        self.change_message(pending, place, author, TicketMessage::delete)
            .await
            .map(|_| ())
    }

    /// Changes a message that is not final. The write expects the version of the ticket, which a
    /// reply raises: of a change and a reply at the same time, one starts over.
    async fn change_message(
        &self,
        pending: impl Pending,
        (ticket_id, id): (TicketId, TicketMessageId),
        author: UserId,
        change: impl Fn(&mut TicketMessage, Timestamp),
    ) -> Result<(Stored<TicketMessage>, Stored<Ticket>)> {
        let (pending, tenant) = pending.with_tenant();
        let key = ticket_id.key(tenant);
        let mut plan = self.0.plan(pending, [&key]).await?;
        loop {
            let read = plan.read().await?;
            let ticket: Stored<Ticket> = read
                .get(&key)?
                .or_not_found(TicketId::NOUN)?;
            let (message, is_last) = self
                .message(tenant, ticket_id, id)
                .await?
                .filter(|(message, _)| message.deleted_at.is_none())
                .or_not_found(TicketMessageId::NOUN)?;
            let mut draft = plan
                .draft_of(Some(message), TicketMessageId::NOUN)
                .await?;
            draft
                .before
                .may_change(author, is_last, draft.now)?;
            change(&mut draft.after.record, draft.now);
            let as_read = Condition::version(ticket.version);
            draft
                .writes
                .push(Write::check(&key, as_read));
            if let Some(done) = plan.write(draft).await? {
                return Ok((done.not_replayed()?.into_stored(), ticket));
            }
        }
    }

    /// A message of a ticket, and true if no reply follows it. An internal note is no reply.
    async fn message(
        &self,
        tenant: Tenant,
        ticket: TicketId,
        id: TicketMessageId,
    ) -> Result<Option<(Stored<TicketMessage>, bool)>> {
        let newest_first = key::ticket_messages(tenant, ticket)
            .consistent()
            .descending();
        let mut wanted = PageRequest::first(Self::NEWEST);
        let mut is_last = true;
        loop {
            let page = self
                .0
                .table
                .page(newest_first.clone(), &wanted)
                .await?;
            for row in page.rows {
                if row.record.id == id {
                    return Ok(Some((row.record, is_last)));
                }
                is_last &= row.record.internal;
            }
            if page.end.is_none() {
                return Ok(None);
            }
            wanted = PageRequest {
                rows: None,
                after: page.end,
            };
        }
    }
}

/// The writes of a reply. A reply that reopens the ticket expects the version as read. Another
/// expects only the status, so that replies at the same time do not conflict. An internal note
/// leaves the ticket as it is: version and time of a change would tell of it.
fn writes_of_reply(
    context: &WriteContext,
    ticket: &Stored<Ticket>,
    message: &TicketMessage,
) -> Result<Writes> {
    let now = message.created_at;
    let mut as_read = Condition::default().equals("status", &ticket.status);
    let mut writes = Writes::default();
    if message.internal {
        writes.push(Write::check(ticket.key(), as_read));
        writes.push_or(Write::create(message)?, id_is_taken(TicketMessage::KIND));
        return Ok(writes);
    }
    let mut change = UpdateExpression::default()
        .set("updatedAt", now)
        .set("lastMessageAt", now)
        .move_to(key::ticket_message_time(Some(now), ticket.id))
        .add("messageCount", 1);
    if ticket.status.reopens_on_answer() {
        let mut opened = ticket.clone();
        opened.status = ServiceStatus::Open.into();
        as_read = as_read.equals("version", ticket.version);
        change = change.set("status", ServiceStatus::Open);
        if let Some(resolved_at) = ticket.resolved_at {
            change = change.remove("resolvedAt");
            let tenant = ticket.organization_id;
            let created_at = ticket.created_at;
            let resolution = Resolution::TakenBack(resolved_at);
            writes.push(resolutions::count(tenant, created_at, resolution));
        }
        writes.extend(context.updated(&ticket.record, &opened, now)?);
    }
    writes.push(Write::update(ticket.key(), change, as_read));
    writes.push_or(Write::create(message)?, id_is_taken(TicketMessage::KIND));
    Ok(writes)
}
