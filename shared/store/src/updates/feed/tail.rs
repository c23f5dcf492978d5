//! The end of the feed, read in spite of what does not read.
//!
//! The publisher needs the end of the newest batch, and the entries of the latest ones to recognize
//! those that it appended before. A later version, or damage, may have made any part of a batch
//! unreadable. So each attribute is read by itself. An entry that does not read is not recognized,
//! and may be appended again.

use model::{
    base::{Timestamp, span},
    updates::FeedEntry,
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use table::{RecordList, Table, page::Row};

use crate::{Result, base::records::FeedBatch};

/// The most entries of a batch: 100 of them with 50 long names each stay far below an item's 400
/// KB.
pub(super) const MOST_ENTRIES: usize = 100;

/// Milliseconds for which entries are kept.
pub(super) const KEPT: i64 = 30 * span::DAY;

/// The attributes that are read. Neither the version of the item nor its organization matters.
const ATTRIBUTES: &[&str] = &["first", "end", "entries", "at"];

#[derive(Debug)]
pub(super) struct TailBatch {
    /// The number under which it is written.
    pub(super) follows: i64,
    pub(super) end: i64,
    /// The instant of the append, if it reads.
    at: Option<Timestamp>,
    /// The readable entries with their numbers.
    entries: Vec<(i64, FeedEntry)>,
}

/// Any values read. Older batches have no `end`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Attributes {
    first: Value,
    end: Value,
    entries: Value,
    at: Value,
}

fn read<T: DeserializeOwned>(value: &Value) -> Option<T> {
    T::deserialize(value).ok()
}

impl TailBatch {
    fn of(follows: i64, attributes: &Attributes) -> Self {
        let entries: Option<Vec<Value>> = read(&attributes.entries);
        // Older batches are written under their first number.
        let first = read(&attributes.first).unwrap_or(follows);
        let count = entries
            .as_ref()
            .map_or(MOST_ENTRIES, Vec::len);
        let count = i64::try_from(count).unwrap_or_default();
        let numbered = (first..).zip(entries.into_iter().flatten());
        let numbered = numbered.filter_map(|(number, entry)| Some((number, read(&entry)?)));
        Self {
            follows,
            end: read(&attributes.end).unwrap_or_else(|| first.saturating_add(count)),
            at: read(&attributes.at),
            entries: numbered.collect(),
        }
    }

    pub(super) fn number_of(&self, entry: &FeedEntry) -> Option<i64> {
        let mut entries = self.entries.iter();
        let (number, _) = entries.find(|(_, published)| published.is_of_same_change(entry))?;
        Some(*number)
    }

    pub(super) fn is_expired(&self, now: Timestamp) -> bool {
        self.at
            .is_some_and(|at| now.since(at) >= KEPT)
    }

    /// Returns true if the batch may have been appended at that instant or later.
    pub(super) fn is_since(&self, since: Timestamp) -> bool {
        self.at.is_none_or(|at| at >= since)
    }
}

/// Reads batches of a list, whatever becomes of their contents.
pub(super) async fn tail(table: &Table, list: RecordList<FeedBatch>) -> Result<Vec<TailBatch>> {
    let rows: Vec<Row<Attributes>> = table
        .list_rows(list.only(ATTRIBUTES))
        .await?;
    let batches = rows.into_iter().filter_map(|row| {
        let follows = row.place.sk().parse().ok()?;
        Some(TailBatch::of(follows, &row.record))
    });
    Ok(batches.collect())
}

/// Reads the newest batch of a list, whatever becomes of its contents.
pub(super) async fn newest_of(
    table: &Table,
    list: RecordList<FeedBatch>,
) -> Result<Option<TailBatch>> {
    let newest = list.consistent().descending().limit(1);
    Ok(tail(table, newest).await?.pop())
}
