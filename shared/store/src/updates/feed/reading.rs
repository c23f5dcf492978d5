//! Pages of the change feed.

use std::collections::HashMap;

use model::{
    base::{Error, FeedType, OrOther, ProjectId, RecordName, Timestamp},
    people::{Scope, UserRef},
    updates::{FeedAction, FeedEntry},
};
use serde::{Deserialize, Serialize};
use table::{
    Readable,
    page::{ListPosition, Page, Row},
};
use utoipa::ToSchema;

use crate::{
    Result, Tenant,
    base::{Reader, scope::Placed},
    key,
    updates::Feed,
};

use super::{
    SKEW,
    tail::{KEPT, newest_of},
};

/// The most batches of a read.
const AT_ONCE: usize = 100;

/// The most entries that a page reads.
const MOST_READ: usize = 10_000;

/// The first entry of a page.
#[derive(Clone, Debug)]
pub enum FeedFrom {
    /// The next one to be appended.
    Now,
    Oldest,
    After(ListPosition),
}

/// A batch as readers have it.
#[derive(Deserialize)]
struct KeptBatch {
    /// The number under which it is written.
    follows: i64,
    first: i64,
    entries: Vec<KeptEntry>,
    at: Timestamp,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum KeptEntry {
    Known(Box<FeedEntry>),
    Other(OtherEntry),
}

/// An entry of a type or an action that a later version has. No reader sees it.
#[derive(Deserialize)]
#[serde(try_from = "EntryNames")]
struct OtherEntry;

/// The names of an entry that a later version may extend.
#[derive(Deserialize)]
struct EntryNames {
    r#type: OrOther<FeedType>,
    action: OrOther<FeedAction>,
    parent: Option<ParentName>,
}

#[derive(Deserialize)]
struct ParentName {
    r#type: OrOther<FeedType>,
}

impl TryFrom<EntryNames> for OtherEntry {
    type Error = &'static str;

    fn try_from(names: EntryNames) -> Result<Self, Self::Error> {
        let parent = names.parent.map(|parent| parent.r#type);
        let is_known = names.r#type.known().is_some()
            && names.action.known().is_some()
            && parent.is_none_or(|parent| parent.known().is_some());
        if is_known {
            Err("an entry of known names does not read")
        } else {
            Ok(Self)
        }
    }
}

/// The entries of batches that this release knows.
fn entries_of(batches: &[Readable<KeptBatch>]) -> impl Iterator<Item = &FeedEntry> {
    let readable = batches
        .iter()
        .filter_map(|batch| match batch {
            Readable::Yes(stored) => Some(&stored.record.entries),
            Readable::No(_) => None,
        });
    readable
        .flatten()
        .filter_map(|entry| match entry {
            KeptEntry::Known(entry) => Some(&**entry),
            KeptEntry::Other(_) => None,
        })
}

impl KeptBatch {
    /// The number after the last one.
    fn end(&self) -> i64 {
        let entries = i64::try_from(self.entries.len()).unwrap_or(i64::MAX);
        self.first.saturating_add(entries)
    }

