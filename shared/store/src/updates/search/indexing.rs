//! Writes of the index.
//!
//! The words of a record are written first, then the record, before the words of many others. A
//! delivery that failed in between comes again. Then it only reads finished records, and writes the
//! same words of the others. A late delivery finds a newer record, and writes nothing.
//!
//! Deliveries of one record may overlap. The record is written as it was read, so one of them
//! finishes, and the others begin again. A delivery with late words restores the newer record's
//! words, and writes that record again. Concurrent deletes of these words begin again, too.

use std::collections::{BTreeMap, BTreeSet};

use futures::{StreamExt, stream};
use model::{
    base::{Error, RecordName, SearchedType, words::spaced},
    updates::{FeedAction, FeedEntry},
};
use table::{Batch, Condition, Record, Stored, Write, back_off, unavailable};

use crate::{
    Result, Tenant,
    base::records::{IndexedRecord, IndexedWord, SearchedText},
    is_refusal,
    updates::{FeedChange, Search},
};

use super::cut;

/// The records whose state in the index is read at the same time.
const RECORDS: usize = 20;

/// The records that are indexed at the same time. Each may have 500 words before and after a
/// change. No client waits for them, and they leave room for the requests of clients.
const CONCURRENCY: usize = 4;

/// The attempts while others index the same records.
const ATTEMPTS: u32 = 8;

struct Changed {
    /// The record after its last change.
    record: IndexedRecord,
    /// The version before the first change. `None` for a new record.
    since: Option<i64>,
    /// The words of each image of the delivery; those of the last one are to be found.
    images: Vec<BTreeSet<String>>,
    /// Words that another delivery may have written or deleted.
    uncertain: BTreeSet<String>,
    /// True once words were written.
    has_written: bool,
}

impl Search<'_> {
    /// Brings the index up to these changes, which are in the order of the stream. Changes that it
    /// has already, or newer ones, change nothing. A record that does not read, in the index or in
    /// the stream, is an error once all others are done. 503 if others kept indexing the same
    /// records.
    pub async fn index(&self, tenant: Tenant, changes: &[FeedChange]) -> Result<()> {
        let (mut open, mut fault) = changed_records(tenant, changes);
        while !open.is_empty() {
            let rest = open.split_off(open.len().min(RECORDS));
            match self.index_some(open).await {
                Err(error) if !is_refusal(&error) => fault = fault.or(Some(error)),
                indexed => indexed?,
            }
            open = rest;
        }
        fault.map_or(Ok(()), Err)
    }

    async fn index_some(&self, mut open: Vec<Changed>) -> Result<()> {
        let mut fault = None;
        for attempt in 1..=ATTEMPTS {
            let keys = open
                .iter()
                .map(|changed| changed.record.key());
            let indexed = self.0.batch(keys).await?;
            let results: Vec<_> = stream::iter(open)
                .map(|changed| self.index_one(changed, &indexed))
                .buffer_unordered(CONCURRENCY)
                .collect()
                .await;
            open = Vec::new();
            for result in results {
                match result {
                    Err(error) if !is_refusal(&error) => fault = fault.or(Some(error)),
                    unfinished => open.extend(unfinished?),
                }
            }
            if open.is_empty() {
                return fault.map_or(Ok(()), Err);
            }
            back_off(attempt).await;
        }
        Err(unavailable("others kept indexing the same records"))
    }

    /// Writes the words of a record, then the record. Returns it if another delivery came between.
    async fn index_one(&self, mut changed: Changed, indexed: &Batch) -> Result<Option<Changed>> {
        let indexed = indexed.get(&changed.record.key())?;
        let Some((words, record)) = changed.writes(indexed.as_ref())? else {
            return Ok(None);
        };
        self.0.table.write_batch(words).await?;
        let write = Write::create_or_replace(indexed, record)?;
        let written = self.0.table.write(write).await?;
        Ok(written.is_err().then_some(changed))
    }
}

impl Changed {
    fn new(tenant: Tenant, kind: SearchedType, change: &FeedChange) -> Result<Self> {
        let before = change.before::<SearchedText>();
        let after = after(change)?;
        let since = before
            .as_ref()
            .map(|_| version(&change.entry) - 1);
        Ok(Self {
            record: indexed_record(tenant, kind, &change.entry, after.as_ref()),
            since,
            images: before
                .iter()
                .chain(&after)
                .map(words_of)
                .collect(),
            uncertain: BTreeSet::new(),
            has_written: false,
        })
    }

    fn then(&mut self, next: Self) {
        self.record = next.record;
        self.images.extend(next.images);
    }

