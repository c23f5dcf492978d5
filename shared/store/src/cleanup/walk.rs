//! Walks over all records that may name what was deleted, where no index tells which ones do. A walk
//! takes as many rounds as it needs, and keeps its place between them.

use std::collections::BTreeSet;

use futures::{StreamExt, TryStreamExt, stream};
use model::{ActivityId, Error, Id, Order, OrganizationId, PhaseId, ProjectId, TagId, TaskId};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::Cleanups;
use crate::{
    key::{self, AnyKey, Index, List},
    table::{Change, Condition, OrLeave, Write},
};

/// Rows that are read at once: of the largest records, 30 MB.
const ROWS_A_STEP: usize = 200;

/// Rows of a round, so that one huge walk does not hold up other cleanups.
const ROWS_A_ROUND: usize = 5_000;

/// Writes that are under way at the same time.
const CONCURRENCY: usize = 10;

/// The last row that a walk has seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Place {
    /// Of a project's tasks by order.
    TaskInOrder(Order, TaskId),
    /// Of all tasks by id.
    Task(TaskId),
    /// Of all activities by id, which come after the tasks.
    Activity(ActivityId),
}

/// What a walk reads of a task of a project.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct TaskInPhase {
    id: TaskId,
    order: Order,
    #[serde(default)]
    phase_id: Option<PhaseId>,
}

/// What a walk reads of a record that may carry tags.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Tagged<I> {
    id: I,
    #[serde(default)]
    tag_ids: BTreeSet<TagId>,
}

impl Cleanups<'_> {
    /// Takes a project's tasks out of a phase, from a place on; answers where to go on, or none at
    /// the end. A task that is moved past the walk keeps the id of a phase that is gone, which every
    /// reader takes for none.
    pub(super) async fn leave_phase(
        &self,
        tenant: OrganizationId,
        project: ProjectId,
        phase: PhaseId,
        mut place: Option<Place>,
    ) -> Result<Option<Place>, Error> {
        for _ in 0..ROWS_A_ROUND / ROWS_A_STEP {
            let mut tasks = key::tasks_of_project(tenant, project);
            if let Some(Place::TaskInOrder(order, id)) = place {
                tasks = tasks.from(key::task_order(order, id));
            }
            let tasks: Vec<TaskInPhase> = self.step(tasks.read_as()).await?;
            let in_it = tasks.iter().filter(|task| task.phase_id == Some(phase));
            let leave = in_it.map(|task| {
                let change = Change::default().remove("phaseId");
                let still_in_it = Condition::default().equals("phaseId", phase);
                Write::update(key::task(tenant, task.id), change, still_in_it)
            });
            self.write_all(leave).await?;
            let Some(last) = last_of_full_step(&tasks) else {
                return Ok(None);
            };
            place = Some(Place::TaskInOrder(last.order, last.id));
        }
        Ok(place)
    }

    /// Takes a tag off the organization's tasks, then its activities, from a place on; answers
    /// where to go on, or none at the end. Nothing is given a tag that is gone, so that what the walk
    /// has passed stays without it.
    pub(super) async fn take_tag_off(
        &self,
        tenant: OrganizationId,
        tag: TagId,
        mut place: Option<Place>,
    ) -> Result<Option<Place>, Error> {
        for _ in 0..ROWS_A_ROUND / ROWS_A_STEP {
            place = match place {
                Some(Place::Activity(from)) => {
                    let activities = key::activities_by_id(tenant).consistent();
                    let activities = activities.from(key::id_order(from));
                    let key = |id| key::activity(tenant, id).into();
                    let last = self.step_of_tag(activities, tag, key).await?;
                    let Some(last) = last else { return Ok(None) };
                    Some(Place::Activity(last))
                }
                place => {
                    let mut tasks = key::tasks(tenant).consistent();
                    if let Some(Place::Task(from)) = place {
                        tasks = tasks.from(key::id_order(from));
                    }
                    let key = |id| key::task(tenant, id).into();
                    let last = self.step_of_tag(tasks, tag, key).await?;
                    last.map(Place::Task)
                        .or_else(|| ActivityId::new(1).map(Place::Activity))
                }
            };
        }
        Ok(place)
    }

    /// Takes a tag off some records; answers the last of them unless it is the last of all.
    async fn step_of_tag<R, I: Index, D>(
        &self,
        records: List<R, I>,
        tag: TagId,
        key: impl Fn(D) -> AnyKey,
    ) -> Result<Option<D>, Error>
    where
        D: Id + DeserializeOwned,
    {
        let records: Vec<Tagged<D>> = self.step(records.read_as()).await?;
        let carrying = records.iter().filter(|one| one.tag_ids.contains(&tag));
        let take_off = carrying.map(|one| {
            let change = Change::default().take_from_set("tagIds", tag);
            let still_carried = Condition::default().in_set("tagIds", tag);
            Write::update(key(one.id), change, still_carried)
        });
        self.write_all(take_off).await?;
        Ok(last_of_full_step(&records).map(|last| last.id))
    }

    async fn step<R: DeserializeOwned, I: Index>(&self, rows: List<R, I>) -> Result<Vec<R>, Error> {
        self.0.table.list(rows.limit(ROWS_A_STEP)).await
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

/// The last row of a step after which there may be more.
fn last_of_full_step<R>(rows: &[R]) -> Option<&R> {
    rows.last().filter(|_| rows.len() == ROWS_A_STEP)
}
