//! Tasks.

use std::collections::HashMap;

use model::{
    Error, Fault, Id, MAX_ID, MilestoneId, MilestoneRef, OrganizationId, PhaseId, Priority,
    ProjectId, ProjectRef, Task, TaskId, TaskStatus, Timestamp, UserId, UserRef, input::Patch,
};

use super::{
    Permit, Store,
    key::{self, AnyKey, Gsi1, Gsi2, Key},
    rewrite::rewrite,
    table::{Batch, Change, Condition, OrNotFound, Read, Record, Refused, Write},
};

/// A milestone that was deleted must not show on its tasks, not even for the moment in which an
/// eventually consistent read still finds it.
const JOIN: Read = Read::Consistent;

/// Tasks.
#[derive(Clone, Copy, Debug)]
pub struct Tasks<'a>(pub(super) &'a Store);

/// What a task begins with.
#[derive(Clone, Debug)]
pub struct NewTask {
    /// 1 to 255 characters.
    pub title: String,
    /// Up to 50,000 characters.
    pub description: Option<String>,
    /// The project it is of, if it is of one.
    pub project_id: Option<ProjectId>,
    /// The tenant, when the client names it.
    pub organization_id: Option<OrganizationId>,
    /// A milestone of the project.
    pub milestone_id: Option<MilestoneId>,
    /// A phase of the project.
    pub phase_id: Option<PhaseId>,
    /// A user of the organization.
    pub assignee_id: Option<UserId>,
    /// Where it stands.
    pub status: TaskStatus,
    /// How pressing it is.
    pub priority: Priority,
    /// When it should be done.
    pub due_date: Option<Timestamp>,
}

/// What changes of a task; the rest is kept.
#[derive(Clone, Debug, Default)]
pub struct TaskPatch {
    /// 1 to 255 characters.
    pub title: Option<String>,
    /// Up to 50,000 characters.
    pub description: Patch<String>,
    /// A milestone of the task's project.
    pub milestone_id: Patch<MilestoneId>,
    /// A phase of the task's project.
    pub phase_id: Patch<PhaseId>,
    /// A user of the organization.
    pub assignee_id: Patch<UserId>,
    /// Any change is legal.
    pub status: Option<TaskStatus>,
    /// How pressing it is.
    pub priority: Option<Priority>,
    /// When it should be done.
    pub due_date: Patch<Timestamp>,
    /// 0 to [`MAX_ID`].
    pub order: Option<i64>,
}

/// A new place for a task.
#[derive(Clone, Copy, Debug)]
pub struct TaskPlace {
    /// The task.
    pub id: TaskId,
    /// 0 to [`MAX_ID`].
    pub order: i64,
}

/// A task with what it names, as it is called now.
#[derive(Clone, Debug)]
pub struct JoinedTask {
    /// The task.
    pub task: Task,
    /// Who it is assigned to.
    pub assignee: Option<UserRef>,
    /// The project it is of.
    pub project: Option<ProjectRef>,
    /// The milestone it is linked to.
    pub milestone: Option<MilestoneRef>,
}

impl Record for Task {
    const KIND: &'static str = "task";

    fn key(&self) -> Key<Self> {
        key::task(self.organization_id, self.id)
    }

    fn gsi1(&self) -> Option<Key<Self, Gsi1>> {
        key::task_in_project(self)
    }

    fn gsi2(&self) -> Option<Key<Self, Gsi2>> {
        key::task_in_milestone(self)
    }
}

