//! Pages of found records.

use std::collections::BTreeSet;

use futures::future::try_join_all;
use model::{Error, OrganizationId, ProjectId, RecordName, SearchWords, SearchedType, Timestamp};

use super::{Search, cut};
use crate::{
    key::{self, AnyKey},
    page::{Page, Place, Row, Wanted},
    records::{IndexedRecord, IndexedWord, SearchedText},
    table::{Batch, Condition, IntoAttribute, Read, Record, Stored},
};

/// The words of a query that are looked up: the longest, which are likely to be rare.
const LOOKED_UP: usize = 2;

/// The records of a word from which on it counts as frequent. A page of fewer reads all of them.
const FREQUENT: usize = 500;

/// The words of a query that a walk tests. The records themselves are tested for all: the table takes 4 KB
/// of a filter.
const TESTED: usize = 20;

/// A search, with the types that its caller may read.
#[derive(Clone, Debug)]
pub struct SearchFilter<'a> {
    /// The words.
    pub words: &'a SearchWords,
    /// The types of the records.
    pub types: Vec<SearchedType>,
    /// True if its caller sees internal notes.
    pub with_notes: bool,
    /// The projects; `None` for all, and for records without one.
    pub projects: Option<&'a [ProjectId]>,
}

/// The records with the rarest words of a query. `None` if each of these words is frequent.
#[derive(Clone, Debug)]
pub struct Candidates(Option<BTreeSet<(SearchedType, i64)>>);

/// A found record.
#[derive(Clone, Debug)]
pub struct FoundRecord {
    /// The type.
    pub kind: SearchedType,
    /// The id, unique among records of the type.
    pub id: i64,
    /// The title; of a comment or a message, that of its parent; of an activity, the beginning of its text.
    pub title: String,
    /// The text about the match.
    pub excerpt: Option<String>,
    /// The project of the record, or the project itself.
    pub project_id: Option<ProjectId>,
    /// The status, if records of the type have one.
    pub status: Option<String>,
    /// The instant of the last change.
    pub updated_at: Timestamp,
    /// The record that a comment or a message is on.
    pub parent: Option<RecordName>,
}

impl Search<'_> {
    /// Looks up the rarest words of a query. Depends on no permission, so it can run beside
    /// authentication.
    pub async fn candidates(
        &self,
        tenant: OrganizationId,
        words: &SearchWords,
    ) -> Result<Candidates, Error> {
        let rarest = words.longest_first().iter().take(LOOKED_UP);
        let found = rarest.map(|word| self.records_with(tenant, word));
        let found = try_join_all(found).await?.into_iter().flatten();
        Ok(Candidates(found.reduce(|some, others| &some & &others)))
    }

    /// The records with a word that begins so, and those of that id. `None` if the word is frequent.
    async fn records_with(
        &self,
        tenant: OrganizationId,
        word: &str,
    ) -> Result<Option<BTreeSet<(SearchedType, i64)>>, Error> {
        let found = key::words_beginning(tenant, cut(word)).limit(FREQUENT);
        let found: Vec<IndexedWord> = self.0.table.list(found).await?;
        if found.len() == FREQUENT {
            return Ok(None);
        }
        let mut records: BTreeSet<_> = found.iter().map(|one| (one.kind, one.id)).collect();
        if let Some(id) = id_of(word) {
            records.extend(SearchedType::ALL.iter().map(|kind| (*kind, id)));
        }
        Ok(Some(records))
    }

    /// Returns a page of the found records, the last changed first; ties are in descending order of type
    /// and id. A page may have fewer rows than are wanted, and still an end.
    pub async fn page(
        &self,
        tenant: OrganizationId,
        filter: &SearchFilter<'_>,
        candidates: Candidates,
        wanted: &Wanted,
    ) -> Result<Page<FoundRecord>, Error> {
        if filter.types.is_empty() {
            return Ok(Page::empty());
        }
        let indexed = match candidates.0 {
            Some(records) => self.sorted(tenant, filter, records, wanted).await?,
            None => self.walked(tenant, filter, wanted).await?,
        };
        self.checked(tenant, filter, indexed).await
    }

    /// A page of the candidates.
    async fn sorted(
        &self,
        tenant: OrganizationId,
        filter: &SearchFilter<'_>,
        records: BTreeSet<(SearchedType, i64)>,
        wanted: &Wanted,
    ) -> Result<Page<IndexedRecord>, Error> {
        let records = records.into_iter();
        let of_types = records.filter(|(kind, _)| filter.types.contains(kind));
        let keys: Vec<_> = of_types
            .map(|(kind, id)| key::indexed(tenant, kind, id))
            .collect();
        let indexed = self.0.table.batch_get(keys.iter(), Read::Eventual).await?;
        let indexed = keys.iter().filter_map(|key| indexed.named(key));
        let after = wanted.after.as_ref().and_then(Place::sort);
        let mut rows: Vec<_> = indexed
            .map(|Stored { record, .. }| record)
            .filter(|record| filter.may_show(record))
            .map(|record: IndexedRecord| Row {
                place: Place::in_index(record.key(), record.in_time()),
                record,
            })
            .filter(|row| after.is_none_or(|after| row.place.sort() < Some(after)))
            .collect();
        rows.sort_by(|one, other| other.place.sort().cmp(&one.place.sort()));
        Ok(Page { rows, end: None }.cut(wanted.most()))
    }

    /// A page of a walk through all records.
    async fn walked(
        &self,
        tenant: OrganizationId,
        filter: &SearchFilter<'_>,
        wanted: &Wanted,
    ) -> Result<Page<IndexedRecord>, Error> {
        let walk = key::indexed_by_time(tenant)
            .descending()
            .filter(filter.condition());
        let page = self.0.table.page(walk, wanted).await?;
        Ok(page.map(|stored| stored.record))
    }

    /// The page with the records themselves, without those that no longer match.
    async fn checked(
        &self,
        tenant: OrganizationId,
        filter: &SearchFilter<'_>,
        indexed: Page<IndexedRecord>,
    ) -> Result<Page<FoundRecord>, Error> {
        let records = indexed.records();
        let keys = records.flat_map(|record| {
            let parent = record.parent;
            let parent = parent.and_then(|parent| key::searched_parent(tenant, parent));
            [key::searched(record), parent].into_iter().flatten()
        });
        let found = self
            .0
            .table
            .batch_get(keys.map(AnyKey::from), Read::Consistent);
        let found = found.await?;
        let rows = indexed.filter_map(|record| {
            let text = found.named(&key::searched(&record)?)?;
            Some((record, text))
        });
        let texts = self.0.texts(rows.records().map(|(_, text)| text)).await?;
        Ok(rows.filter_map(|(record, text)| {
            let text = texts.complete(text).ok()?.record;
            filter.shown(tenant, &record, text, &found)
        }))
    }
}

