mod counting;
mod finding;
mod joined;
mod links;
mod moving;
mod place;

pub use counting::TaskCounts;
pub use joined::{JoinedTask, TaggedTask};
use std::sync::OnceLock;

use futures::{FutureExt, future::OptionFuture};
use model::{
    base::{
        Error, Fault, HistoryOf, Id, Order, OrganizationId, ProjectId, TaskId, TaskSort, UserId,
    },
    work::{ProjectRef, Task, TaskCreate, TaskFilter, TaskPlace, TaskUpdate},
};
use table::{
    AnyKey, Batch, Condition, Key, OrNotFound, Read, Stored, UpdateExpression, Write,
    page::{Page, PageRequest},
};

use crate::{
    Result,
    base::{
        InScope, Pending, Reader, WriteContext,
        idempotency::{Created, id_of},
        named::{Named, Names},
        record::record,
        store::resource,
        texts,
        tracked::Tracked,
        writes::Writes,
    },
    key::{self, Keyed},
    people::directory::takes_work,
};

use self::{
    finding::{Finding, still_fits},
    links::Links,
    place::Room,
};

resource! { pub Tasks as tasks }

record! {
    task: Task, id: TaskId,
    number_sets: ["tagIds"],
    long_text: texts::DESCRIPTION,
    gsi1: key::task_in_project(task),
    gsi2: key::task_in_milestone(task),
    gsi3: key::task_of_assignee(task),
    gsi4: Some(key::task_by_creation(task)),
    hidden: ["tagIds"],
}

impl Tracked for Task {
    fn history(&self) -> Option<HistoryOf> {
        Some(self.id.into())
    }
}

