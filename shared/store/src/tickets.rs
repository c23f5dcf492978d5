//! Support tickets and their messages.

use std::collections::HashMap;

use futures::future::try_join_all;
use model::{
    Code, Content, CreatedSort, Error, HistoryOf, Id, OrganizationId, Priority, Resolution, Role,
    ServiceStatus, ThreadSort, Ticket, TicketCreate, TicketFilter, TicketId, TicketMessage,
    TicketMessageId, TicketUpdate, Timestamp, Title, User, UserId, input::Defaulted,
};

use super::{
    Given, Permit, Store,
    assignee::Assignee,
    filter::Filter,
    id_is_taken,
    key::{self, Gsi1, Key},
    once::id_of,
    page::{Page, Wanted},
    resolutions,
    rewrite::rewrite,
    table::{Change, Condition, OrNotFound, Read, Record, Stored, Write},
};

/// Support tickets and their messages.
#[derive(Clone, Copy, Debug)]
pub struct Tickets<'a>(pub(super) &'a Store);

/// What a ticket begins with. Where it tells no time, that is now.
#[derive(Clone, Debug)]
pub struct NewTicket {
    /// What it is about.
    pub title: Title,
    /// Where it stands.
    pub status: ServiceStatus,
    /// How pressing it is.
    pub priority: Priority,
    /// Who works on it.
    pub assignee_id: Option<UserId>,
    /// When it was opened.
    pub created_at: Option<Timestamp>,
    /// When it was resolved; only of a ticket that is resolved or closed.
    pub resolved_at: Option<Timestamp>,
    /// Its first messages, at most 97.
    pub messages: Vec<NewMessage>,
}

impl NewTicket {
    /// What somebody sent to raise it. What describes it is what they have to say first.
    fn raised(author: UserId, sent: TicketCreate) -> Self {
        let TicketCreate {
            title,
            description,
            priority: Defaulted(priority),
            assignee_id,
        } = sent;
        // Nothing but white space is no message.
        let said = description.and_then(|text| Content::try_from(String::from(text)).ok());
        let message = said.map(|content| NewMessage {
            user_id: author,
            content,
            created_at: None,
        });
        Self {
            title,
            status: ServiceStatus::Open,
            priority,
            assignee_id,
            created_at: None,
            resolved_at: None,
            messages: message.into_iter().collect(),
        }
    }
}

/// A message that a ticket begins with.
#[derive(Clone, Debug)]
pub struct NewMessage {
    /// Author.
    pub user_id: UserId,
    /// What it says.
    pub content: Content,
    /// When it was written.
    pub created_at: Option<Timestamp>,
}

/// A ticket and what was said about it.
#[derive(Clone, Debug)]
pub struct TicketWithMessages {
    /// The ticket.
    pub ticket: Stored<Ticket>,
    /// Some of them, by time.
    pub messages: Page<MessageFrom>,
}

/// A message and its author.
#[derive(Clone, Debug)]
pub struct MessageFrom {
    /// The message.
    pub message: TicketMessage,
    /// Its author, as they are called now.
    pub sender: Sender,
}

/// The author of a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sender {
    /// Name to show; empty for a user that is gone.
    pub name: String,
    /// Whether the author has the support role.
    pub is_support: bool,
}

impl Record for Ticket {
    const KIND: &'static str = "ticket";

    fn key(&self) -> Key<Self> {
        key::ticket(self.organization_id, self.id)
    }

    fn gsi1(&self) -> Option<Key<Self, Gsi1>> {
        Some(key::ticket_in_time(self))
    }

    fn history(&self) -> Option<HistoryOf> {
        Some(HistoryOf::Ticket(self.id))
    }
}

impl Record for TicketMessage {
    const KIND: &'static str = "ticket_message";

    fn key(&self) -> Key<Self> {
        key::ticket_message(self)
    }
}

impl From<&User> for Sender {
    fn from(user: &User) -> Self {
        Self {
            name: user.full_name.clone(),
            is_support: user.role == Role::Support,
        }
    }
}

