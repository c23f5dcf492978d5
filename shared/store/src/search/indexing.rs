//! Writes of the index.
//!
//! The words of a record are written first, then the record. A delivery that failed in between comes
//! again: it finds the record as it was, and writes the same words. A delivery that is late finds a newer
//! record, and writes nothing.

use std::collections::{BTreeMap, BTreeSet, btree_map::Entry};

use futures::{StreamExt, TryStreamExt, stream};
use model::{
    Error, FeedAction, FeedEntry, OrganizationId, RecordName, SearchedType, words::spaced,
};

use super::{Search, cut};
use crate::{
    feed::Change,
    key::Key,
    records::{IndexedRecord, IndexedWord, SearchedText},
    table::{Condition, IntoAttribute, Read, Record, Write, back_off, unavailable},
};

/// The records that are indexed at the same time. Each may have 500 words before and after a change.
const RECORDS: usize = 20;

/// The requests that run at the same time.
const CONCURRENCY: usize = 8;

/// The attempts while others index the same records.
const ATTEMPTS: u32 = 8;

/// A record that changed.
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
    /// The newer version in the index to which the words were adapted.
    adapted_to: Option<i64>,
}

impl Search<'_> {
    /// Brings the index up to these changes, which are in the order of the stream. Changes that it
    /// has already, or newer ones, change nothing. 503 if others kept indexing the same records.
    pub async fn index(&self, tenant: OrganizationId, changes: &[Change]) -> Result<(), Error> {
        let mut all = changed_records(tenant, changes);
        while !all.is_empty() {
            let rest = all.split_off(all.len().min(RECORDS));
            self.index_some(all).await?;
            all = rest;
        }
        Ok(())
    }

    async fn index_some(&self, mut open: Vec<Changed>) -> Result<(), Error> {
        let table = &self.0.table;
        for attempt in 1..=ATTEMPTS {
            let keys = open.iter().map(Changed::key);
            let indexed = table.batch_get(keys, Read::Consistent).await?;
            let (mut left, mut writes) = (Vec::new(), Vec::new());
            for mut changed in open {
                let indexed = indexed.named(&changed.key()).map(|stored| stored.record);
                if let Some(words) = changed.words_to_write(indexed.as_ref())? {
                    writes.extend(words);
                    left.push(changed);
                }
            }
            table.write_batch(writes).await?;
            open = stream::iter(left)
                .map(|changed| self.finish(changed))
                .buffer_unordered(CONCURRENCY)
                .try_filter_map(async |unfinished| Ok(unfinished))
                .try_collect()
                .await?;
            if open.is_empty() {
                return Ok(());
            }
            back_off(attempt).await;
        }
        Err(unavailable("others kept indexing the same records"))
    }

    /// Writes the record, once its words are written. Returns it if the index had a newer one.
    async fn finish(&self, changed: Changed) -> Result<Option<Changed>, Error> {
        if changed.adapted_to.is_some() {
            return Ok(Some(changed));
        }
        let is_older = "(attribute_not_exists(#) OR # < :)";
        let version = [changed.record.record_version.into_attribute()];
        let is_older = Condition::default().and(is_older, "recordVersion", version);
        let write = Write::put_where(&changed.record, is_older)?;
        let written = self.0.table.write(write).await?;
        Ok(written.is_err().then_some(changed))
    }
}

impl Changed {
    fn new(tenant: OrganizationId, kind: SearchedType, change: &Change) -> Self {
        let before = change.before::<SearchedText>();
        let after = after(change);
        let since = before.as_ref().map(|_| version(&change.entry) - 1);
        Self {
            record: indexed_record(tenant, kind, &change.entry, after.as_ref()),
            since,
            images: before.iter().chain(&after).map(words_of).collect(),
            uncertain: BTreeSet::new(),
            has_written: false,
            adapted_to: None,
        }
    }

    /// Adds the next change of the record.
    fn then(&mut self, next: Self) {
        self.record = next.record;
        self.images.extend(next.images);
    }

    fn key(&self) -> Key<IndexedRecord> {
        self.record.key()
    }

