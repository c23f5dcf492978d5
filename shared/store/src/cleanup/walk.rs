//! Walks over all records that may name what was deleted, where no index tells which ones do. A walk
//! takes as many rounds as it needs, and keeps its place between them.

use std::collections::BTreeSet;

use futures::{StreamExt, TryStreamExt, stream};
use model::{Error, Id, OrganizationId, PhaseId, ProjectId, TagId, TaskId};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::Cleanups;
use crate::{
    key::{self, AnyKey, Index, List},
    page::{Page, Place, Wanted},
    table::{Change, Condition, OrLeave, Write},
};

/// Pages of a round, of up to 1,000 rows each, so that one huge walk does not hold up other cleanups.
const PAGES_A_ROUND: usize = 5;

/// Writes that are under way at the same time.
const CONCURRENCY: usize = 10;

/// How far a walk came: behind which row it goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Walked {
    /// Through tasks, up to this place.
    Tasks(String),
    /// Through all tasks and through activities, up to this place if there is one.
    Activities(Option<String>),
}

/// What a walk reads of a task of a project.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct TaskInPhase {
    id: TaskId,
    #[serde(default)]
    phase_id: Option<PhaseId>,
}

impl TaskInPhase {
    const ATTRIBUTES: &'static [&'static str] = &["id", "phaseId"];
}

/// What a walk reads of a record that may carry tags.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Tagged<I> {
    id: I,
    #[serde(default)]
    tag_ids: BTreeSet<TagId>,
}

/// The attributes of [`Tagged`].
const TAGGED: &[&str] = &["id", "tagIds"];

impl Cleanups<'_> {
    /// Takes a project's tasks out of a phase, from a place on; answers where to go on, or none at
    /// the end. A task that is moved past the walk keeps the id of a phase that is gone, which every
    /// reader takes for none.
    pub(super) async fn leave_phase(
        &self,
        tenant: OrganizationId,
        project: ProjectId,
        phase: PhaseId,
        walked: Option<&Walked>,
    ) -> Result<Option<Walked>, Error> {
        let mut after = match walked {
            Some(Walked::Tasks(place)) => Place::from_text(tenant, place),
            _ => None,
        };
        for _ in 0..PAGES_A_ROUND {
            let tasks = key::tasks_of_project(tenant, project);
            let tasks = tasks.only::<TaskInPhase>(TaskInPhase::ATTRIBUTES);
            let page = self.page(tasks, after).await?;
            let in_it = page.records().filter(|task| task.phase_id == Some(phase));
            let leave = in_it.map(|task| {
                let change = Change::default().remove("phaseId");
                let still_in_it = Condition::default().equals("phaseId", phase);
                Write::update(key::task(tenant, task.id), change, still_in_it)
            });
            self.write_all(leave).await?;
            if page.end.is_none() {
                return Ok(None);
            }
            after = page.end;
        }
        Ok(after.map(|place| Walked::Tasks(place.to_text(tenant))))
    }

    /// Takes a tag off the organization's tasks, then its activities, from a place on; answers
    /// where to go on, or none at the end. Nothing is given a tag that is gone, so that what the walk
    /// has passed stays without it.
    pub(super) async fn take_tag_off(
        &self,
        tenant: OrganizationId,
        tag: TagId,
        walked: Option<&Walked>,
    ) -> Result<Option<Walked>, Error> {
        let place = |text: &String| Place::from_text(tenant, text);
        let (mut past_tasks, mut after) = match walked {
            None => (false, None),
            Some(Walked::Tasks(text)) => (false, place(text)),
            Some(Walked::Activities(text)) => (true, text.as_ref().and_then(place)),
        };
        for _ in 0..PAGES_A_ROUND {
            after = if past_tasks {
                let activities = key::activities_by_id(tenant).consistent();
                let key = |id| key::activity(tenant, id).into();
                let end = self.page_of_tag(activities, after, tag, key).await?;
                if end.is_none() {
                    return Ok(None);
                }
                end
            } else {
                let tasks = key::tasks(tenant).consistent();
                let key = |id| key::task(tenant, id).into();
                let end = self.page_of_tag(tasks, after, tag, key).await?;
                past_tasks = end.is_none();
                end
            };
        }
        let place = after.map(|place| place.to_text(tenant));
        Ok(if past_tasks {
            Some(Walked::Activities(place))
        } else {
            place.map(Walked::Tasks)
        })
    }

    /// Takes a tag off a page of records; answers where it ends, unless it is the last one.
    async fn page_of_tag<R, I: Index, D>(
        &self,
        records: List<R, I>,
        after: Option<Place>,
        tag: TagId,
        key: impl Fn(D) -> AnyKey,
    ) -> Result<Option<Place>, Error>
    where
        D: Id + DeserializeOwned,
    {
        let page = self.page(records.only::<Tagged<D>>(TAGGED), after).await?;
        let carrying = page.records().filter(|one| one.tag_ids.contains(&tag));
        let take_off = carrying.map(|one| {
            let change = Change::default().take_from_set("tagIds", tag);
            let still_carried = Condition::default().in_set("tagIds", tag);
            Write::update(key(one.id), change, still_carried)
        });
        self.write_all(take_off).await?;
        Ok(page.end)
    }

    async fn page<R: DeserializeOwned, I: Index>(
        &self,
        rows: List<R, I>,
        after: Option<Place>,
    ) -> Result<Page<R>, Error> {
        let wanted = Wanted { rows: None, after };
        let page = self.0.table.page(rows, &wanted).await?;
        Ok(page.map(|stored| stored.record))
    }

    /// Writes that somebody else may have made needless meanwhile.
    async fn write_all(&self, writes: impl Iterator<Item = Write>) -> Result<(), Error> {
        let writes: Vec<Write> = writes.collect();
        stream::iter(writes)
            .map(|write| self.0.table.write(write))
            .buffer_unordered(CONCURRENCY)
            .try_for_each(|done| {
                done.or_leave();
                std::future::ready(Ok(()))
            })
            .await
    }
}