impl Tickets<'_> {
    /// Creates a ticket with its first messages, and counts its resolution if it has one.
    pub async fn create(
        &self,
        permit: impl Into<Permit>,
        new: NewTicket,
    ) -> Result<Stored<Ticket>, Error> {
        let (given, ids) = permit.into().beside(self.ids(&new)).await?;
        self.write(&given, ids, new).await
    }

    /// Raises a ticket, which is open; its description is its first message. 400 when its assignee
    /// is not the tenant's.
    pub async fn raise(
        &self,
        permit: impl Into<Permit>,
        author: UserId,
        sent: TicketCreate,
    ) -> Result<Stored<Ticket>, Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let raise = async |permit| self.raise_new(permit, author, sent).await;
        let again = async |made| {
            let key = key::ticket(tenant, id_of(made)?);
            self.0.one(&key, TicketId::NOUN).await
        };
        permit.once(raise, again).await
    }

    async fn raise_new(
        &self,
        permit: Permit,
        author: UserId,
        sent: TicketCreate,
    ) -> Result<Stored<Ticket>, Error> {
        let tenant = permit.tenant();
        let assignee = Assignee::new(tenant, sent.assignee_id.as_ref());
        let new = NewTicket::raised(author, sent);
        let read = async {
            let users = self.0.table.batch_get(assignee.key(), Read::Consistent);
            tokio::try_join!(self.ids(&new), users)
        };
        let (given, (ids, found)) = permit.beside(read).await?;
        assignee.known(&found)?;
        self.write(&given, ids, new).await
    }

    /// Ids of a ticket and of the messages that it begins with.
    async fn ids(&self, new: &NewTicket) -> Result<(TicketId, Vec<TicketMessageId>), Error> {
        let messages = try_join_all(new.messages.iter().map(|_| self.0.next_id()));
        tokio::try_join!(self.0.next_id(), messages)
    }

    async fn write(
        &self,
        given: &Given,
        (id, message_ids): (TicketId, Vec<TicketMessageId>),
        new: NewTicket,
    ) -> Result<Stored<Ticket>, Error> {
        let tenant = given.tenant();
        let now = self.0.clock.now();
        let created_at = new.created_at.unwrap_or(now);
        let is_over = new.status.is_over();
        let mut ticket = Ticket {
            id,
            organization_id: tenant,
            title: new.title,
            status: new.status,
            priority: new.priority,
            assignee_id: new.assignee_id,
            last_message_at: None,
            resolved_at: is_over.then(|| new.resolved_at.unwrap_or(now)),
            created_at,
            updated_at: created_at,
        };
        let mut writes = Vec::with_capacity(2 + new.messages.len());
        for (id, message) in message_ids.into_iter().zip(new.messages) {
            let message = TicketMessage {
                id,
                organization_id: tenant,
                ticket_id: ticket.id,
                content: message.content,
                user_id: message.user_id,
                created_at: message.created_at.unwrap_or(now),
            };
            ticket.last_message_at = ticket.last_message_at.max(Some(message.created_at));
            writes.push(Write::create(&message)?);
        }
        let changes = [ticket.last_message_at, ticket.resolved_at];
        ticket.updated_at = changes
            .into_iter()
            .flatten()
            .fold(created_at, Timestamp::max);
        writes.push(Write::create(&ticket)?);
        if let Some(resolved_at) = ticket.resolved_at {
            let resolution = Resolution::Made(resolved_at);
            writes.push(resolutions::count(tenant, created_at, resolution));
        }
        writes.extend(given.created(&ticket, now)?);
        self.0.create_all(given, writes, id).await?;
        Ok(Stored::created(ticket))
    }

    /// The organization's tickets that fit, by creation.
    pub async fn list(
        &self,
        tenant: OrganizationId,
        caller: UserId,
        filter: &TicketFilter,
        sort: CreatedSort,
        wanted: &Wanted,
    ) -> Result<Page<Stored<Ticket>>, Error> {
        let filter = Filter::of(caller)
            .any("status", filter.status.as_ref())?
            .any("priority", filter.priority.as_ref())?
            .any("assigneeId", filter.assignee_id.as_ref())?
            .since("updatedAt", filter.updated_since);
        let tickets = key::tickets(tenant)
            .filter(filter.condition())
            .descending_if(sort.is_descending());
        self.0.table.page(tickets, wanted).await
    }

    /// One ticket with its messages by time. 404 when it is not the tenant's.
    pub async fn get(
        &self,
        tenant: OrganizationId,
        id: TicketId,
        sort: ThreadSort,
        wanted: &Wanted,
    ) -> Result<TicketWithMessages, Error> {
        let table = &self.0.table;
        let key = key::ticket(tenant, id);
        let messages = key::ticket_messages(tenant, id)
            .consistent()
            .descending_if(sort.is_descending());
        let (ticket, messages) = tokio::try_join!(
            table.get(&key, Read::Consistent),
            table.page(messages, wanted),
        )?;
        let ticket = ticket.or_not_found(TicketId::NOUN)?;
        let authors = || messages.records().map(|message| message.user_id);
        let user = |id| key::user(tenant, id);
        let found = table.batch_get(authors().map(user), Read::Eventual).await?;
        let senders: HashMap<_, Sender> = found.all(authors(), user);
        let messages = messages.map(|message| MessageFrom {
            sender: senders.get(&message.user_id).cloned().unwrap_or_default(),
            message: message.record,
        });
        Ok(TicketWithMessages { ticket, messages })
    }

    /// Changes a ticket, and counts its resolution when it is resolved, or no longer when it is
    /// opened again. 404 when it is not the tenant's, 400 when its assignee is not, 409 when its
    /// status may not become what is asked for.
    pub async fn update(
        &self,
        permit: impl Into<Permit>,
        id: TicketId,
        update: TicketUpdate,
    ) -> Result<Stored<Ticket>, Error> {
        let permit = permit.into();
        let key = key::ticket(permit.tenant(), id);
        let assignee = update.assignee_id.value().copied();
        let change = |ticket: &mut Ticket, now| {
            let resolution = ticket.change(update.clone(), now)?;
            Ok(resolution.map(|it| (ticket.created_at, it)))
        };
        self.0
            .update_assigned(permit, key, TicketId::NOUN, assignee, change)
            .await
    }

    /// Replies to a ticket. A pending or resolved one is open from then on, and a resolution no
    /// longer counts. 404 when it is not the tenant's, 409 when it is closed.
    pub async fn reply(
        &self,
        permit: impl Into<Permit>,
        id: TicketId,
        author: UserId,
        content: Content,
    ) -> Result<(), Error> {
        let reply = async |permit| self.reply_now(permit, id, author, content).await;
        permit.into().once(reply, async |_| Ok(())).await
    }

    async fn reply_now(
        &self,
        permit: Permit,
        id: TicketId,
        author: UserId,
        content: Content,
    ) -> Result<(), Error> {
        let tenant = permit.tenant();
        let key = key::ticket(tenant, id);
        let read = || self.0.table.get(&key, Read::Consistent);
        let found = async { tokio::try_join!(self.0.next_id(), read()) };
        let (given, (message_id, found)) = permit.beside(found).await?;
        let (given, content) = (&given, &content);
        let write = |ticket: Option<Stored<Ticket>>| async move {
            let ticket = ticket.or_not_found(TicketId::NOUN)?;
            if ticket.status == ServiceStatus::Closed {
                let detail = "The ticket is closed and takes no more replies.";
                return Err(Error::conflict(Code::TicketClosed, detail));
            }
            let message = TicketMessage {
                id: message_id,
                organization_id: tenant,
                ticket_id: id,
                content: Content::clone(content),
                user_id: author,
                created_at: self.0.clock.now(),
            };
            let writes = writes_of_reply(given, &ticket, &message)?;
            match self.0.commit(given, writes, Some(message_id.get())).await? {
                Err(refused) if !refused.at(0) => Err(id_is_taken(TicketMessage::KIND)),
                done => Ok(done.ok()),
            }
        };
        rewrite(found, read, write).await
    }
}

