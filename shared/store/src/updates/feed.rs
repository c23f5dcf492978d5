//! The change feed: an entry for each change of a record, with increasing numbers in an
//! organization.
//!
//! The publisher appends what it reads from the table's stream. The entries of an organization in
//! one delivery are one item, a batch, so that a busy organization costs a write per delivery and
//! not per entry. A batch is written under the end of the batch before, and only if no batch is
//! there yet. So two publishers never give one number twice. Its first number is that end or the
//! time in milliseconds, whichever is greater. So a number is not used again, even if the newest
//! batches were lost.
//!
//! Batches expire. A feed without batches starts again under the time in milliseconds.
//!
//! A batch that does not read keeps no other one from being appended: see [`tail`](mod@tail).

mod completing;
mod image;
mod reading;
mod replaying;
mod stream;
mod tail;

use std::collections::BTreeSet;

use model::{
    base::{Deleted, Error, RecordName, Timestamp, span},
    updates::{FeedAction, FeedEntry},
};
use table::{AnyKey, Stored, Write, back_off, unavailable};
use tail::{KEPT, MOST_ENTRIES, TailBatch, newest_of, tail};

use crate::{
    Result, Tenant,
    base::{
        record::record,
        records::{Deleter, FeedBatch, FeedStart},
        retry::retry,
        store::resource,
    },
    key,
};

pub use reading::{FeedFilter, FeedFrom, NumberedEntry};
pub use stream::{FeedChange, StreamItem, StreamRecord, UnlistedChange, UnreadableImage};

/// The attempts to append while others do: up to ten publishers for a shard of the stream.
const ATTEMPTS: u32 = 12;

/// The most batches that are searched for entries of an earlier delivery.
const SEARCHED: usize = 100;

/// Milliseconds by which the clocks of the stream and of a publisher may differ.
const SKEW: i64 = 5 * span::SECOND;

/// Milliseconds for which the table keeps expired batches at least: no publisher appends to a batch
/// during its deletion.
const GRACE: i64 = span::HOUR;

resource! { pub Feed as feed }

record! {
    batch: FeedBatch = "feed_batch",
    key: key::feed_batch(batch.organization_id, batch.follows),
    expires_at: Some(batch.at.plus(KEPT + GRACE).epoch_seconds() + 1),
}

record! { start: FeedStart = "feed_start", key: key::feed_start(start.organization_id), }

#[derive(Clone, Debug, Default)]
pub struct Published {
    pub entries: Vec<(i64, FeedEntry)>,
    /// The number of new ones.
    pub new: usize,
}

impl Published {
    /// Returns the ids of the writes, each once, with a space between two.
    pub fn write_ids(&self) -> String {
        let ids = self.entries.iter();
        let ids = ids.filter_map(|(_, entry)| entry.write_id.as_deref());
        let ids: BTreeSet<&str> = ids.collect();
        Vec::from_iter(ids).join(" ")
    }
}

/// The newest batches of a feed, as far as they matter to the next one.
struct Newest {
    /// The end of the last batch; none in a feed without batches.
    end: Option<i64>,
    /// The start of a feed without batches, as it was read.
    start: Option<Stored<FeedStart>>,
    /// The batches that may have entries of the same changes: those written since the earliest
    /// change.
    known: Vec<TailBatch>,
}

