//! Tasks.

mod finding;
mod named;

use model::{
    Error, Fault, FaultCode, HistoryOf, Id, MilestoneId, MilestoneRef, Order, OrganizationId,
    PhaseId, ProjectId, ProjectRef, TagRef, Task, TaskCreate, TaskFilter, TaskId, TaskPlace,
    TaskSort, TaskUpdate, Thread, UserId, UserRef,
};

use self::{
    finding::{Finding, condition, still_fits},
    named::{Named, Names},
};
use super::{
    Given, Permit, Store,
    cleanup::Subject,
    directory::takes_work,
    key::{self, AnyKey, Gsi1, Gsi2, Gsi3, Key},
    once::id_of,
    page::{Page, Wanted},
    table::{Batch, Change, Condition, OrNotFound, Read, Record, Refused, Stored, Write},
};

/// A milestone, a phase or a tag that was deleted must not show on its tasks, not even for the
/// moment in which an eventually consistent read still finds it.
const JOIN: Read = Read::Consistent;

/// Tasks.
#[derive(Clone, Copy, Debug)]
pub struct Tasks<'a>(pub(super) &'a Store);

/// A task with its tags alone.
#[derive(Clone, Debug)]
pub struct TaggedTask {
    /// The task.
    pub task: Stored<Task>,
    /// The tags it carries, by id.
    pub tags: Vec<TagRef>,
}

/// A task with what it names, as it is called now.
#[derive(Clone, Debug)]
pub struct JoinedTask {
    /// The task.
    pub task: Stored<Task>,
    /// Who it is assigned to.
    pub assignee: Option<UserRef>,
    /// The project it is of.
    pub project: Option<ProjectRef>,
    /// The milestone it is linked to.
    pub milestone: Option<MilestoneRef>,
    /// The tags it carries, by id.
    pub tags: Vec<TagRef>,
}

impl From<JoinedTask> for TaggedTask {
    fn from(JoinedTask { task, tags, .. }: JoinedTask) -> Self {
        Self { task, tags }
    }
}

impl Record for Task {
    const KIND: &'static str = "task";
    const NUMBER_SETS: &'static [&'static str] = &["tagIds"];

    fn key(&self) -> Key<Self> {
        key::task(self.organization_id, self.id)
    }

    fn gsi1(&self) -> Option<Key<Self, Gsi1>> {
        key::task_in_project(self)
    }

    fn gsi2(&self) -> Option<Key<Self, Gsi2>> {
        key::task_in_milestone(self)
    }

    fn gsi3(&self) -> Option<Key<Self, Gsi3>> {
        key::task_of_assignee(self)
    }

    fn history(&self) -> Option<HistoryOf> {
        Some(HistoryOf::Task(self.id))
    }
}