/// The ticket first. Unless the reply opens it again, it expects no version but the status that the
/// reply was judged by, so that replies at the same time do not stand in each other's way.
fn writes_of_reply(
    given: &Given,
    ticket: &Stored<Ticket>,
    message: &TicketMessage,
) -> Result<Vec<Write>, Error> {
    let now = message.created_at;
    let mut as_read = Condition::default().equals("status", ticket.status);
    let mut change = Change::default()
        .set("lastMessageAt", now)
        .set("updatedAt", now);
    let (mut uncounted, mut entry) = (None, None);
    if ticket.status.reopens_on_answer() {
        let mut opened = ticket.clone();
        opened.status = ServiceStatus::Open;
        entry = given.updated(&ticket.record, &opened, now)?;
        as_read = as_read.equals("version", ticket.version);
        change = change.set("status", ServiceStatus::Open);
        if let Some(resolved_at) = ticket.resolved_at {
            change = change.remove("resolvedAt");
            let (tenant, created_at) = (ticket.organization_id, ticket.created_at);
            let resolution = Resolution::TakenBack(resolved_at);
            uncounted = Some(resolutions::count(tenant, created_at, resolution));
        }
    }
    let mut writes = vec![
        Write::update(ticket.key(), change, as_read),
        Write::create(message)?,
    ];
    writes.extend(uncounted);
    writes.extend(entry);
    Ok(writes)
}
