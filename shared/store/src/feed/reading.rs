//! Pages of the change feed.

use std::collections::HashMap;

use model::{Error, FeedEntry, OrganizationId, ProjectId, RecordType, Timestamp, UserRef};

use super::{Feed, KEPT, SKEW};
use crate::{
    key,
    page::{Page, Place, Row},
    records::FeedBatch,
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
    /// The oldest one that is kept.
    Oldest,
    /// The one after this place.
    After(Place),
}

/// An entry of the change feed with its number.
#[derive(Clone, Debug)]
pub struct NumberedEntry {
    /// The number, unique in the organization and increasing.
    pub number: i64,
    /// The entry.
    pub entry: FeedEntry,
    /// The user who made the change; `None` for the service itself, and for an account that is gone.
    pub actor: Option<UserRef>,
}

/// A filter of the change feed.
#[derive(Clone, Debug)]
pub struct FeedFilter {
    /// The types.
    pub types: Vec<RecordType>,
    /// True if entries of internal notes fit.
    pub with_notes: bool,
    /// The projects; `None` for all, and for records without one.
    pub projects: Option<Vec<ProjectId>>,
}

impl FeedFilter {
    fn fits(&self, entry: &FeedEntry) -> bool {
        let project = entry.project_id;
        let is_of_projects = |projects: &Vec<_>| project.is_some_and(|one| projects.contains(&one));
        self.types.contains(&entry.of.kind)
            && (self.with_notes || !entry.internal)
            && self.projects.as_ref().is_none_or(is_of_projects)
    }
}

/// A place in the feed. All entries after it were appended at `since` or later, so that none of them has
/// expired as long as `since` is within 30 days.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Position {
    /// The first number of a batch, or the end of the last one.
    batch: i64,
    /// The entries of the batch that come before the place.
    skipped: usize,
    since: Timestamp,
}

impl Position {
    /// The place after the newest entry that was read at `now`.
    const fn at_end(end: i64, now: Timestamp) -> Self {
        Self {
            batch: end,
            skipped: 0,
            // The clock of a publisher may be behind.
            since: now.plus(-SKEW),
        }
    }

    /// The place as lists have it.
    fn place(self, tenant: OrganizationId) -> Option<Place> {
        let prefix = key::tenant_prefix(tenant);
        let (batch, since) = (self.batch, self.since.millis());
        Place::from_text(&prefix, &format!("{batch}\n{}\n{since}", self.skipped))
    }

    fn of(tenant: OrganizationId, place: &Place) -> Option<Self> {
        let text = place.to_text(&key::tenant_prefix(tenant));
        let mut parts = text.split('\n');
        Some(Self {
            batch: parts.next()?.parse().ok()?,
            skipped: parts.next()?.parse().ok()?,
            since: Timestamp::from_millis(parts.next()?.parse().ok()?),
        })
    }
}

impl Feed<'_> {
    /// Returns a page of the feed, oldest entry first. It always has an end, where the next page begins.
    /// 410 for a place before entries that may have expired.
    pub async fn page(
        &self,
        tenant: OrganizationId,
        from: FeedFrom,
        filter: &FeedFilter,
        most: usize,
    ) -> Result<Page<NumberedEntry>, Error> {
        let now = self.0.clock.now();
        let damaged = || Error::internal("reading the change feed", "a place that does not read");
        let from = match from {
            FeedFrom::Now => {
                let newest = key::feed(tenant).consistent().descending().limit(1);
                let newest = self.0.table.list(newest).await?;
                let end = newest.first().map_or(0, FeedBatch::end);
                return self
                    .shown(tenant, Vec::new(), Position::at_end(end, now))
                    .await;
            }
            FeedFrom::Oldest => None,
            FeedFrom::After(place) => Some(Position::of(tenant, &place).ok_or_else(damaged)?),
        };
        if from.is_some_and(|from| now.since(from.since) >= KEPT) {
            return Err(Error::CursorExpired);
        }
        let mut position = from.unwrap_or_else(|| Position::at_end(0, now));
        let (mut rows, mut read) = (Vec::new(), 0);
        loop {
            let batches = key::feed(tenant).from(key::feed_number(position.batch));
            let batches = self
                .0
                .table
                .list(batches.consistent().limit(AT_ONCE))
                .await?;
            let is_last = batches.len() < AT_ONCE;
            for batch in batches {
                // A feed that started again has no batch of that number.
                let skipped = (batch.first == position.batch).then_some(position.skipped);
                let (end, at) = (batch.end(), batch.at.plus(-SKEW));
                // Readers from the oldest entry on see none that has expired.
                if from.is_none() && batch.is_expired(now) {
                    position = Position::at_end(end, now);
                    continue;
                }
                let numbered = (batch.first..).zip(batch.entries).enumerate();
                for (place, (number, entry)) in numbered.skip(skipped.unwrap_or_default()) {
                    read += 1;
                    position = Position {
                        batch: if number + 1 == end { end } else { batch.first },
                        skipped: if number + 1 == end { 0 } else { place + 1 },
                        since: at,
                    };
                    if filter.fits(&entry) {
                        rows.push((number, entry, position));
                    }
                    if rows.len() == most || read == MOST_READ {
                        return self.shown(tenant, rows, position).await;
                    }
                }
            }
            if is_last {
                let end = Position::at_end(position.batch, now);
                return self.shown(tenant, rows, end).await;
            }
        }
    }

    /// The page of these entries, with their actors.
    async fn shown(
        &self,
        tenant: OrganizationId,
        rows: Vec<(i64, FeedEntry, Position)>,
        end: Position,
    ) -> Result<Page<NumberedEntry>, Error> {
        let actors = rows.iter().filter_map(|(_, entry, _)| entry.actor);
        let users: HashMap<_, UserRef> = self.0.users(tenant, actors).await?;
        let rows = rows.into_iter().filter_map(|(number, entry, position)| {
            let actor = entry.actor.and_then(|id| users.get(&id).cloned());
            Some(Row {
                record: NumberedEntry {
                    number,
                    entry,
                    actor,
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
