//! What happened to records: each change leaves an entry in the transaction that makes it. Nothing
//! alters or deletes one, not even the record's end.

use model::{
    Error, FieldChange, HistoryEntry, HistoryEvent, HistoryOf, OrganizationId, Timestamp, UserId,
    UserRef,
};
use serde_json::{Map, Value};

use super::{
    Store,
    key::{self, AnyKey, Key},
    page::{Page, Wanted},
    permit::Given,
    table::{OrNotFound, Read, Record, Stored, Write},
};

/// Attributes whose change is no news: they say when something else changed, or follow from it.
const NO_NEWS: [&str; 3] = ["updatedAt", "resolvedAt", "lastMessageAt"];

/// The attribute whose change alone is none: where the record stands in a list.
const ORDER: &str = "order";

/// A change, and who made it.
#[derive(Clone, Debug)]
pub struct EntryWithActor {
    /// The change.
    pub entry: HistoryEntry,
    /// Who made it; none where the service itself did, or the account is gone.
    pub actor: Option<UserRef>,
}

impl Record for HistoryEntry {
    const KIND: &'static str = "history_entry";

    fn key(&self) -> Key<Self> {
        key::history_entry(self)
    }
}

impl Given {
    /// The entry of a record that comes to be.
    pub(crate) fn created<R: Record>(
        &self,
        record: &R,
        now: Timestamp,
    ) -> Result<Option<Write>, Error> {
        self.entry(record.history(), 1, HistoryEvent::Created, Vec::new(), now)
    }

    /// The entry of a record that [replaces](Write::replace) the one that was read, unless nothing
    /// changed that is worth one.
    pub(crate) fn updated<R: Record>(
        &self,
        before: &R,
        after: &Stored<R>,
        now: Timestamp,
    ) -> Result<Option<Write>, Error> {
        let changes = changes(before, &after.record)?;
        if changes.iter().all(|change| change.field == ORDER) {
            return Ok(None);
        }
        let (of, version) = (after.history(), after.version + 1);
        self.entry(of, version, HistoryEvent::Updated, changes, now)
    }

    /// The entry of a record of which the write of this version changes a field.
    pub(crate) fn changed(
        &self,
        of: Option<HistoryOf>,
        version: i64,
        change: Option<FieldChange>,
        now: Timestamp,
    ) -> Result<Option<Write>, Error> {
        let Some(change) = change else {
            return Ok(None);
        };
        self.entry(of, version, HistoryEvent::Updated, vec![change], now)
    }

    /// The entry of a record that is deleted at the version that was read.
    pub(crate) fn deleted<R: Record>(
        &self,
        record: &Stored<R>,
        now: Timestamp,
    ) -> Result<Option<Write>, Error> {
        let (of, version) = (record.history(), record.version + 1);
        self.entry(of, version, HistoryEvent::Deleted, Vec::new(), now)
    }

    fn entry(
        &self,
        of: Option<HistoryOf>,
        version: i64,
        what: HistoryEvent,
        changes: Vec<FieldChange>,
        now: Timestamp,
    ) -> Result<Option<Write>, Error> {
        let Some(of) = of else {
            return Ok(None);
        };
        let entry = HistoryEntry {
            id: version,
            organization_id: self.tenant(),
            of,
            at: now,
            actor: self.actor(),
            what,
            changes,
        };
        Write::create(&entry).map(Some)
    }
}

/// What differs between two states of a record, by name.
fn changes<R: Record>(before: &R, after: &R) -> Result<Vec<FieldChange>, Error> {
    let (mut before, after) = (fields(before)?, fields(after)?);
    let changes = after.into_iter().filter_map(|(name, to)| {
        let from = before.remove(&name).unwrap_or_default();
        if NO_NEWS.contains(&name.as_str()) {
            return None;
        }
        FieldChange::between(&name, from, to)
    });
    Ok(changes.collect())
}

fn fields(record: &impl serde::Serialize) -> Result<Map<String, Value>, Error> {
    match serde_json::to_value(record) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(Error::internal("writing history", "a record is no object")),
        Err(error) => Err(Error::internal("writing history", error)),
    }
}

impl Store {
    /// What happened to a record, the newest first, also to one that was deleted. 404 when the tenant
    /// never had it.
    pub async fn history(
        &self,
        tenant: OrganizationId,
        of: HistoryOf,
        wanted: &Wanted,
    ) -> Result<Page<EntryWithActor>, Error> {
        let (record, noun) = record_of(tenant, of);
        let entries = key::history(tenant, of).consistent().descending();
        let (found, page) = tokio::try_join!(
            self.table.batch_get([record.clone()], Read::Consistent),
            self.table.page(entries, wanted),
        )?;
        // One that is older than its history may have none.
        let was_there = found.has(&record) || !page.rows.is_empty() || wanted.after.is_some();
        was_there.then_some(()).or_not_found(noun)?;
        let page = page.map(|stored| stored.record);
        let actors = || page.records().filter_map(|entry| entry.actor);
        let user = |id: UserId| key::user(tenant, id);
        let found = self
            .table
            .batch_get(actors().map(user), Read::Eventual)
            .await?;
        let users = found.all(actors(), user);
        Ok(page.map(|entry: HistoryEntry| EntryWithActor {
            actor: entry.actor.and_then(|id| users.get(&id).cloned()),
            entry,
        }))
    }
}

/// Where a record with a history stands, and what it is called.
fn record_of(tenant: OrganizationId, of: HistoryOf) -> (AnyKey, &'static str) {
    use model::{Id, MilestoneId, ProjectId, ServiceRequestId, TaskId, TicketId};
    match of {
        HistoryOf::Task(id) => (key::task(tenant, id).into(), TaskId::NOUN),
        HistoryOf::Milestone(id) => (key::milestone(tenant, id).into(), MilestoneId::NOUN),
        HistoryOf::ServiceRequest(id) => (
            key::service_request(tenant, id).into(),
            ServiceRequestId::NOUN,
        ),
        HistoryOf::Ticket(id) => (key::ticket(tenant, id).into(), TicketId::NOUN),
        HistoryOf::Project(id) => (key::project(tenant, id).into(), ProjectId::NOUN),
    }
}
