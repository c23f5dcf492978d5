use std::collections::BTreeSet;

use futures::future::try_join_all;
use model::base::{Error, ProjectId, RecordName, SearchWords, SearchedType, Timestamp};
use serde::Serialize;
use table::{
    Batch, Condition, IntoAttribute, Read, Record,
    page::{ListPosition, Page, PageRequest, Row},
};
use utoipa::ToSchema;

use crate::{
    Result, Tenant,
    base::{
        Reader,
        records::{IndexedRecord, IndexedWord, Located, SearchedText},
        scope::Placed,
    },
    key,
    updates::Search,
};

use super::cut;

/// Number of words of a query to search: the longest ones, probably rare.
const SEARCHED: usize = 2;

/// The records of a word from which on it counts as frequent. A page of fewer reads all of them.
const FREQUENT: usize = 500;

/// The most words of the index that are read to find the visible ones.
const MOST_READ: usize = 5_000;

/// The words of a query that a walk tests. The records themselves are tested for all: the table
/// takes 4 KB of a filter.
const TESTED: usize = 20;

/// A search, with the types that its caller may read.
#[derive(Clone, Debug)]
pub struct SearchFilter<'a> {
    pub words: &'a SearchWords,
    pub types: Vec<SearchedType>,
    /// True if its caller sees internal notes.
    pub with_notes: bool,
    /// The projects; `None` for all, and for records without one.
    pub projects: Option<&'a [ProjectId]>,
}

/// The rarest words of a query, each with the first words of the index that begin so, for callers
/// of any permission.
#[derive(Clone, Debug)]
pub struct Candidates(Vec<(String, Vec<IndexedWord>)>);

/// A found record.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FoundRecord {
    #[serde(rename = "type")]
    kind: SearchedType,
    id: i64,
    /// Title; of a comment or a message, that of its parent; of an activity, the beginning of its
    /// description.
    title: String,
    /// Part of description or content about the match, at most 160 characters between ellipses;
    /// null without text.
    excerpt: Option<String>,
    /// Project of a task, a milestone or an activity, or the project itself.
    project_id: Option<ProjectId>,
    /// Status; null for activities, comments and messages.
    status: Option<String>,
    updated_at: Timestamp,
    /// Subject of a comment or a message.
    parent: Option<RecordName>,
}

