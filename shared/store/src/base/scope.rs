//! The scope of a reader: the records that they see.
//!
//! No read passes it by. Answers are made of [`InScope`] records, and only a scope makes one of a
//! record that was read. [`Unplaced`] lists the records that need none, each with the reason.

use std::{
    collections::BTreeSet,
    fmt,
    future::ready,
    ops::{Deref, DerefMut},
    sync::Arc,
};

use agent::{alert::Alert, connection::Connection, journal::JournalEntry, policy::AgentPolicy};
use futures::{
    FutureExt,
    future::{BoxFuture, Shared},
};
use model::{
    base::{Error, ProjectId, Timestamp},
    people::{
        Customer, Invitation, Organization, Place, Scope, Scopes, Session, SignInProvider, Tag,
        Token, User,
    },
    updates::{FeedEntry, Webhook, WebhookDelivery},
    work::{
        Activity, Comment, Milestone, Phase, Project, ServiceRequest, Task, Ticket, TicketMessage,
    },
};
use serde::de::DeserializeOwned;
use table::{
    OrNotFound, Stored,
    page::{Page, PageRequest},
};

use crate::{
    Result, Tenant,
    base::{
        recent::Knowing,
        records::{Located, Tags},
        store::resource,
    },
    key::{self, Keyed},
};

/// The most reads of a page in which rows are out of scope.
const READS: usize = 5;

/// The reader of an organization's records. A read begins before the scope is known, and no row
/// leaves the store before it is.
#[derive(Clone)]
pub struct Reader {
    pub tenant: Tenant,
    scope: Shared<BoxFuture<'static, Option<Arc<Scope>>>>,
}

/// A record in the scope of its reader.
#[derive(Clone, Debug)]
pub struct InScope<R>(Stored<R>);

/// A record with a place, which decides whether it is in scope.
pub trait Placed {
    fn place(&self) -> Place;

    /// When it was made, if it is known.
    fn since(&self) -> Option<Timestamp>;
}

/// A record that all who may read its type see.
pub trait Unplaced {}

/// Declares where records are.
macro_rules! places {
    ($($record:ident: $type:ty => $place:expr, $since:expr;)+) => {$(
        impl Placed for $type {
            fn place(&self) -> Place {
                let $record = self;
                $place
            }

            fn since(&self) -> Option<Timestamp> {
                let $record = self;
                $since
            }
        }
    )+};
}

places! {
    project: Project => Place::Project {
        id: project.id,
        is_restricted: project.is_restricted(),
    }, Some(project.created_at);
    phase: Phase => Place::InProject(phase.project_id), Some(phase.created_at);
    milestone: Milestone => Place::InProject(milestone.project_id), Some(milestone.created_at);
    task: Task => Place::of_project(task.project_id), Some(task.created_at);
    activity: Activity => Place::of_project(activity.project_id), Some(activity.created_at);
    // The project of what it is on.
    comment: Comment => Place::of_project(comment.project_id), Some(comment.created_at);
    tags: Tags => Place::of_project(tags.project_id), tags.created_at;
    located: Located => Place::of_project(located.project_id), located.created_at;
    ticket: Ticket => Place::Raised { customer: ticket.customer_id, creator: ticket.creator_id },
        Some(ticket.created_at);
    request: ServiceRequest => Place::Raised {
        customer: request.customer_id,
        creator: Some(request.creator_id),
    }, Some(request.created_at);
    entry: FeedEntry => Place::of_project(entry.project_id), Some(entry.at);
}

/// Declares records that need no scope, each with the reason.
macro_rules! unplaced {
    ($($type:ty: $reason:literal;)+) => {$(
        #[doc = $reason]
        impl Unplaced for $type {}

        impl Placed for $type {
            fn place(&self) -> Place {
                Place::Organization
            }

            fn since(&self) -> Option<Timestamp> {
                None
            }
        }
    )+};
}