impl Tasks<'_> {
    /// Creates a task at the end of its project's list. 400 with every reference to another tenant,
    /// and for a milestone or a phase of another project. 409 when the project is archived, or no
    /// order is left behind its last task.
    pub async fn create(&self, pending: impl Pending, new: TaskCreate) -> Result<JoinedTask> {
        let (pending, reader) = pending.with_reader();
        let tenant = reader.tenant;
        let project = new.project_id;
        let links = Links {
            milestone: new.milestone_id,
            phase: new.phase_id,
            assignee: new.assignee_id,
        };
        let project_key = project.map(|project| project.key(tenant));
        let read = async {
            let keys = links.keys(tenant);
            let keys = keys.chain(project_key.as_ref().map(AnyKey::from));
            let end = OptionFuture::from(project.map(|project| self.room_at_end(tenant, project)));
            let batch = self.0.batch(keys);
            tokio::try_join!(batch, end.map(Option::transpose))
        };
        let named = OnceLock::new();
        let task =
            |context: &WriteContext, id: TaskId, (batch, end): (Batch, Option<Room>), now| {
                let mut faults = links.faults(context, project, None, &batch)?;
                let project = project_key
                    .as_ref()
                    .map(|key| batch.get(key));
                let project = context.see(project.transpose()?.flatten());
                if project_key.is_some() && project.is_none() {
                    faults.push(Fault::unknown("projectId", ProjectId::NOUN));
                }
                if new
                    .organization_id
                    .is_some_and(|named| named != tenant)
                {
                    faults.push(Fault::unknown("organizationId", OrganizationId::NOUN));
                }
                Error::unless_valid(faults)?;
                project.map_or(Ok(()), |project| takes_work(&project))?;
                // Tasks of no project have no list with an end. Ordered by their ids, they stand in the
                // order of their creation, with the same room between them.
                let room = end.unwrap_or_else(|| {
                    Room::of(Order::at(
                        id.get()
                            .saturating_mul(Task::ORDER_STEP),
                    ))
                });
                let task = Task::new(id, tenant, new, room.order, now);
                named.get_or_init(|| Names::of_tasks([&task]).found(tenant, &batch));
                let mut writes = links.writes(tenant);
                writes.append(room.writes(tenant, now));
                Ok((task, writes))
            };
        let created = self
            .0
            .create_once(pending, read, task)
            .await?;
        match (created, named.get()) {
            (Created::New(task), Some(named)) => Ok(JoinedTask::new(task, named)),
            (Created::New(task), None) => self.get(&reader, task.id).await,
            (Created::Replayed(made), _) => self.get(&reader, id_of(made)?).await,
        }
    }

    /// One task. 404 when it is not the tenant's.
    pub async fn get(&self, reader: &Reader, id: TaskId) -> Result<JoinedTask> {
        let task = self.0.scoped().get(reader, id).await?;
        let ids = Names::of_tasks([&task.record]);
        let named = self.0.named(reader.tenant, ids).await?;
        Ok(JoinedTask::new(task, &named))
    }

    /// The organization's tasks that match a filter. 400 for an order that needs another filter.
    pub async fn list(
        &self,
        reader: &Reader,
        caller: UserId,
        filter: &TaskFilter,
        sort: TaskSort,
        wanted: &PageRequest,
    ) -> Result<Page<JoinedTask>> {
        let tenant = reader.tenant;
        let read = |wanted: PageRequest| async move {
            let finding = Finding {
                store: self.0,
                tenant,
                caller,
                filter,
                wanted: &wanted,
            };
            self.0
                .whole_page(finding.find(sort).await?)
                .await
        };
        let page = self
            .0
            .scoped()
            .filled_page(reader, wanted, read)
            .await?;
        let ids = Names::of_tasks(records(&page));
        let named = self.0.named(tenant, ids).await?;
        Ok(join(page, &named, filter))
    }

    /// A project's tasks that match a filter, by order, ties by id. 404 when the project is not the
    /// tenant's.
    pub async fn of_project(
        &self,
        reader: &Reader,
        caller: UserId,
        project: ProjectId,
        filter: &TaskFilter,
        wanted: &PageRequest,
    ) -> Result<Page<JoinedTask>> {
        let table = &self.0.table;
        let tenant = reader.tenant;
        let key = project.key(tenant);
        let finding = Finding {
            store: self.0,
            tenant,
            caller,
            filter,
            wanted,
        };
        let tasks = finding.in_project(project);
        let (project, page) = tokio::try_join!(table.get(&key, Read::Lasting), tasks)?;
        let project = self
            .0
            .scoped()
            .place(reader, project, ProjectId::NOUN)
            .await?;
        let page = self.0.whole_page(page).await?;
        let page = project.rows(page);
        let project = ProjectRef::from(&project.record);
        let mut names = Names::of_tasks(records(&page));
        names.projects.clear();
        let mut records = self.0.named(tenant, names).await?;
        records
            .projects
            .insert(project.id, project);
        Ok(join(page, &records, filter))
    }

    /// Changes a task. 404 for another tenant's; 400 with every reference to another tenant, and
    /// for a milestone or a phase of another project than the task's.
    pub async fn update(
        &self,
        pending: impl Pending,
        id: TaskId,
        update: TaskUpdate,
    ) -> Result<JoinedTask> {
        let (pending, tenant) = pending.with_tenant();
        let links = Links {
            milestone: update.milestone_id.value().copied(),
            phase: update.phase_id.value().copied(),
            assignee: update.assignee_id.value().copied(),
        };
        let keys = links
            .keys(tenant)
            .chain([id.key(tenant).into()]);
        let mut plan = self.0.plan(pending, keys).await?;
        loop {
            let read = plan.read().await?;
            let mut draft = plan.draft(&read, id).await?;
            let task = &draft.before;
            let faults = links.faults(&plan.context, task.project_id, task.assignee_id, &read)?;
            Error::unless_valid(faults)?;
            update.clone().apply(&mut draft.after);
            draft.after.updated_at = draft.now;
            draft.writes = links.writes(tenant);
            let referred = Names::of_tasks([&draft.after.record]);
            let written = plan.write(draft);
            let (done, named) = tokio::try_join!(written, self.0.named(tenant, referred))?;
            if let Some(done) = done {
                return Ok(JoinedTask::new(done.not_replayed()?, &named));
            }
        }
    }

    /// Gives up to 100 tasks a new order, all or none. Keeps what other requests write to them at
    /// the same time. A task of that order stays as it is. 404 when one of them is not the
    /// tenant's.
    pub async fn reorder(&self, pending: impl Pending, places: &[TaskPlace]) -> Result<()> {
        let (pending, tenant) = pending.with_tenant();
        let keyed = places
            .iter()
            .map(|place| (place, place.id.key(tenant)));
        let keyed: Vec<(&TaskPlace, Key<Task>)> = keyed.collect();
        let keys = keyed.iter().map(|(_, key)| key);
        let mut plan = self.0.plan(pending, keys).await?;
        loop {
            let read = plan.read().await?;
            let now = self.0.now();
            let mut writes = Writes::default();
            for &(&TaskPlace { id, order }, ref key) in &keyed {
                read.has(key)
                    .then_some(())
                    .or_not_found(TaskId::NOUN)?;
                let task: Option<Stored<Task>> = read.named(key);
                // A task that does not read has no place, and its order may be written.
                if let Some(task) = &task {
                    plan.renew(&task.record).await?;
                    plan.context
                        .sees(&task.record)
                        .then_some(())
                        .or_not_found(TaskId::NOUN)?;
                }
                if task.is_some_and(|task| task.order == order) {
                    let as_read = Condition::default().equals("order", order);
                    writes.push(Write::check(key, as_read));
                    continue;
                }
                // The index's partition is the project, which stays the same.
                let change = UpdateExpression::default()
                    .set("order", order)
                    .move_to(key::task_order(order, id))
                    .set("updatedAt", now);
                let is_there = Write::update(key, change, Condition::exists());
                writes.push_or(is_there, Error::NotFound(TaskId::NOUN));
            }
            if writes.change_nothing() {
                writes = Writes::default();
            }
            if let Some(done) = plan.commit(writes, ()).await? {
                return done.not_replayed();
            }
        }
    }

    /// Deletes a task. Its comments are unreachable from then on, and the sweeper deletes them. 404
    /// when it is not the tenant's.
    pub async fn delete(&self, pending: impl Pending, id: TaskId) -> Result<()> {
        let comments = |_: &Task| (id.into(), Writes::default());
        self.0
            .delete(pending, id, comments)
            .await
    }
}

fn records(page: &Page<InScope<Task>>) -> impl Iterator<Item = &Task> + Clone {
    page.records().map(|seen| &seen.record)
}

/// Joins tasks with the records that they refer to. Drops rows that matched the filter by a deleted
/// record.
fn join(page: Page<InScope<Task>>, named: &Named, filter: &TaskFilter) -> Page<JoinedTask> {
    page.filter_map(|task| {
        let joined = JoinedTask::new(task, named);
        still_fits(filter, &joined).then_some(joined)
    })
}