impl Tasks<'_> {
    /// Creates a task at the end of its project's list. 400 with every reference that is not the
    /// tenant's, and for a milestone or a phase that is not the project's; 409 when the project is
    /// archived.
    pub async fn create(
        &self,
        permit: impl Into<Permit>,
        new: TaskCreate,
    ) -> Result<TaggedTask, Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let create = async |permit| self.create_new(permit, new).await;
        let again = async |made| self.get(tenant, id_of(made)?).await.map(TaggedTask::from);
        permit.once(create, again).await
    }

    async fn create_new(&self, permit: Permit, new: TaskCreate) -> Result<TaggedTask, Error> {
        let tenant = permit.tenant();
        let table = &self.0.table;
        let links = Links {
            milestone: new.milestone_id,
            phase: new.phase_id,
            assignee: new.assignee_id,
        };
        let project_key = new.project_id.map(|project| key::project(tenant, project));
        let keys = links
            .keys(tenant)
            .chain(project_key.as_ref().map(AnyKey::from));
        let read = async {
            tokio::try_join!(
                self.0.next_id::<TaskId>(),
                table.batch_get(keys, Read::Consistent),
                self.largest_order(tenant, new.project_id),
            )
        };
        let (given, (id, found, last)) = permit.beside(read).await?;
        let mut faults = links.faults(tenant, new.project_id, &found)?;
        let project = match &project_key {
            Some(key) => found.get(key)?,
            None => None,
        };
        if project_key.is_some() && project.is_none() {
            faults.push(Fault::unknown("projectId", ProjectId::NOUN));
        }
        if new.organization_id.is_some_and(|named| named != tenant) {
            faults.push(Fault::unknown("organizationId", OrganizationId::NOUN));
        }
        if !faults.is_empty() {
            return Err(Error::Invalid(faults));
        }
        project.map_or(Ok(()), |project| takes_work(&project))?;
        let order = match last {
            Some(last) => last.get().saturating_add(Task::ORDER_STEP),
            // Tasks of no project have no list whose end could be looked up; by their ids they
            // stand in the order of their creation, with the same room between them.
            None => id.get().saturating_mul(Task::ORDER_STEP),
        };
        let now = self.0.clock.now();
        let task = Task::new(id, tenant, new, Order::at(order), now);
        let entry = given.created(&task, now)?;
        let writes = [Some(Write::create(&task)?), entry];
        let done = self.save(&given, writes, links.milestone, id).await?;
        done.map_err(|_| super::id_is_taken(Task::KIND))?;
        Ok(TaggedTask {
            task: Stored::created(task),
            tags: Vec::new(),
        })
    }

    /// One task. 404 when it is not the tenant's.
    pub async fn get(&self, tenant: OrganizationId, id: TaskId) -> Result<JoinedTask, Error> {
        let key = key::task(tenant, id);
        let task = self.0.one(&key, TaskId::NOUN).await?;
        let named = self.named(tenant, Names::of([&*task])).await?;
        Ok(named.join(task))
    }

    /// The organization's tasks that fit. 400 for an order that takes a filter which is not there.
    pub async fn list(
        &self,
        tenant: OrganizationId,
        caller: UserId,
        filter: &TaskFilter,
        sort: TaskSort,
        wanted: &Wanted,
    ) -> Result<Page<JoinedTask>, Error> {
        let finding = Finding {
            table: &self.0.table,
            tenant,
            caller,
            filter,
            wanted,
        };
        let page = finding.find(sort).await?;
        let named = self.named(tenant, Names::of(records(&page))).await?;
        Ok(join(page, &named, filter))
    }

    /// A project's tasks that fit, by order, ties by id. 404 when the project is not the tenant's.
    pub async fn of_project(
        &self,
        tenant: OrganizationId,
        caller: UserId,
        project: ProjectId,
        filter: &TaskFilter,
        wanted: &Wanted,
    ) -> Result<Page<JoinedTask>, Error> {
        let table = &self.0.table;
        let key = key::project(tenant, project);
        let tasks = key::tasks_of_project(tenant, project).filter(condition(filter, caller)?);
        let (project, page) =
            tokio::try_join!(table.get(&key, Read::Eventual), table.page(tasks, wanted))?;
        let project = ProjectRef::from(&project.or_not_found(ProjectId::NOUN)?.record);
        let mut names = Names::of(records(&page));
        names.projects.clear();
        let mut found = self.named(tenant, names).await?;
        found.projects.insert(project.id, project);
        Ok(join(page, &found, filter))
    }

    /// Changes a task. 404 when it is not the tenant's; 400 with every reference that is not the
    /// tenant's, and for a milestone or a phase that is not of the task's project.
    pub async fn update(
        &self,
        permit: impl Into<Permit>,
        id: TaskId,
        update: TaskUpdate,
    ) -> Result<JoinedTask, Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let key = &key::task(tenant, id);
        let update = &update;
        let links = Links {
            milestone: update.milestone_id.value().copied(),
            phase: update.phase_id.value().copied(),
            assignee: update.assignee_id.value().copied(),
        };
        let read = || {
            let keys = links.keys(tenant).chain([AnyKey::from(key)]);
            self.0.table.batch_get(keys, Read::Consistent)
        };
        let write = |given: Given, found: Batch| async move {
            let before = given.current(found.get(key)?, TaskId::NOUN)?;
            let faults = links.faults(tenant, before.project_id, &found)?;
            if !faults.is_empty() {
                return Err(Error::Invalid(faults));
            }
            let mut task = before.clone();
            update.clone().apply(&mut task);
            task.updated_at = self.0.clock.now();
            let entry = given.updated(&before.record, &task, task.updated_at)?;
            let writes = [Some(Write::replace(&task)?), entry];
            let (done, named) = tokio::try_join!(
                self.save(&given, writes, links.milestone, id),
                self.named(tenant, Names::of([&task.record])),
            )?;
            Ok(done.is_ok().then(|| named.join(task.replaced())))
        };
        permit.rewrite(read, write).await
    }

    /// Gives up to 100 tasks new places, all or none; what else is written to them meanwhile is
    /// kept. 404 when one of them is not the tenant's.
    pub async fn reorder(
        &self,
        permit: impl Into<Permit>,
        places: &[TaskPlace],
    ) -> Result<(), Error> {
        let tenant = permit.into().given().await?.tenant();
        let now = self.0.clock.now();
        let moves = places.iter().map(|&TaskPlace { id, order }| {
            // The project, which the task keeps, is the other half of its place in the index.
            let change = Change::default()
                .set("order", order)
                .move_to(key::task_order(order, id))
                .set("updatedAt", now);
            Write::update(key::task(tenant, id), change, Condition::exists())
        });
        let done = self.0.table.transact(moves.collect()).await?;
        done.or_not_found(TaskId::NOUN)
    }

    /// Deletes a task. From that moment its comments are out of reach; the sweeper deletes them,
    /// whatever their number. 404 when it is not the tenant's.
    pub async fn delete(&self, permit: impl Into<Permit>, id: TaskId) -> Result<(), Error> {
        let permit = permit.into();
        let key = key::task(permit.tenant(), id);
        let comments = |_: &Task| Subject::Thread(Thread::Task(id));
        self.0
            .delete_with_cleanup(permit, key, TaskId::NOUN, comments, async |_| Ok(()))
            .await
    }

    /// Reads what tasks name.
    async fn named(&self, tenant: OrganizationId, names: Names) -> Result<Named, Error> {
        let found = self.0.table.batch_get(names.keys(tenant), JOIN).await?;
        Ok(names.found(tenant, &found))
    }

    /// The largest order in the project's list, 0 when that is empty, if there is a project. The
    /// index may lag behind a task that was just created; two of the same order are told apart by
    /// id.
    async fn largest_order(
        &self,
        tenant: OrganizationId,
        project: Option<ProjectId>,
    ) -> Result<Option<Order>, Error> {
        let Some(project) = project else {
            return Ok(None);
        };
        let last = key::tasks_of_project(tenant, project).descending().limit(1);
        let last = self.0.table.list(last).await?;
        Ok(Some(last.first().map_or(Order::at(0), |task| task.order)))
    }

    /// Writes a task and what its history says of that. A link to a milestone is made only while the
    /// milestone is there, so that none outlives its deletion unnoticed: 400 when it is not.
    async fn save(
        &self,
        given: &Given,
        [task, entry]: [Option<Write>; 2],
        link: Option<MilestoneId>,
        id: TaskId,
    ) -> Result<Result<(), Refused>, Error> {
        let linked = link.map(|milestone| {
            let key = key::milestone(given.tenant(), milestone);
            Write::check(key, Condition::exists())
        });
        let writes = [task, linked, entry].into_iter().flatten().collect();
        match self.0.commit(given, writes, Some(id.get())).await? {
            Err(refused) if link.is_some() && refused.at(1) => Err(Error::invalid(Fault::unknown(
                "milestoneId",
                MilestoneId::NOUN,
            ))),
            done => Ok(done),
        }
    }
}

