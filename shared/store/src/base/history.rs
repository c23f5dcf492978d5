//! Histories of records. Each change adds an entry in its own transaction. No entry is altered or
//! deleted, not even with its record.

use std::collections::HashMap;

use model::{
    base::{FieldChange, HistoryEntry, HistoryEvent, HistoryOf, Timestamp},
    people::UserRef,
};
use serde::Serialize;
use table::{
    OrNotFound, Stored, Write,
    page::{Page, PageRequest},
};
use utoipa::ToSchema;

use crate::{
    Result,
    base::{
        Reader, Store, WriteContext,
        fields::{UPDATED_AT, fields},
        record::record,
        scope::Placed,
        tracked::Tracked,
    },
    key,
};

/// Attributes whose changes are left out, since they follow from other changes.
const NO_NEWS: [&str; 3] = [UPDATED_AT, "resolvedAt", "lastMessageAt"];

/// The place of a record in a list, whose change alone makes no entry.
const ORDER: &str = "order";

/// A change of a record. Entries never change.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = HistoryEntry)]
#[serde(rename_all = "camelCase")]
pub struct EntryWithActor {
    /// The version of the record after the change.
    id: i64,
    at: Timestamp,
    /// The user who made the change; null for the service itself, or if the account is gone.
    actor: Option<UserRef>,
    what: HistoryEvent,
    /// The changed fields; none for a created or deleted record.
    changes: Vec<FieldChange>,
}

record! { entry: HistoryEntry = "history_entry", key: key::history_entry(entry), }

impl WriteContext {
    /// The entry of a new record. As all of these, `None` for a record without a history.
    pub(crate) fn created<R: Tracked>(&self, record: &R, now: Timestamp) -> Result<Option<Write>> {
        self.entry(record.history(), 1, HistoryEvent::Created, Vec::new(), now)
    }

    /// The entry of a record that [replaces](Write::replace) its earlier version. `None` when no
    /// attribute changed but its place in a list.
    pub(crate) fn updated<R: Tracked>(
        &self,
        before: &R,
        after: &Stored<R>,
        now: Timestamp,
    ) -> Result<Option<Write>> {
        let Some(of) = after.history() else {
            return Ok(None);
        };
        let changes = changes(before, &after.record)?;
        if changes
            .iter()
            .all(|change| change.field == ORDER)
        {
            return Ok(None);
        }
        let version = after.version + 1;
        self.entry(Some(of), version, HistoryEvent::Updated, changes, now)
    }

    pub(crate) fn changed(
        &self,
        of: Option<HistoryOf>,
        version: i64,
        change: Option<FieldChange>,
        now: Timestamp,
    ) -> Result<Option<Write>> {
        let Some(change) = change else {
            return Ok(None);
        };
        self.entry(of, version, HistoryEvent::Updated, vec![change], now)
    }

    pub(crate) fn deleted<R: Tracked>(
        &self,
        record: &Stored<R>,
        now: Timestamp,
    ) -> Result<Option<Write>> {
        let of = record.history();
        let version = record.version + 1;
        self.entry(of, version, HistoryEvent::Deleted, Vec::new(), now)
    }

    fn entry(
        &self,
        of: Option<HistoryOf>,
        version: i64,
        event: HistoryEvent,
        changes: Vec<FieldChange>,
        now: Timestamp,
    ) -> Result<Option<Write>> {
        let Some(of) = of else {
            return Ok(None);
        };
        let entry = HistoryEntry {
            id: version,
            organization_id: self.tenant,
            of,
            at: now,
            actor: self.actor,
            what: event,
            changes,
        };
        Write::create(&entry).map(Some)
    }
}

/// The fields that differ between two states of a record, by name.
fn changes(before: &impl Tracked, after: &impl Tracked) -> Result<Vec<FieldChange>> {
    let (mut before, after) = (fields(before)?, fields(after)?);
    let changes = after
        .into_iter()
        .filter_map(|(name, to)| {
            let from = before.remove(&name).unwrap_or_default();
            if NO_NEWS.contains(&name.as_str()) {
                return None;
            }
            FieldChange::between(&name, from, to)
        });
    Ok(changes.collect())
}

impl Store {
    /// The history of a record, the newest entry first. 404 when the tenant never had it, and out
    /// of the reader's scope. Readers who see all projects read that of a deleted record, too.
    pub async fn history(
        &self,
        reader: &Reader,
        of: HistoryOf,
        wanted: &PageRequest,
    ) -> Result<Page<EntryWithActor>> {
        let tenant = reader.tenant;
        let record = key::tracked(tenant, of);
        let entries = key::history(tenant, of)
            .consistent()
            .descending();
        let batch = self.batch([record.clone()]);
        let (batch, page) = tokio::try_join!(batch, self.table.page(entries, wanted))?;
        // A record that is older than its history may have no entry.
        let was_there = batch.has(&record) || !page.rows.is_empty() || wanted.after.is_some();
        let noun = of.kind().facts().noun;
        let mut located = batch.named(&key::tracked_place(tenant, of));
        if let Some(located) = &mut located {
            located.project_id = of.id_as().or(located.project_id);
        }
        let scope = self
            .scoped()
            .scope(reader, located.as_deref())
            .await?;
        let is_seen = match located {
            Some(located) => scope.sees(located.place()),
            // A deleted record has no place. Who does not see all does not see its history.
            None => scope.has_all_projects(),
        };
        (was_there && is_seen)
            .then_some(())
            .or_not_found(noun)?;
        let page = page.map(|stored| stored.record);
        let actors = page
            .records()
            .filter_map(|entry| entry.actor);
        let users: HashMap<_, UserRef> = self.users(tenant, actors).await?;
        Ok(page.map(|entry: HistoryEntry| EntryWithActor {
            id: entry.id,
            at: entry.at,
            actor: entry
                .actor
                .and_then(|id| users.get(&id).cloned()),
            what: entry.what,
            changes: entry.changes,
        }))
    }
}