    fn is_expired(&self, now: Timestamp) -> bool {
        now.since(self.at) >= KEPT
    }
}

/// A change of a record.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Change)]
#[serde(rename_all = "camelCase")]
pub struct NumberedEntry {
    /// Unique in the organization, increasing.
    id: String,
    #[serde(rename = "type")]
    kind: FeedType,
    record_id: i64,
    /// Subject of a comment or a message; project of a task, a milestone, a phase or an activity.
    parent: Option<RecordName>,
    /// Action of an agent session that changed, with its version, as `a1@3`; null for other
    /// changes.
    part: Option<String>,
    action: FeedAction,
    /// Version that the change led to; null for records without one.
    version: Option<i64>,
    /// Names of the changed fields, at most 50; empty for created and deleted records.
    fields: Vec<String>,
    at: Timestamp,
    /// Id of the write. That of a request begins with the request's `X-Request-Id`. Null if it is
    /// not known.
    write_id: Option<String>,
    /// User who made the change; null for the service itself.
    actor: Option<UserRef>,
}

#[derive(Clone, Debug)]
pub struct FeedFilter {
    pub types: Vec<FeedType>,
    /// True if entries of internal notes fit.
    pub with_notes: bool,
    /// The projects; `None` for all, and for records without one.
    pub projects: Option<Vec<ProjectId>>,
}

impl FeedFilter {
    fn fits(&self, entry: &FeedEntry, scope: &Scope) -> bool {
        let project = entry.project_id;
        let is_of_projects =
            |projects: &Vec<_>| project.is_some_and(|project| projects.contains(&project));
        self.types.contains(&entry.of.kind)
            && (self.with_notes || !entry.internal)
            && scope.sees(entry.place())
            && self
                .projects
                .as_ref()
                .is_none_or(is_of_projects)
    }
}

/// A place in the feed. All entries after it were appended at `since` or later, so that none of
/// them has expired as long as `since` is within 30 days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Position {
    /// The number under which a batch is written, or the end of the last one.
    batch: i64,
    /// The entries of the batch that come before the place.
    skipped: usize,
    since: Timestamp,
    /// The epoch of the feed.
    epoch: i64,
}

impl Position {
    /// The place after the newest entry that was read at `now`.
    const fn at_end(end: i64, epoch: i64, now: Timestamp) -> Self {
        Self {
            batch: end,
            skipped: 0,
            // The clock of a publisher may be behind.
            since: now.plus(-SKEW),
            epoch,
        }
    }

    fn place(self, tenant: Tenant) -> Option<ListPosition> {
        let prefix = key::tenant_prefix(tenant);
        let batch = self.batch;
        let since = self.since.millis();
        let text = format!("{batch}\n{}\n{since}\n{}", self.skipped, self.epoch);
        ListPosition::from_text(&prefix, &text)
    }

    fn of(tenant: Tenant, place: &ListPosition) -> Option<Self> {
        let text = place.to_text(&key::tenant_prefix(tenant));
        let mut parts = text.split('\n');
        Some(Self {
            batch: parts.next()?.parse().ok()?,
            skipped: parts.next()?.parse().ok()?,
            since: Timestamp::from_millis(parts.next()?.parse().ok()?),
            epoch: parts.next()?.parse().ok()?,
        })
    }
}

impl Feed<'_> {
    /// Returns a page of the feed, oldest entry first. It always has an end, where the next page
    /// begins. 410 for a place before entries that may have expired, and for a place of another
    /// feed. 503 for a place before a batch that does not read.
    pub async fn page(
        &self,
        reader: &Reader,
        from: FeedFrom,
        filter: &FeedFilter,
        most: usize,
    ) -> Result<Page<NumberedEntry>> {
        let tenant = reader.tenant;
        let now = self.0.now();
        let damaged = || Error::internal("reading the change feed", "a place that does not read");
        let from = match from {
            FeedFrom::Now => {
                let newest = newest_of(&self.0.table, key::feed(tenant));
                let (epoch, newest) = tokio::try_join!(self.epoch(tenant), newest)?;
                let end = newest.map_or(0, |batch| batch.end);
                let end = Position::at_end(end, epoch, now);
                return self
                    .shown(tenant, Vec::new(), end)
                    .await;
            }
            FeedFrom::Oldest => None,
            FeedFrom::After(place) => Some(Position::of(tenant, &place).ok_or_else(damaged)?),
        };
        if from.is_some_and(|from| now.since(from.since) >= KEPT) {
            return Err(Error::CursorExpired);
        }
        let begin = from.map_or(0, |from| from.batch);
        let is_there = self.has(tenant, from);
        let batches = self.batches(tenant, begin);
        let (epoch, is_there, mut batches) =
            tokio::try_join!(self.epoch(tenant), is_there, batches)?;
        if !is_there || from.is_some_and(|from| from.epoch != epoch) {
            return Err(Error::CursorExpired);
        }
        let mut position = from.unwrap_or_else(|| Position::at_end(0, epoch, now));
        let mut rows = Vec::new();
        let mut read = 0;
        let mut scope = reader.scope().await?;
        loop {
            let is_last = batches.len() < AT_ONCE;
            let entries = entries_of(&batches);
            scope = self
                .0
                .scoped()
                .newer(scope, tenant, entries)
                .await?;
            for batch in batches {
                let batch = match batch {
                    Readable::Yes(stored) => stored.record,
                    // The next page begins here, and fails.
                    Readable::No(_) if read > 0 => {
                        return self.shown(tenant, rows, position).await;
                    }
                    Readable::No(key) => {
                        return Err(Error::Unavailable {
                            what: "a part of the change feed",
                            source: format!("{key} does not read").into(),
                        });
                    }
                };
                // A feed that started again has no batch of that number.
                let follows = batch.follows;
                let skipped = (follows == position.batch).then_some(position.skipped);
                let end = batch.end();
                let at = batch.at.plus(-SKEW);
                // Readers from the oldest entry on see none that has expired.
                if from.is_none() && batch.is_expired(now) {
                    position = Position::at_end(end, epoch, now);
                    continue;
                }
                let numbered = (batch.first..)
                    .zip(batch.entries)
                    .enumerate();
                for (place, (number, entry)) in numbered.skip(skipped.unwrap_or_default()) {
                    read += 1;
                    let is_last = number + 1 == end;
                    position = Position {
                        batch: if is_last { end } else { follows },
                        skipped: if is_last { 0 } else { place + 1 },
                        since: at,
                        epoch,
                    };
                    if let KeptEntry::Known(entry) = entry
                        && filter.fits(&entry, &scope)
                    {
                        rows.push((number, *entry, position));
                    }
                    if rows.len() == most || read == MOST_READ {
                        return self.shown(tenant, rows, position).await;
                    }
                }
            }
            if is_last {
                let end = Position::at_end(position.batch, epoch, now);
                return self.shown(tenant, rows, end).await;
            }
            batches = self
                .batches(tenant, position.batch)
                .await?;
        }
    }