    /// The words that adapt the index to the record, or to what the index has of it if that is newer.
    /// `None` if there is nothing to do.
    fn words_to_write(
        &mut self,
        indexed: Option<&IndexedRecord>,
    ) -> Result<Option<Vec<Write>>, Error> {
        let newer = indexed.filter(|it| it.record_version >= self.record.record_version);
        let newer_version = newer.map(|newer| newer.record_version);
        let is_adapted = newer.is_some() && newer_version == self.adapted_to;
        if is_adapted || (newer.is_some() && !self.has_written) {
            return Ok(None);
        }
        self.adapted_to = newer_version;
        let known = indexed.map(IndexedRecord::all_words).unwrap_or_default();
        self.doubt(indexed, &known);
        let wanted = newer.unwrap_or(&self.record).all_words();
        let missing = |word: &&String| !known.contains(*word) || self.uncertain.contains(*word);
        let puts: BTreeSet<_> = wanted.iter().filter(missing).cloned().collect();
        let deletes: BTreeSet<_> = (&known | &self.uncertain)
            .difference(&wanted)
            .cloned()
            .collect();
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
        Ok(Some(writes))
    }

    /// Notes the words that an interrupted delivery of these changes may have written or deleted. After a
    /// gap between the index and the changes these are all.
    fn doubt(&mut self, indexed: Option<&IndexedRecord>, known: &BTreeSet<String>) {
        let is_next = indexed.map(|indexed| indexed.record_version) == self.since;
        let everywhere = |word: &&String| self.images.iter().all(|image| image.contains(*word));
        let words = self.images.iter().flatten();
        let doubtful = words.filter(|word| !is_next || !everywhere(word)).cloned();
        let doubtful: Vec<String> = doubtful.collect();
        self.uncertain.extend(doubtful);
        if !is_next {
            self.uncertain.extend(known.iter().cloned());
        }
    }

    fn indexed_word(&self, word: &str) -> IndexedWord {
        let IndexedRecord {
            organization_id,
            kind,
            id,
            ..
        } = self.record;
        IndexedWord {
            organization_id,
            word: word.to_owned(),
            kind,
            id,
        }
    }
}

impl IndexedRecord {
    /// Its words in the index.
    fn all_words(&self) -> BTreeSet<String> {
        let words = self.words.split_whitespace();
        let words = words.filter(|word| !word.starts_with('#'));
        words.map(str::to_owned).collect()
    }
}

/// The records of some changes, each with all of its changes.
fn changed_records(tenant: OrganizationId, changes: &[Change]) -> Vec<Changed> {
    let mut all = BTreeMap::new();
    for change in changes {
        let RecordName { kind, record_id } = change.entry.of;
        let Some(kind) = SearchedType::of(kind) else {
            continue;
        };
        let next = Changed::new(tenant, kind, change);
        match all.entry((kind, record_id)) {
            Entry::Vacant(first) => {
                first.insert(next);
            }
            Entry::Occupied(mut earlier) => earlier.get_mut().then(next),
        }
    }
    all.into_values().collect()
}

/// The record after a change. `None` for a deleted one.
fn after(change: &Change) -> Option<SearchedText> {
    let is_there = change.entry.action != FeedAction::Deleted;
    is_there.then(|| change.after().unwrap_or_default())
}

fn version(entry: &FeedEntry) -> i64 {
    entry.version.unwrap_or(1)
}

fn words_of(text: &SearchedText) -> BTreeSet<String> {
    let words = text.words().into_iter();
    words.map(|word| cut(&word).to_owned()).collect()
}

fn indexed_record(
    tenant: OrganizationId,
    kind: SearchedType,
    entry: &FeedEntry,
    text: Option<&SearchedText>,
) -> IndexedRecord {
    let id = entry.of.record_id;
    let is_below = matches!(kind, SearchedType::Comment | SearchedType::TicketMessage);
    let created_at = text.and_then(|text| text.created_at).unwrap_or(entry.at);
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
        created_at,
        updated_at: text.and_then(|text| text.updated_at).unwrap_or(created_at),
        deleted_at: text.is_none().then_some(entry.at),
    }
}