impl SearchFilter<'_> {
    /// The condition on records of the index.
    fn condition(&self) -> Condition {
        let types = self.types.iter().map(|kind| Some(kind.into_attribute()));
        let mut condition = Condition::default().one_of("type", types);
        if let Some(projects) = self.projects {
            let projects = projects.iter().map(|id| Some(id.into_attribute()));
            condition = condition.one_of("projectId", projects);
        }
        for word in self.words.longest_first().iter().take(TESTED) {
            let [begins, is_id] = marks(word).map(IntoAttribute::into_attribute);
            condition = match id_of(word) {
                Some(_) => {
                    let either = "(contains(#, :) OR contains(#, :))";
                    condition.and(either, "words", [begins, is_id])
                }
                None => condition.and("contains(#, :)", "words", [begins]),
            };
        }
        condition
    }

    /// Returns true for a record of the index that matches.
    fn may_show(&self, record: &IndexedRecord) -> bool {
        let has = |word: &String| marks(word).iter().any(|mark| record.words.contains(mark));
        record.deleted_at.is_none()
            && self.types.contains(&record.kind)
            && self.is_of_projects(record.project_id)
            && self.words.longest_first().iter().all(has)
    }

    /// The row of a record. `None` if the record is gone, no longer matches, or is not for the caller.
    fn shown(
        &self,
        tenant: OrganizationId,
        indexed: &IndexedRecord,
        text: SearchedText,
        found: &Batch,
    ) -> Option<FoundRecord> {
        let IndexedRecord {
            kind, id, parent, ..
        } = *indexed;
        let title = match parent {
            Some(parent) => {
                let parent = found.named(&key::searched_parent(tenant, parent)?)?;
                parent.record.shown_title()
            }
            None => text.shown_title(),
        };
        let project_id = match kind {
            SearchedType::Project => indexed.project_id,
            _ => text.project_id,
        };
        let row = self.is_readable(&text) && self.is_of_projects(project_id);
        (row && self.matches(id, &text)).then(|| FoundRecord {
            kind,
            id,
            title,
            excerpt: text.excerpt(self.words.longest_first()),
            project_id,
            updated_at: text
                .updated_at
                .or(text.created_at)
                .unwrap_or(indexed.updated_at),
            status: text.status,
            parent,
        })
    }

    /// Returns true for a record that the caller may read.
    fn is_readable(&self, text: &SearchedText) -> bool {
        text.deleted_at.is_none() && (self.with_notes || !text.internal)
    }

    fn is_of_projects(&self, project: Option<ProjectId>) -> bool {
        let is_one = |projects: &[ProjectId]| project.is_some_and(|one| projects.contains(&one));
        self.projects.is_none_or(is_one)
    }

    /// Returns true if each word of the query begins a word of the record, or is its id.
    fn matches(&self, id: i64, text: &SearchedText) -> bool {
        let words = text.words();
        let begins = |asked: &String| {
            let mut from = words.range(asked.clone()..);
            from.next().is_some_and(|word| word.starts_with(asked))
        };
        let mut asked = self.words.longest_first().iter();
        asked.all(|asked| begins(asked) || id_of(asked) == Some(id))
    }
}

/// An id, if the word is one.
fn id_of(word: &str) -> Option<i64> {
    let id: i64 = word.parse().ok()?;
    (id > 0 && id.to_string() == word).then_some(id)
}

/// A record of the index with one of these texts has the word, or the word is its id.
fn marks(word: &str) -> [String; 2] {
    [format!(" {}", cut(word)), format!(" #{word} ")]
}