    /// The epoch of a feed, which each restart raises.
    async fn epoch(&self, tenant: Tenant) -> Result<i64> {
        let start = self.start(tenant).await?;
        Ok(start.map_or(0, |start| start.epoch))
    }

    /// Batches from a number on, at most [`AT_ONCE`].
    async fn batches(&self, tenant: Tenant, from: i64) -> Result<Vec<Readable<KeptBatch>>> {
        let batches = key::feed(tenant)
            .from(key::feed_number(from))
            .consistent();
        let batches = batches.limit(AT_ONCE).read_as();
        self.0
            .table
            .list_readable(batches)
            .await
    }

    /// Returns true if the feed has a place: in a batch, after one, or before all. After a restore,
    /// it may have lost those after which a place was.
    async fn has(&self, tenant: Tenant, place: Option<Position>) -> Result<bool> {
        let Some(Position { batch, skipped, .. }) = place else {
            return Ok(true);
        };
        let before_list = key::feed(tenant).up_to(key::feed_number(batch));
        let before = newest_of(&self.0.table, before_list).await?;
        Ok(before
            .is_none_or(|before| before.follows == batch || (before.end == batch && skipped == 0)))
    }

    async fn shown(
        &self,
        tenant: Tenant,
        rows: Vec<(i64, FeedEntry, Position)>,
        end: Position,
    ) -> Result<Page<NumberedEntry>> {
        let actors = rows
            .iter()
            .filter_map(|(_, entry, _)| entry.actor);
        let users: HashMap<_, UserRef> = self.0.users(tenant, actors).await?;
        let rows = rows
            .into_iter()
            .filter_map(|(number, entry, position)| {
                Some(Row {
                    record: NumberedEntry {
                        id: number.to_string(),
                        kind: entry.of.kind,
                        record_id: entry.of.record_id,
                        parent: entry.parent,
                        part: entry.part,
                        action: entry.action,
                        version: entry.version,
                        fields: entry.fields,
                        at: entry.at,
                        write_id: entry.write_id,
                        actor: entry
                            .actor
                            .and_then(|id| users.get(&id).cloned()),
                    },
                    place: position.place(tenant)?,
                })
            });
        Ok(Page {
            rows: rows.collect(),
            end: end.place(tenant),
        })
    }
}