impl Search<'_> {
    /// Looks up the rarest words of a query. Depends on no permission, so it can run beside
    /// authentication.
    pub async fn candidates(&self, tenant: Tenant, words: &SearchWords) -> Result<Candidates> {
        let rarest = words
            .longest_first()
            .iter()
            .take(SEARCHED);
        let lookups = rarest.map(async |word| {
            let indexed_words = key::words_beginning(tenant, cut(word)).limit(FREQUENT);
            Ok::<_, Error>((word.clone(), self.0.table.list(indexed_words).await?))
        });
        Ok(Candidates(try_join_all(lookups).await?))
    }

    /// The visible records of a word, and those of that id. `None` if the word is frequent among
    /// visible records: hidden words may not change the pages.
    async fn records_with(
        &self,
        tenant: Tenant,
        filter: &SearchFilter<'_>,
        (word, mut indexed): (String, Vec<IndexedWord>),
    ) -> Result<Option<BTreeSet<(SearchedType, i64)>>> {
        let are_all = indexed.len() < FREQUENT;
        indexed.retain(|entry| filter.sees(entry.kind, entry.internal));
        if indexed.len() == FREQUENT {
            return Ok(None);
        }
        if !are_all {
            let seen = key::words_beginning(tenant, cut(&word)).filter(filter.seen());
            let some = PageRequest::first(FREQUENT - 1);
            let page = self
                .0
                .table
                .page(seen.reading(MOST_READ), &some)
                .await?;
            if page.end.is_some() {
                return Ok(None);
            }
            indexed = page
                .rows
                .into_iter()
                .map(|row| row.record.record)
                .collect();
        }
        let mut records: BTreeSet<_> = indexed
            .iter()
            .map(|entry| (entry.kind, entry.id))
            .collect();
        if let Some(id) = id_of(&word) {
            records.extend(
                SearchedType::ALL
                    .iter()
                    .map(|kind| (*kind, id)),
            );
        }
        Ok(Some(records))
    }

    /// Returns a page of the found records, the last changed first; ties are in descending order of
    /// type and id. A page may have fewer rows than are wanted, and still an end.
    pub async fn page(
        &self,
        reader: &Reader,
        filter: &SearchFilter<'_>,
        candidates: Candidates,
        wanted: &PageRequest,
    ) -> Result<Page<FoundRecord>> {
        let tenant = reader.tenant;
        if filter.types.is_empty() {
            return Ok(Page::empty());
        }
        let candidates = candidates.0.into_iter();
        let records_of_words =
            try_join_all(candidates.map(|word| self.records_with(tenant, filter, word))).await?;
        let rare = records_of_words.into_iter().flatten();
        let indexed = if let Some(records) = rare.reduce(|some, others| &some & &others) {
            self.sorted(tenant, filter, records, wanted)
                .await?
        } else {
            let walk = key::indexed_by_time(tenant).filter(filter.condition());
            let page = self
                .0
                .table
                .page(walk.descending(), wanted)
                .await?;
            page.map(|stored| stored.record)
        };
        self.checked(reader, filter, indexed)
            .await
    }

    async fn sorted(
        &self,
        tenant: Tenant,
        filter: &SearchFilter<'_>,
        records: BTreeSet<(SearchedType, i64)>,
        wanted: &PageRequest,
    ) -> Result<Page<IndexedRecord>> {
        let records = records.into_iter();
        let of_types = records.filter(|(kind, _)| filter.types.contains(kind));
        let keys = of_types.map(|(kind, id)| key::indexed(tenant, kind, id));
        let keys: Vec<_> = keys.collect();
        let batch = self
            .0
            .table
            .batch_get(keys.iter(), Read::Eventual)
            .await?;
        let indexed = keys
            .iter()
            .filter_map(|key| batch.named(key));
        let rows = indexed.map(|stored| Row {
            place: ListPosition::in_index(stored.key(), stored.in_time()),
            record: stored.record,
        });
        let rows = rows
            .filter(|row| filter.may_show(&row.record))
            .collect();
        Ok(Page::sorted(rows, true, wanted))
    }

    /// The page with the records themselves, without those that no longer match.
    async fn checked(
        &self,
        reader: &Reader,
        filter: &SearchFilter<'_>,
        indexed: Page<IndexedRecord>,
    ) -> Result<Page<FoundRecord>> {
        let tenant = reader.tenant;
        let keys = indexed.records().flat_map(|record| {
            let parent = record.parent;
            let parent = parent.and_then(|parent| key::searched_parent(tenant, parent));
            [key::searched(record), parent]
                .into_iter()
                .flatten()
        });
        let batch = self.0.batch(keys).await?;
        let rows = indexed.filter_map(|record| {
            let text = batch.named(&key::searched(&record)?)?;
            Some((record, text))
        });
        let texts = self
            .0
            .texts(rows.records().map(|(_, text)| text))
            .await?;
        let found = rows.filter_map(|(record, text)| {
            filter.shown(tenant, &record, texts.complete(text).ok()?.record, &batch)
        });
        let places = found.records().map(|(_, place)| place);
        let scope = self
            .0
            .scoped()
            .scope(reader, places)
            .await?;
        Ok(found.filter_map(|(record, place)| {
            scope
                .sees(place.place())
                .then_some(record)
        }))
    }
}