unplaced! {
    User: "Names of people are visible to all.";
    Organization: "All users are of it.";
    Tag: "Tags are of the whole organization.";
    Customer: "Staff sees all customers.";
    TicketMessage: "Its ticket was read with it, and is in scope.";
    Invitation: "Those who manage users see it.";
    SignInProvider: "Those who manage the organization see it.";
    Session: "It is its user's.";
    Token: "It is its user's.";
    Webhook: "Those who manage the organization see it.";
    WebhookDelivery: "Those who manage the organization see it.";
    Alert: "It takes a permission of its own.";
    JournalEntry: "It takes a permission of its own.";
    AgentPolicy: "It takes a permission of its own.";
    Connection: "Those who manage the organization see it.";
}

impl Reader {
    /// A reader whose scope is known once the authentication has succeeded. `None` is a refusal,
    /// whose error the client gets from the authentication.
    pub fn new(
        tenant: Tenant,
        scope: impl Future<Output = Option<Arc<Scope>>> + Send + 'static,
    ) -> Self {
        let scope = scope.boxed().shared();
        Self { tenant, scope }
    }

    /// The service itself, which sees all records.
    pub fn service(tenant: Tenant) -> Self {
        Self::with(tenant, Scope::Organization)
    }

    /// A reader whose scope is known.
    pub(crate) fn with(tenant: Tenant, scope: Scope) -> Self {
        Self::new(tenant, ready(Some(Arc::new(scope))))
    }

    /// The scope, as it is known to the instance: up to five seconds old.
    pub(crate) async fn scope(&self) -> Result<Arc<Scope>> {
        let scope = self.scope.clone().await;
        scope.ok_or(Error::Unauthenticated)
    }
}

resource! {
    /// The records in scope of readers.
    pub Scoped as scoped
}