impl Tasks<'_> {
    /// Creates a task at the end of its project's list. 400 with every reference that is not the
    /// tenant's, and for a milestone or a phase that is not the project's.
    pub async fn create(&self, permit: impl Into<Permit>, new: NewTask) -> Result<Task, Error> {
        let permit = permit.into();
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
        let (id, found, last) = permit.beside(read).await?;
        let mut faults = links.faults(tenant, new.project_id, &found)?;
        if project_key.is_some_and(|key| !found.has(&key)) {
            faults.push(Fault::unknown("projectId", ProjectId::NOUN));
        }
        if new.organization_id.is_some_and(|named| named != tenant) {
            faults.push(Fault::unknown("organizationId", OrganizationId::NOUN));
        }
        if !faults.is_empty() {
            return Err(Error::Invalid(faults));
        }
        let order = match last {
            Some(last) => last.saturating_add(Task::ORDER_STEP),
            // Tasks of no project have no list whose end could be looked up; by their ids they
            // stand in the order of their creation, with the same room between them.
            None => id.get().saturating_mul(Task::ORDER_STEP),
        };
        let now = self.0.clock.now();
        let task = Task {
            id,
            title: new.title,
            description: new.description,
            project_id: new.project_id,
            organization_id: tenant,
            milestone_id: new.milestone_id,
            phase_id: new.phase_id,
            order: order.min(MAX_ID),
            assignee_id: new.assignee_id,
            status: new.status,
            priority: new.priority,
            due_date: new.due_date,
            created_at: now,
            updated_at: now,
        };
        self.save(tenant, Write::create(&task)?, links.milestone)
            .await?
            .map_err(|_| super::id_is_taken(Task::KIND))?;
        Ok(task)
    }

    /// All the organization's tasks by id.
    pub async fn all(&self, tenant: OrganizationId) -> Result<Vec<JoinedTask>, Error> {
        let tasks = self.0.table.list(key::tasks(tenant)).await?;
        let projects = tasks.iter().filter_map(|task| task.project_id);
        let projects = projects.map(|project| key::project(tenant, project).into());
        let keys = links_of(tenant, &tasks).chain(projects);
        let found = self.0.table.batch_get(keys, JOIN).await?;
        join(tenant, tasks, &found)
    }

    /// A project's tasks by order, ties by id. 404 when the project is not the tenant's.
    pub async fn of_project(
        &self,
        tenant: OrganizationId,
        project: ProjectId,
    ) -> Result<Vec<JoinedTask>, Error> {
        let table = &self.0.table;
        let key = key::project(tenant, project);
        let (project, tasks) = tokio::try_join!(
            table.get(&key, Read::Eventual),
            table.list(key::tasks_of_project(tenant, project)),
        )?;
        let project = ProjectRef::from(&project.or_not_found(ProjectId::NOUN)?.record);
        let found = table.batch_get(links_of(tenant, &tasks), JOIN).await?;
        let mut tasks = join(tenant, tasks, &found)?;
        for task in &mut tasks {
            task.project = Some(project.clone());
        }
        Ok(tasks)
    }

    /// Changes a task. 404 when it is not the tenant's; 400 with every reference that is not the
    /// tenant's, and for a milestone or a phase that is not of the task's project.
    pub async fn update(
        &self,
        permit: impl Into<Permit>,
        id: TaskId,
        patch: TaskPatch,
    ) -> Result<Task, Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let key = &key::task(tenant, id);
        let patch = &patch;
        let links = Links {
            milestone: patch.milestone_id.value().copied(),
            phase: patch.phase_id.value().copied(),
            assignee: patch.assignee_id.value().copied(),
        };
        let read = || {
            let keys = links.keys(tenant).chain([AnyKey::from(key)]);
            self.0.table.batch_get(keys, Read::Consistent)
        };
        let write = |found: Batch| async move {
            let mut task = found.get(key)?.or_not_found(TaskId::NOUN)?;
            let faults = links.faults(tenant, task.project_id, &found)?;
            if !faults.is_empty() {
                return Err(Error::Invalid(faults));
            }
            patch.clone().apply(&mut task);
            task.updated_at = self.0.clock.now();
            let (done, linked) = tokio::try_join!(
                self.save(tenant, Write::replace(&task)?, links.milestone),
                self.is_linked(&task, links.milestone),
            )?;
            let mut task = task.record;
            task.milestone_id = task.milestone_id.filter(|_| linked);
            Ok(done.is_ok().then_some(task))
        };
        let found = permit.beside(read()).await?;
        let updated = rewrite(found, read, write).await?;
        updated.ok_or_else(Error::contended)
    }

    /// Gives up to 100 tasks new places, all or none; what else is written to them meanwhile is
    /// kept. 404 when one of them is not the tenant's.
    pub async fn reorder(
        &self,
        permit: impl Into<Permit>,
        places: &[TaskPlace],
    ) -> Result<(), Error> {
        let tenant = permit.into().given().await?;
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

    /// Deletes a task. 404 when it is not the tenant's.
    pub async fn delete(&self, permit: impl Into<Permit>, id: TaskId) -> Result<(), Error> {
        let tenant = permit.into().given().await?;
        let write = Write::delete(key::task(tenant, id), Condition::exists());
        let done = self.0.table.write(write).await?;
        done.or_not_found(TaskId::NOUN)
    }

    /// The largest order in the project's list, 0 when that is empty, if there is a project. The
    /// index may lag behind a task that was just created; two of the same order are told apart by
    /// id.
    async fn largest_order(
        &self,
        tenant: OrganizationId,
        project: Option<ProjectId>,
    ) -> Result<Option<i64>, Error> {
        let Some(project) = project else {
            return Ok(None);
        };
        let last = key::tasks_of_project(tenant, project).descending().limit(1);
        let last = self.0.table.list(last).await?;
        Ok(Some(last.first().map_or(0, |task| task.order)))
    }

    /// Writes a task. A link to a milestone is made only while the milestone is there, so that
    /// none outlives its deletion unnoticed: 400 when it is not.
    async fn save(
        &self,
        tenant: OrganizationId,
        task: Write,
        link: Option<MilestoneId>,
    ) -> Result<Result<(), Refused>, Error> {
        let Some(milestone) = link else {
            return self.0.table.write(task).await;
        };
        let is_there = Write::check(key::milestone(tenant, milestone), Condition::exists());
        let done = self.0.table.transact(vec![task, is_there]).await?;
        match done {
            Err(refused) if refused.at(1) => Err(Error::invalid(Fault::unknown(
                "milestoneId",
                MilestoneId::NOUN,
            ))),
            done => Ok(done),
        }
    }

    /// Whether the task's milestone is there, which a link that is just being made shows anyway.
    async fn is_linked(&self, task: &Task, made: Option<MilestoneId>) -> Result<bool, Error> {
        match task.milestone_id {
            None => Ok(false),
            Some(_) if made.is_some() => Ok(true),
            Some(kept) => {
                let key = key::milestone(task.organization_id, kept);
                let milestone = self.0.table.get(&key, Read::Consistent);
                Ok(milestone.await?.is_some())
            }
        }
    }
}