/// What a write makes a task name.
#[derive(Clone, Copy, Debug)]
struct Links {
    milestone: Option<MilestoneId>,
    phase: Option<PhaseId>,
    assignee: Option<UserId>,
}

impl Links {
    fn keys(self, tenant: OrganizationId) -> impl Iterator<Item = AnyKey> {
        let milestone = self.milestone.map(|id| key::milestone(tenant, id).into());
        let phase = self.phase.map(|id| key::phase(tenant, id).into());
        let assignee = self.assignee.map(|id| key::user(tenant, id).into());
        [milestone, phase, assignee].into_iter().flatten()
    }

    /// What a task of that project cannot name, given what was found under [`keys`](Self::keys).
    fn faults(
        self,
        tenant: OrganizationId,
        project: Option<ProjectId>,
        found: &Batch,
    ) -> Result<Vec<Fault>, Error> {
        let mut faults = Vec::new();
        if let Some(id) = self.milestone {
            let milestone = found.get(&key::milestone(tenant, id))?;
            let owner = milestone.map(|milestone| milestone.project_id);
            faults.extend(not_of_project::<MilestoneId>("milestoneId", owner, project));
        }
        if let Some(id) = self.phase {
            let owner = found
                .get(&key::phase(tenant, id))?
                .map(|phase| phase.project_id);
            faults.extend(not_of_project::<PhaseId>("phaseId", owner, project));
        }
        if let Some(id) = self.assignee
            && !found.has(&key::user(tenant, id))
        {
            faults.push(Fault::unknown("assigneeId", UserId::NOUN));
        }
        Ok(faults)
    }
}

/// The fault of naming a record of `owner`, which is none when there is no such record, in a task
/// of `project`.
fn not_of_project<I: Id>(
    field: &str,
    owner: Option<ProjectId>,
    project: Option<ProjectId>,
) -> Option<Fault> {
    let noun = I::NOUN;
    let detail = match (owner, project) {
        (None, _) => return Some(Fault::unknown(field, noun)),
        (Some(_), None) => format!("A task of no project has no {noun}."),
        (Some(owner), Some(project)) if owner != project => {
            format!("This {noun} is of another project than the task.")
        }
        _ => return None,
    };
    Some(Fault::at(field, FaultCode::Project, detail))
}

fn records(page: &Page<Stored<Task>>) -> impl Iterator<Item = &Task> + Clone {
    page.records().map(|stored| &stored.record)
}

/// Puts tasks together with what they name, and leaves out those that fitted by what is gone.
fn join(page: Page<Stored<Task>>, named: &Named, filter: &TaskFilter) -> Page<JoinedTask> {
    page.filter_map(|task| Some(named.join(task)).filter(|joined| still_fits(filter, joined)))
}