    /// The words to write and the record after them: this record, or the index's own if that is
    /// newer. `None` if there is nothing to do.
    fn writes(
        &mut self,
        indexed: Option<&Stored<IndexedRecord>>,
    ) -> Result<Option<(Vec<Write>, IndexedRecord)>> {
        let indexed = indexed.map(|stored| &stored.record);
        let newer = indexed.filter(|record| record.record_version >= self.record.record_version);
        if newer.is_some() && !self.has_written {
            return Ok(None);
        }
        let record = newer.unwrap_or(&self.record).clone();
        let words_before = indexed
            .map(IndexedRecord::all_words)
            .unwrap_or_default();
        self.doubt(indexed, &words_before);
        let wanted = record.all_words();
        let missing =
            |word: &&String| !words_before.contains(*word) || self.uncertain.contains(*word);
        let puts: BTreeSet<_> = wanted
            .iter()
            .filter(missing)
            .cloned()
            .collect();
        let deletes = &(&words_before | &self.uncertain) - &wanted;
        let mut writes = Vec::with_capacity(puts.len() + deletes.len());
        for word in &puts {
            writes.push(Write::put(&self.indexed_word(word))?);
        }
        for word in &deletes {
            let key = self.indexed_word(word).key();
            writes.push(Write::delete(key, Condition::default()));
        }
        self.uncertain.extend(puts);
        self.uncertain.extend(deletes);
        self.has_written = true;
        Ok(Some((writes, record)))
    }

    /// Notes the words that an interrupted delivery of these changes may have written or deleted.
    /// After a gap between the index and the changes these are all.
    fn doubt(&mut self, indexed: Option<&IndexedRecord>, words_before: &BTreeSet<String>) {
        let is_next = indexed.map(|indexed| indexed.record_version) == self.since;
        let everywhere = |word: &&String| {
            self.images
                .iter()
                .all(|image| image.contains(*word))
        };
        let words = self.images.iter().flatten();
        let doubtful = words.filter(|word| !is_next || !everywhere(word));
        self.uncertain.extend(doubtful.cloned());
        if !is_next {
            self.uncertain
                .extend(words_before.iter().cloned());
        }
    }

    fn indexed_word(&self, word: &str) -> IndexedWord {
        let of = &self.record;
        IndexedWord {
            organization_id: of.organization_id,
            word: word.to_owned(),
            kind: of.kind,
            id: of.id,
            internal: of.internal,
        }
    }
}

impl IndexedRecord {
    fn all_words(&self) -> BTreeSet<String> {
        let words = self.words.split_whitespace();
        let words = words.filter(|word| !word.starts_with('#'));
        words.map(str::to_owned).collect()
    }
}

/// The records of some changes, each with all of its changes, and the error of a change that does
/// not read.
fn changed_records(tenant: Tenant, changes: &[FeedChange]) -> (Vec<Changed>, Option<Error>) {
    let mut by_record = BTreeMap::new();
    let mut fault = None;
    for change in changes {
        let RecordName { kind, record_id } = change.entry.of;
        let Some(kind) = SearchedType::of(*kind) else {
            continue;
        };
        let next = match Changed::new(tenant, kind, change) {
            Ok(next) => next,
            Err(error) => {
                fault = fault.or(Some(error));
                continue;
            }
        };
        match by_record.get_mut(&(kind, record_id)) {
            Some(earlier) => Changed::then(earlier, next),
            None => drop(by_record.insert((kind, record_id), next)),
        }
    }
    (by_record.into_values().collect(), fault)
}

/// The record after a change. `None` for a deleted one.
fn after(change: &FeedChange) -> Result<Option<SearchedText>> {
    if change.entry.action == FeedAction::Deleted {
        return Ok(None);
    }
    let unreadable = || Error::internal("indexing a record", "its words do not read");
    change
        .after()
        .map(Some)
        .ok_or_else(unreadable)
}

fn version(entry: &FeedEntry) -> i64 {
    entry.version.unwrap_or(1)
}

fn words_of(text: &SearchedText) -> BTreeSet<String> {
    let words = text.words().into_iter();
    words
        .map(|word| cut(&word).to_owned())
        .collect()
}

fn indexed_record(
    tenant: Tenant,
    kind: SearchedType,
    entry: &FeedEntry,
    text: Option<&SearchedText>,
) -> IndexedRecord {
    let id = entry.of.record_id;
    let is_below = kind.is_of_thread();
    let created_at = text
        .and_then(|text| text.created_at)
        .unwrap_or(entry.at);
    let is_message = kind == SearchedType::TicketMessage;
    let internal = text
        .filter(|_| is_message)
        .map(|text| text.internal);
    IndexedRecord {
        organization_id: tenant,
        kind,
        id,
        record_version: version(entry),
        words: text.map_or_else(String::new, |text| {
            format!(" #{id} {}", spaced(words_of(text)))
        }),
        project_id: entry.project_id,
        parent: entry.parent.filter(|_| is_below),
        internal,
        created_at,
        updated_at: text
            .and_then(|text| text.updated_at)
            .unwrap_or(created_at),
        deleted_at: text.is_none().then_some(entry.at),
    }
}
