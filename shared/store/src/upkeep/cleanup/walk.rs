//! The records that a cleanup changes, page by page. It reads only their keys, and the changed
//! fields of those with a history: a damaged record stops no cleanup.

use futures::{StreamExt, stream};
use model::base::{Deleted, Deletion, FieldChange, HistoryOf, RecordType, Thread};
use serde_json::{Value, json};
use table::{
    AnyKey, Condition, Gsi2, Index, OrLeave, RecordList, UpdateExpression, Write,
    page::{ListPosition, PageRequest, Row},
};

use crate::{
    Result, Tenant,
    base::{
        WriteContext,
        records::{Cleanup, Walked},
        retry::try_retry,
    },
    key,
    upkeep::Cleanups,
    work::tagging::TAG_IDS,
};

/// Writes of a cleanup at the same time.
const CONCURRENCY: usize = 10;

impl Cleanups<'_> {
    /// Handles the next records, of up to 1,000 that are read. Returns the place up to which it is
    /// done; `None` at the end.
    pub(super) async fn next_page(&self, cleanup: &Cleanup) -> Result<Option<Walked>> {
        let tenant = cleanup.organization_id;
        let deleted = cleanup.subject;
        let after = cleanup.place();
        let text = |place: ListPosition| place.to_text(&key::tenant_prefix(tenant));
        let facts = deleted.kind.facts();
        Ok(match facts.deletion {
            Deletion::Nothing => None,
            // After the delay the index shows links made just before the delete. Should it lag for
            // longer, a task keeps the id of a record that is gone, which every reader ignores.
            Deletion::LinkedTasks => {
                let tasks = key::linked_tasks(tenant, deleted);
                let end = self
                    .unlink_page(tenant, deleted, tasks, after)
                    .await?;
                end.map(text).map(Walked::Tasks)
            }
            // A task that moves past the walk keeps the id of the record, which every reader
            // ignores.
            Deletion::TasksOfProject => {
                let Some(project) = deleted.project else {
                    return Ok(None);
                };
                let in_it = Condition::default().equals(facts.named_by, deleted.id);
                let tasks = key::tasks_of_project(tenant, project).filter(in_it);
                let end = self
                    .unlink_page(tenant, deleted, tasks, after)
                    .await?;
                end.map(text).map(Walked::Tasks)
            }
            Deletion::Tags => self.untag_page(cleanup, after).await?,
            Deletion::Comments => {
                let Some(thread) = deleted.thread() else {
                    return Ok(None);
                };
                let end = self
                    .delete_comments(tenant, thread, after)
                    .await?;
                end.map(text).map(Walked::Comments)
            }
        })
    }

    /// Removes a tag from the next records that carry it. No record gets a deleted tag, so that
    /// records stay without it once the walk has passed.
    async fn untag_page(
        &self,
        cleanup: &Cleanup,
        after: Option<ListPosition>,
    ) -> Result<Option<Walked>> {
        let tenant = cleanup.organization_id;
        let tag = cleanup.subject;
        let kind = match &cleanup.walked {
            Some(Walked::Activities(_)) => RecordType::Activity,
            Some(Walked::Tagged(kind, _)) => *kind,
            Some(Walked::Tasks(_) | Walked::Comments(_)) | None => RecordType::Task,
        };
        let records = key::tagged_records(tenant, kind).consistent();
        let end = self.unlink_page(tenant, tag, records.filter(carrying(tag)), after);
        let prefix = key::tenant_prefix(tenant);
        Ok(match end.await? {
            Some(place) => Some(Walked::through(kind, Some(place.to_text(&prefix)))),
            None => after_kind(kind).map(|next| Walked::through(next, None)),
        })
    }

    /// Removes the references of the records of a page. Returns the end of the page; `None` for the
    /// last one.
    async fn unlink_page<R, I: Index>(
        &self,
        tenant: Tenant,
        deleted: Deleted,
        records: RecordList<R, I>,
        after: Option<ListPosition>,
    ) -> Result<Option<ListPosition>> {
        let wanted = PageRequest { rows: None, after };
        let page = self
            .0
            .table
            .page(records.places(), &wanted)
            .await?;
        let keys = page
            .rows
            .into_iter()
            .map(|row| row.place.key());
        let done: Vec<Result<()>> = stream::iter(keys)
            .map(|record| self.unlink(tenant, deleted, record))
            .buffer_unordered(CONCURRENCY)
            .collect()
            .await;
        // After a failure the whole page is tried again.
        done.into_iter()
            .collect::<Result<()>>()?;
        Ok(page.end)
    }

    /// Removes the reference of a record, if it has it and its version is a number. This is the
    /// only change that a cleanup makes to it. The history of the record, if any, gets an entry.
    async fn unlink(&self, tenant: Tenant, deleted: Deleted, record: AnyKey) -> Result<()> {
        let facts = deleted.kind.facts();
        let naming = Condition::default().equals(facts.named_by, deleted.id);
        let removed = UpdateExpression::default().remove(facts.named_by);
        let (change, still_named) = match facts.deletion {
            Deletion::LinkedTasks => (removed.leave(Gsi2), naming),
            Deletion::TasksOfProject => (removed, naming),
            Deletion::Tags => (
                UpdateExpression::default().take_from_set(TAG_IDS, deleted.id),
                carrying(deleted).of_type(TAG_IDS, "NS"),
            ),
            Deletion::Nothing | Deletion::Comments => return Ok(()),
        };
        let change = change.set("updatedAt", self.0.now());
        let still_named = still_named.of_type("version", "N");
        if let Some(of) = key::naming(tenant, &record) {
            let read = || self.entry(tenant, deleted, of);
            let write = |version_and_entry: Option<(i64, Option<Write>)>| async {
                let Some((version, entry)) = version_and_entry else {
                    return Ok(Some(()));
                };
                let as_read = still_named
                    .clone()
                    .equals("version", version);
                let mut writes = vec![Write::update(record.clone(), change.clone(), as_read)];
                writes.extend(entry);
                Ok(self
                    .0
                    .table
                    .transact(writes)
                    .await?
                    .ok())
            };
            // Other requests keep changing it, or it is damaged: every reader ignores the
            // reference.
            let _ = try_retry(read().await?, read, write).await?;
            return Ok(());
        }
        let write = Write::update(record, change, still_named);
        // Refused when another request changed or deleted the record, or when just these attributes
        // are damaged, and hold no reference.
        self.0
            .table
            .write(write)
            .await?
            .or_leave();
        Ok(())
    }

    /// The version of a record with the reference, and the entry of its history. `None` for one
    /// that is gone, has no such reference, or is damaged in just these attributes.
    async fn entry(
        &self,
        tenant: Tenant,
        deleted: Deleted,
        of: HistoryOf,
    ) -> Result<Option<(i64, Option<Write>)>> {
        let key = key::names_of(tenant, of);
        let batch = self
            .0
            .batch([AnyKey::from(&key)])
            .await?;
        let Some(named) = batch.named(&key) else {
            return Ok(None);
        };
        let facts = deleted.kind.facts();
        let id = json!(deleted.id);
        let gone = |named: &Value| {
            let is_named = *named == id;
            is_named.then(|| FieldChange::between(facts.named_by, id.clone(), Value::Null))
        };
        let change = match facts.deletion {
            Deletion::LinkedTasks => gone(&named.milestone_id),
            Deletion::TasksOfProject => gone(&named.phase_id),
            Deletion::Tags => named
                .tag_ids
                .as_array()
                .and_then(|tags| {
                    let left: Vec<&Value> = tags
                        .iter()
                        .filter(|tag| **tag != id)
                        .collect();
                    let is_named = left.len() < tags.len();
                    is_named.then(|| FieldChange::between(TAG_IDS, json!(tags), json!(left)))
                }),
            Deletion::Nothing | Deletion::Comments => None,
        };
        let Some(change) = change else {
            return Ok(None);
        };
        let version = named.version + 1;
        let entry = WriteContext::from(tenant).changed(Some(of), version, change, self.0.now())?;
        Ok(Some((named.version, entry)))
    }

    /// Deletes the comments of a page of a thread; with the last page, its participants. Returns
    /// the end of the page; `None` for the last one.
    async fn delete_comments(
        &self,
        tenant: Tenant,
        thread: Thread,
        after: Option<ListPosition>,
    ) -> Result<Option<ListPosition>> {
        let comments = key::comments(tenant, thread);
        let end = self
            .delete_page(comments, after)
            .await?;
        if end.is_none() {
            let participants = || key::participants(tenant, thread.into());
            let mut after = self
                .delete_page(participants(), None)
                .await?;
            while after.is_some() {
                after = self
                    .delete_page(participants(), after)
                    .await?;
            }
        }
        Ok(end)
    }

    /// Deletes a page of records. Returns its end; `None` for the last one.
    async fn delete_page<R>(
        &self,
        list: RecordList<R>,
        after: Option<ListPosition>,
    ) -> Result<Option<ListPosition>> {
        let wanted = PageRequest { rows: None, after };
        let places = list.consistent().places();
        let page = self
            .0
            .table
            .page(places, &wanted)
            .await?;
        let delete = |row: &Row<_>| Write::delete(row.place.key(), Condition::default());
        for some in page.rows.chunks(100) {
            let deletes = some.iter().map(delete).collect();
            self.0
                .table
                .transact(deletes)
                .await?
                .or_leave();
        }
        Ok(page.end)
    }
}

