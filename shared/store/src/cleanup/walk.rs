//! The records that hang on what was deleted, page by page. Nothing of them is read but their keys,
//! so that one that is damaged is in nobody's way.

use futures::{StreamExt, stream};
use model::{Error, FieldChange, HistoryOf, OrganizationId, TagId, TaskId, Thread};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{Cleanup, Cleanups, Subject};
use crate::{
    Given,
    key::{self, AnyKey, Gsi2, Index, List},
    page::{Place, Wanted},
    rewrite::try_rewrite,
    table::{Change, Condition, OrLeave, Read, Write},
    tagging::TAG_IDS,
};

/// Writes of a cleanup that are under way at the same time.
const CONCURRENCY: usize = 10;

/// How far a cleanup came: behind which row it goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Walked {
    /// Through tasks, up to this place.
    Tasks(String),
    /// Through all tasks and through activities, up to this place if there is one.
    Activities(Option<String>),
    /// Through comments, up to this place.
    Comments(String),
}

/// What a task names that may be deleted, each as it stands there: one that is damaged is in no
/// other's way.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct NamesOfTask {
    milestone_id: Value,
    phase_id: Value,
    tag_ids: Value,
}

impl Cleanups<'_> {
    /// Handles the next records that hang on what was deleted, of up to 1,000 that are looked at;
    /// answers how far that came, or none at the end.
    pub(super) async fn next_page(&self, cleanup: &Cleanup) -> Result<Option<Walked>, Error> {
        let (tenant, subject) = (cleanup.organization_id, cleanup.subject);
        let after = cleanup.place();
        let text = |place: Place| place.to_text(tenant);
        Ok(match subject {
            // By now the index shows links made just before the delete. Should it lag for longer, such
            // a task keeps the id of a milestone that is gone, which every reader takes for none.
            Subject::Milestone(id) => {
                let tasks = key::tasks_of_milestone(tenant, id);
                let end = self.let_go(tenant, subject, tasks, after).await?;
                end.map(text).map(Walked::Tasks)
            }
            // So does a task that is moved past the walk, of a phase.
            Subject::Phase(project, id) => {
                let in_it = Condition::default().equals("phaseId", id);
                let tasks = key::tasks_of_project(tenant, project).filter(in_it);
                let end = self.let_go(tenant, subject, tasks, after).await?;
                end.map(text).map(Walked::Tasks)
            }
            // Nothing is given a tag that is gone, so that what the walk has passed stays without it.
            Subject::Tag(id) if cleanup.is_past_tasks() => {
                let activities = key::activities_by_id(tenant).consistent();
                let activities = activities.filter(carrying(id));
                let end = self.let_go(tenant, subject, activities, after).await?;
                end.map(|place| Walked::Activities(Some(text(place))))
            }
            Subject::Tag(id) => {
                let tasks = key::tasks(tenant).consistent().filter(carrying(id));
                let end = self.let_go(tenant, subject, tasks, after).await?;
                Some(end.map_or(Walked::Activities(None), |place| Walked::Tasks(text(place))))
            }
            Subject::Thread(thread) => {
                let end = self.delete_comments(tenant, thread, after).await?;
                end.map(text).map(Walked::Comments)
            }
        })
    }

    /// Lets the records of a page of a list go of what was deleted; answers where the page ends,
    /// unless it is the last one.
    async fn let_go<R, I: Index>(
        &self,
        tenant: OrganizationId,
        subject: Subject,
        records: List<R, I>,
        after: Option<Place>,
    ) -> Result<Option<Place>, Error> {
        let wanted = Wanted { rows: None, after };
        let page = self.0.table.page(records.places(), &wanted).await?;
        let keys = page.rows.into_iter().map(|row| row.place.key());
        let done: Vec<Result<(), Error>> = stream::iter(keys)
            .map(|record| self.let_one_go(tenant, subject, record))
            .buffer_unordered(CONCURRENCY)
            .collect()
            .await;
        // One that fails is tried again with its page.
        done.into_iter().collect::<Result<(), Error>>()?;
        Ok(page.end)
    }

    /// Lets a task or an activity go of what was deleted, if it names that and its version is one:
    /// whatever a cleanup changes in them, it changes here. A task's history tells of it.
    async fn let_one_go(
        &self,
        tenant: OrganizationId,
        subject: Subject,
        record: AnyKey,
    ) -> Result<(), Error> {
        let (change, still_named) = match subject {
            Subject::Milestone(id) => (
                Change::default().remove("milestoneId").leave(Gsi2),
                Condition::default().equals("milestoneId", id),
            ),
            Subject::Phase(_, id) => (
                Change::default().remove("phaseId"),
                Condition::default().equals("phaseId", id),
            ),
            Subject::Tag(id) => (
                Change::default().take_from_set(TAG_IDS, id),
                carrying(id).of_type(TAG_IDS, "NS"),
            ),
            Subject::Thread(_) => return Ok(()),
        };
        let still_named = still_named.of_type("version", "N");
        if let Some(task) = key::task_of(tenant, &record) {
            let read = || self.entry(tenant, subject, task);
            let write = |found: Option<(i64, Option<Write>)>| async {
                let Some((version, entry)) = found else {
                    return Ok(Some(()));
                };
                let as_read = still_named.clone().equals("version", version);
                let mut writes = vec![Write::update(record.clone(), change.clone(), as_read)];
                writes.extend(entry);
                Ok(self.0.table.transact(writes).await?.ok())
            };
            // Others keep changing it, or it is damaged: whoever reads it takes what is gone for none.
            let _ = try_rewrite(read().await?, read, write).await?;
            return Ok(());
        }
        let write = Write::update(record, change, still_named);
        // Refused means that somebody changed the record or deleted it meanwhile, or that it is
        // damaged in just these attributes, and then names nothing.
        self.0.table.write(write).await?.or_leave();
        Ok(())
    }

    /// The version of a task that names what was deleted, and what its history says of that going;
    /// none of a task that is gone, names it no more, or is damaged in just these attributes.
    async fn entry(
        &self,
        tenant: OrganizationId,
        subject: Subject,
        task: TaskId,
    ) -> Result<Option<(i64, Option<Write>)>, Error> {
        let key = key::names_of_task(tenant, task);
        let keys = [AnyKey::from(&key)];
        let found = self.0.table.batch_get(keys, Read::Consistent).await?;
        let Some(named) = found.named(&key) else {
            return Ok(None);
        };
        let gone = |name, id: Value, named: &Value| {
            let is_named = *named == id;
            is_named.then(|| FieldChange::between(name, id, Value::Null))
        };
        let change = match subject {
            Subject::Milestone(id) => gone("milestoneId", json!(id), &named.milestone_id),
            Subject::Phase(_, id) => gone("phaseId", json!(id), &named.phase_id),
            Subject::Tag(id) => named.tag_ids.as_array().and_then(|tags| {
                let left = tags.iter().filter(|tag| **tag != json!(id));
                let left: Vec<&Value> = left.collect();
                let is_named = left.len() < tags.len();
                is_named.then(|| FieldChange::between(TAG_IDS, json!(tags), json!(left)))
            }),
            Subject::Thread(_) => None,
        };
        let Some(change) = change else {
            return Ok(None);
        };
        let (of, version) = (Some(HistoryOf::Task(task)), named.version + 1);
        let service = Given::from(tenant);
        let entry = service.changed(of, version, change, self.0.clock.now())?;
        Ok(Some((named.version, entry)))
    }

    /// Deletes the comments of a page of a thread; answers where the page ends, unless it is the last
    /// one.
    async fn delete_comments(
        &self,
        tenant: OrganizationId,
        thread: Thread,
        after: Option<Place>,
    ) -> Result<Option<Place>, Error> {
        let comments = key::comments(tenant, thread).consistent().places();
        let wanted = Wanted { rows: None, after };
        let page = self.0.table.page(comments, &wanted).await?;
        for some in page.rows.chunks(100) {
            let deletes = some
                .iter()
                .map(|row| Write::delete(row.place.key(), Condition::default()))
                .collect();
            self.0.table.transact(deletes).await?.or_leave();
        }
        Ok(page.end)
    }
}

impl Cleanup {
    /// Where it goes on, if it has begun with the records that it is at.
    fn place(&self) -> Option<Place> {
        let text = match self.walked.as_ref()? {
            Walked::Tasks(text) | Walked::Comments(text) => text,
            Walked::Activities(text) => text.as_ref()?,
        };
        Place::from_text(self.organization_id, text)
    }

    /// Whether it went through all tasks, and is at activities.
    const fn is_past_tasks(&self) -> bool {
        matches!(self.walked, Some(Walked::Activities(_)))
    }
}

/// The record carries a tag.
fn carrying(tag: TagId) -> Condition {
    Condition::default().in_set(TAG_IDS, tag)
}