impl TaskPatch {
    fn apply(self, task: &mut Task) {
        if let Some(title) = self.title {
            task.title = title;
        }
        if let Some(status) = self.status {
            task.status = status;
        }
        if let Some(priority) = self.priority {
            task.priority = priority;
        }
        if let Some(order) = self.order {
            task.order = order;
        }
        self.description.apply(&mut task.description);
        self.milestone_id.apply(&mut task.milestone_id);
        self.phase_id.apply(&mut task.phase_id);
        self.assignee_id.apply(&mut task.assignee_id);
        self.due_date.apply(&mut task.due_date);
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
    Some(Fault::at(field, "project", detail))
}

/// Keys of the tasks' assignees and milestones.
fn links_of(tenant: OrganizationId, tasks: &[Task]) -> impl Iterator<Item = AnyKey> {
    tasks.iter().flat_map(move |task| {
        let links = Links {
            milestone: task.milestone_id,
            phase: None,
            assignee: task.assignee_id,
        };
        links.keys(tenant)
    })
}

/// Puts tasks together with what they name. A milestone that is gone is named by no task.
fn join(tenant: OrganizationId, tasks: Vec<Task>, found: &Batch) -> Result<Vec<JoinedTask>, Error> {
    let assignees = tasks.iter().filter_map(|task| task.assignee_id);
    let projects = tasks.iter().filter_map(|task| task.project_id);
    let milestones = tasks.iter().filter_map(|task| task.milestone_id);
    let assignees: HashMap<_, UserRef> = found.all(assignees, |id| key::user(tenant, id))?;
    let projects: HashMap<_, ProjectRef> = found.all(projects, |id| key::project(tenant, id))?;
    let milestones: HashMap<_, MilestoneRef> =
        found.all(milestones, |id| key::milestone(tenant, id))?;
    let join = |mut task: Task| {
        let milestone = task.milestone_id.and_then(|id| milestones.get(&id));
        task.milestone_id = milestone.map(|milestone| milestone.id);
        JoinedTask {
            assignee: task.assignee_id.and_then(|id| assignees.get(&id)).cloned(),
            project: task.project_id.and_then(|id| projects.get(&id)).cloned(),
            milestone: milestone.cloned(),
            task,
        }
    };
    Ok(tasks.into_iter().map(join).collect())
}