impl SearchFilter<'_> {
    /// The condition on words and records of the index that the caller sees, as
    /// [`sees`](Self::sees). It belongs to the read: a row that is dropped after a page was cut
    /// shows in the page's end.
    fn seen(&self) -> Condition {
        let types = self
            .types
            .iter()
            .map(|kind| Some(kind.into_attribute()));
        let of_types = Condition::default().one_of("type", types);
        if self.with_notes {
            return of_types;
        }
        let message = SearchedType::TicketMessage.into_attribute();
        of_types.either([
            ("# <> :", "type", message),
            ("# = :", "internal", false.into_attribute()),
        ])
    }

    /// Returns true for a readable type, but not for an internal note. A message without a mark may
    /// be one.
    fn sees(&self, kind: SearchedType, internal: Option<bool>) -> bool {
        let is_note = kind == SearchedType::TicketMessage && internal != Some(false);
        self.types.contains(&kind) && (self.with_notes || !is_note)
    }

    fn condition(&self) -> Condition {
        let mut condition = self.seen();
        if let Some(projects) = self.projects {
            let projects = projects
                .iter()
                .map(|id| Some(id.into_attribute()));
            condition = condition.one_of("projectId", projects);
        }
        for word in self
            .words
            .longest_first()
            .iter()
            .take(TESTED)
        {
            let [begins, is_id] = marks(word).map(IntoAttribute::into_attribute);
            condition = if id_of(word).is_some() {
                let either = "(contains(#, :) OR contains(#, :))";
                condition.and(either, "words", [begins, is_id])
            } else {
                condition.and("contains(#, :)", "words", [begins])
            };
        }
        condition
    }

    fn may_show(&self, record: &IndexedRecord) -> bool {
        let has = |word: &String| {
            marks(word)
                .iter()
                .any(|mark| record.words.contains(mark))
        };
        record.deleted_at.is_none()
            && self.sees(record.kind, record.internal)
            && self.is_of_projects(record.project_id)
            && self
                .words
                .longest_first()
                .iter()
                .all(has)
    }

    /// The row of a record, and what decides whether it is in scope. `None` if the record is gone,
    /// no longer matches, or is not for the caller.
    fn shown(
        &self,
        tenant: Tenant,
        indexed: &IndexedRecord,
        text: SearchedText,
        batch: &Batch,
    ) -> Option<(FoundRecord, Located)> {
        let kind = indexed.kind;
        let id = indexed.id;
        let parent = indexed.parent;
        let parent_record = match parent {
            Some(parent) => Some(
                batch
                    .named(&key::searched_parent(tenant, parent)?)?
                    .record,
            ),
            None => None,
        };
        let titled = parent_record.as_ref().unwrap_or(&text);
        let title = titled.shown_title();
        let project_id = match kind {
            SearchedType::Project => indexed.project_id,
            // A comment is in the project of what it is on.
            _ => titled.project_id,
        };
        let is_readable = text.deleted_at.is_none() && (self.with_notes || !text.internal);
        let is_shown = is_readable && self.is_of_projects(project_id) && self.matches(id, &text);
        let changed_at = text.updated_at.or(text.created_at);
        let place = Located {
            project_id,
            created_at: text.created_at,
        };
        let record = || FoundRecord {
            kind,
            id,
            title,
            excerpt: text.excerpt(self.words.longest_first()),
            project_id,
            updated_at: changed_at.unwrap_or(indexed.updated_at),
            status: text.status,
            parent,
        };
        is_shown.then(|| (record(), place))
    }

    fn is_of_projects(&self, project: Option<ProjectId>) -> bool {
        let is_one =
            |projects: &[ProjectId]| project.is_some_and(|project| projects.contains(&project));
        self.projects.is_none_or(is_one)
    }

    /// Returns true if each word of the query begins a word of the record, or is its id.
    fn matches(&self, id: i64, text: &SearchedText) -> bool {
        let words = text.words();
        let begins = |requested: &String| {
            let mut from = words.range(requested.clone()..);
            from.next()
                .is_some_and(|word| word.starts_with(requested))
        };
        let mut requested = self.words.longest_first().iter();
        requested.all(|requested| begins(requested) || id_of(requested) == Some(id))
    }
}

fn id_of(word: &str) -> Option<i64> {
    let id: i64 = word.parse().ok()?;
    (id > 0 && id.to_string() == word).then_some(id)
}

/// A record of the index with one of these texts has the word, or the word is its id.
fn marks(word: &str) -> [String; 2] {
    [format!(" {}", cut(word)), format!(" #{word} ")]
}