impl Scoped<'_> {
    /// The scope of a reader of these records. It is read again if one of them may be of a newer
    /// project, one that the instance meets for the first time.
    pub(crate) async fn scope<'a, R: Placed + 'a>(
        self,
        reader: &Reader,
        records: impl IntoIterator<Item = &'a R>,
    ) -> Result<Arc<Scope>> {
        let scope = reader.scope().await?;
        self.newer(scope, reader.tenant, records)
            .await
    }

    /// The scope, or a newer one, as [`scope`](Self::scope).
    pub(crate) async fn newer<'a, R: Placed + 'a>(
        self,
        scope: Arc<Scope>,
        tenant: Tenant,
        records: impl IntoIterator<Item = &'a R>,
    ) -> Result<Arc<Scope>> {
        let Scope::Staff(staff) = &*scope else {
            return Ok(scope);
        };
        let newer: BTreeSet<ProjectId> = records
            .into_iter()
            .filter_map(|record| staff.may_precede(record.place(), record.since()))
            .collect();
        if newer.is_empty() {
            return Ok(scope);
        }
        let (scopes, as_of) = match self
            .0
            .recent
            .knowing(tenant, &newer, staff.as_of)
        {
            Some(Knowing::Same) => return Ok(scope),
            Some(Knowing::Newer(scopes)) => scopes,
            None => {
                let now = self.0.now();
                let scopes = self.scopes(tenant).await?;
                self.0
                    .recent
                    .renew(tenant, &scopes, now, newer);
                (scopes, now)
            }
        };
        Ok(Arc::new(scope.renewed(&scopes, as_of)))
    }

    /// The projects of an organization that not all see, as they are now.
    pub(crate) async fn scopes(self, tenant: Tenant) -> Result<Scopes> {
        let key = key::scopes(tenant);
        let batch = self.0.batch([&key]).await?;
        let scopes = batch.get(&key)?;
        Ok(scopes.map_or_else(|| Scopes::none(tenant), |stored| stored.record))
    }

    /// One record by its id. 404 when it is not the tenant's, and out of the reader's scope.
    pub(crate) async fn get<I: Keyed<Record: DeserializeOwned + Placed>>(
        self,
        reader: &Reader,
        id: I,
    ) -> Result<InScope<I::Record>> {
        let key = id.key(reader.tenant);
        let record = self.0.one(&key, I::NOUN).await?;
        self.record(reader, record, I::NOUN)
            .await
    }

    /// The record, if it is in scope. 404 otherwise, by that name.
    pub(crate) async fn record<R: Placed>(
        self,
        reader: &Reader,
        record: Stored<R>,
        noun: &'static str,
    ) -> Result<InScope<R>> {
        let scope = self
            .scope(reader, [&record.record])
            .await?;
        InScope::of(record, &scope).or_not_found(noun)
    }

    /// As [`record`](Self::record), of a record that others hang on.
    pub(crate) async fn place<R: Placed>(
        self,
        reader: &Reader,
        record: Option<Stored<R>>,
        noun: &'static str,
    ) -> Result<InScope<R>> {
        let record = record.or_not_found(noun)?;
        self.record(reader, record, noun).await
    }

    /// A page of rows in scope. Where rows are out of scope, further reads fill it, up to
    /// [`READS`]. A page may still have fewer rows than are wanted.
    pub(crate) async fn filled_page<R, F>(
        self,
        reader: &Reader,
        wanted: &PageRequest,
        read: impl Fn(PageRequest) -> F,
    ) -> Result<Page<InScope<R>>>
    where
        R: Placed,
        F: Future<Output = Result<Page<Stored<R>>>>,
    {
        let first = read(wanted.clone()).await?;
        let mut was_read = first.rows.len();
        let mut page = self.page(reader, first).await?;
        for _ in 1..READS {
            let missing = wanted
                .most()
                .saturating_sub(page.rows.len());
            if page.rows.len() == was_read || missing == 0 {
                break;
            }
            let Some(end) = page.end.take() else {
                break;
            };
            let next = PageRequest {
                rows: Some(missing),
                after: Some(end),
            };
            let next = read(next).await?;
            was_read += next.rows.len();
            let next = self.page(reader, next).await?;
            page.rows.extend(next.rows);
            page.end = next.end;
        }
        Ok(page)
    }

    /// The rows of a page that are in scope.
    pub(crate) async fn page<R: Placed>(
        self,
        reader: &Reader,
        page: Page<Stored<R>>,
    ) -> Result<Page<InScope<R>>> {
        let records = page
            .records()
            .map(|stored| &stored.record);
        let scope = self.scope(reader, records).await?;
        Ok(page.filter_map(|record| InScope::of(record, &scope)))
    }
}

impl fmt::Debug for Reader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader")
            .field("tenant", &self.tenant)
            .finish_non_exhaustive()
    }
}

impl<R: Placed> InScope<R> {
    /// The record; `None` out of scope.
    pub(crate) fn of(record: Stored<R>, scope: &Scope) -> Option<Self> {
        scope
            .sees(record.place())
            .then_some(Self(record))
    }

    /// A record that a write of this scope made or changed.
    pub(crate) fn written(record: Stored<R>) -> Self {
        Self(record)
    }
}

impl InScope<Project> {
    /// The rows of a page that are of this project. It is in scope, so they are.
    pub(crate) fn rows<R: Placed>(&self, page: Page<Stored<R>>) -> Page<InScope<R>> {
        let here = Place::InProject(self.id);
        page.filter_map(|row| (row.place() == here).then_some(InScope(row)))
    }
}

impl<R> InScope<R> {
    pub fn into_stored(self) -> Stored<R> {
        self.0
    }
}

impl<R> Deref for InScope<R> {
    type Target = Stored<R>;

    fn deref(&self) -> &Stored<R> {
        &self.0
    }
}

impl<R> DerefMut for InScope<R> {
    fn deref_mut(&mut self) -> &mut Stored<R> {
        &mut self.0
    }
}