impl Cleanup {
    /// The place in the current list of records; `None` at its beginning.
    fn place(&self) -> Option<ListPosition> {
        let text = match self.walked.as_ref()? {
            Walked::Tasks(text) | Walked::Comments(text) => text,
            Walked::Activities(text) | Walked::Tagged(_, text) => text.as_ref()?,
        };
        ListPosition::from_text(&key::tenant_prefix(self.organization_id), text)
    }
}

fn carrying(tag: Deleted) -> Condition {
    Condition::default().in_set(TAG_IDS, tag.id)
}

impl Walked {
    /// The progress of a walk through the records of a type with tags. Version 2.0 reads it for
    /// tasks and activities, which come first.
    fn through(kind: RecordType, place: Option<String>) -> Self {
        match (kind, place) {
            (RecordType::Task, Some(place)) => Self::Tasks(place),
            (RecordType::Activity, place) => Self::Activities(place),
            (kind, place) => Self::Tagged(kind, place),
        }
    }
}

/// The next type of records with tags: tasks come first, then activities, then the others.
fn after_kind(kind: RecordType) -> Option<RecordType> {
    let first = [RecordType::Task, RecordType::Activity];
    let all = RecordType::ALL.iter().copied();
    let others = all.filter(|other| other.facts().has_tags && !first.contains(other));
    let mut kinds = first.into_iter().chain(others);
    kinds.find(|other| *other == kind)?;
    kinds.next()
}