impl Feed<'_> {
    /// Appends entries, which are in the order of their changes. Leaves out those of an earlier
    /// delivery. 503 if other publishers kept appending.
    pub async fn publish(&self, tenant: Tenant, mut entries: Vec<FeedEntry>) -> Result<Published> {
        self.name_deleters(tenant, &mut entries)
            .await?;
        let mut published = Published::default();
        for some in entries.chunks(MOST_ENTRIES) {
            let batch = self.publish_batch(tenant, some).await?;
            published.entries.extend(batch.entries);
            published.new += batch.new;
        }
        Ok(published)
    }

    /// Restarts a feed: all cursors of before expire, and clients read their lists again.
    pub async fn restart(&self, tenant: Tenant) -> Result<()> {
        let read = || self.start(tenant);
        let write = async |start| {
            let write = restarted(tenant, start, self.0.now())?;
            Ok(self.0.table.write(write).await?.ok())
        };
        retry(read().await?, read, write).await
    }

    pub(crate) async fn start(&self, tenant: Tenant) -> Result<Option<Stored<FeedStart>>> {
        self.0
            .read(&key::feed_start(tenant))
            .await
    }

    async fn publish_batch(&self, tenant: Tenant, entries: &[FeedEntry]) -> Result<Published> {
        for attempt in 1..=ATTEMPTS {
            let now = self.0.now();
            let Newest {
                end,
                start,
                known: batches,
            } = self
                .newest(tenant, entries, now)
                .await?;
            let number = |entry: &FeedEntry| {
                batches
                    .iter()
                    .find_map(|batch| batch.number_of(entry))
            };
            // Feeds get fewer than 1,000 entries a second, so that this number of a new feed is
            // greater than all before.
            let follows = end.unwrap_or(now.millis());
            let first = follows.max(now.millis());
            let mut next = first;
            let mut new = Vec::new();
            let numbered = entries.iter().map(|entry| {
                let number = number(entry).unwrap_or_else(|| {
                    new.push(entry.clone());
                    next += 1;
                    next - 1
                });
                (number, entry.clone())
            });
            let published = Published {
                entries: numbered.collect(),
                new: new.len(),
            };
            if new.is_empty() {
                return Ok(published);
            }
            let batch = FeedBatch {
                organization_id: tenant,
                follows,
                first,
                end: next,
                entries: new,
                at: now,
            };
            let mut writes = vec![Write::create(&batch)?];
            if end.is_none() {
                let record = FeedStart {
                    organization_id: tenant,
                    first,
                    epoch: start
                        .as_ref()
                        .map_or(0, |start| start.epoch),
                };
                writes.push(Write::create_or_replace(start, record)?);
            }
            if self
                .0
                .table
                .transact(writes)
                .await?
                .is_ok()
            {
                return Ok(published);
            }
            back_off(attempt).await;
        }
        Err(unavailable("other publishers kept appending to the feed"))
    }

    async fn newest(&self, tenant: Tenant, new: &[FeedEntry], now: Timestamp) -> Result<Newest> {
        let table = &self.0.table;
        let last = async || {
            let last = newest_of(table, key::feed(tenant)).await?;
            Ok::<_, Error>(last.filter(|batch| !batch.is_expired(now)))
        };
        let mut start = None;
        let mut last_batch = last().await?;
        if last_batch.is_none() {
            // The start is read before the batches: a publisher that starts the feed meanwhile
            // changes it.
            start = self.start(tenant).await?;
            last_batch = last().await?;
        }
        let end = last_batch
            .as_ref()
            .map(|batch| batch.end);
        let earliest = new.iter().map(|entry| entry.at).min();
        let since = earliest.unwrap_or(now).plus(-SKEW);
        let mut batches: Vec<_> = last_batch.into_iter().collect();
        if batches
            .iter()
            .any(|batch| batch.is_since(since))
        {
            let newest = key::feed(tenant)
                .consistent()
                .descending();
            batches = tail(table, newest.limit(SEARCHED)).await?;
            batches.retain(|batch| batch.is_since(since));
        }
        Ok(Newest {
            end,
            start,
            known: batches,
        })
    }

    async fn name_deleters(&self, tenant: Tenant, entries: &mut [FeedEntry]) -> Result<()> {
        let deletes = entries.iter_mut().filter_map(|entry| {
            let is_unnamed = entry.action == FeedAction::Deleted && entry.actor.is_none();
            let RecordName { kind, record_id } = entry.of;
            let deleted = Deleted::of(*kind, record_id, entry.project_id).filter(|_| is_unnamed)?;
            Some((entry, key::deletion(tenant, deleted)))
        });
        let deletes: Vec<_> = deletes.collect();
        let keys: Vec<AnyKey> = deletes
            .iter()
            .map(|(_, key)| key.into())
            .collect();
        let deletions = self.0.batch(keys).await?;
        for (entry, key) in deletes {
            if let Some(Stored { record, .. }) = deletions.named::<Deleter>(&key) {
                entry.actor = record.deleted_by;
                entry.write_id = record.deleting_write;
            }
        }
        Ok(())
    }
}

/// Raises the epoch of a feed, at least to the instant: a table that is put back has no epoch of
/// before.
pub(crate) fn restarted(
    tenant: Tenant,
    start: Option<Stored<FeedStart>>,
    now: Timestamp,
) -> Result<Write> {
    let of_table = start
        .as_ref()
        .map(|start| (start.first, start.epoch + 1));
    let (first, next) = of_table.unwrap_or((now.millis(), 1));
    let record = FeedStart {
        organization_id: tenant,
        first,
        epoch: next.max(now.millis()),
    };
    Write::create_or_replace(start, record)
}
