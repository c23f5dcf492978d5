//! Milestones.

use std::collections::HashMap;

use futures::future::try_join_all;
use model::{
    Error, Fault, HistoryOf, Id, Milestone, MilestoneCreate, MilestoneFilter, MilestoneId,
    MilestoneUpdate, OrganizationId, Priority, ProjectId, TaskId, TaskStatus, Title, UserId,
};
use serde::Deserialize;

use super::{
    Given, Permit, Store,
    cleanup::Subject,
    directory::takes_work,
    filter::Filter,
    key::{self, Gsi1, Key},
    once::id_of,
    page::{Page, Row, Wanted},
    table::{Condition, OrNotFound, Read, Record, Stored, Write},
};

/// Milestones.
#[derive(Clone, Copy, Debug)]
pub struct Milestones<'a>(pub(super) &'a Store);

/// A milestone with the tasks linked to it.
#[derive(Clone, Debug)]
pub struct MilestoneWithTasks {
    /// The milestone.
    pub milestone: Stored<Milestone>,
    /// The first 200 of them by id.
    pub tasks: Page<LinkedTask>,
}

/// A task as its milestone shows it.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LinkedTask {
    /// Unique id.
    pub id: TaskId,
    /// What is to do.
    pub title: Title,
    /// Where it stands.
    pub status: TaskStatus,
    /// How pressing it is.
    pub priority: Priority,
    milestone_id: MilestoneId,
}

impl LinkedTask {
    const ATTRIBUTES: &'static [&'static str] =
        &["id", "title", "status", "priority", "milestoneId"];
}

/// The most tasks that a milestone is shown with.
const TASKS: usize = 200;

/// The most milestones of a page when each has to be asked for its tasks.
const ASKED: usize = 100;

impl Record for Milestone {
    const KIND: &'static str = "milestone";

    fn key(&self) -> Key<Self> {
        key::milestone(self.organization_id, self.id)
    }

    fn gsi1(&self) -> Option<Key<Self, Gsi1>> {
        Some(key::milestone_in_project(self))
    }

    fn history(&self) -> Option<HistoryOf> {
        Some(HistoryOf::Milestone(self.id))
    }
}

impl Milestones<'_> {
    /// Creates a milestone. 400 when the project is not the tenant's, 409 when it is archived.
    pub async fn create(
        &self,
        permit: impl Into<Permit>,
        new: MilestoneCreate,
    ) -> Result<Stored<Milestone>, Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let create = async |permit| self.create_new(permit, new).await;
        let again = async |made| {
            let key = key::milestone(tenant, id_of(made)?);
            self.0.one(&key, MilestoneId::NOUN).await
        };
        permit.once(create, again).await
    }

    async fn create_new(
        &self,
        permit: Permit,
        new: MilestoneCreate,
    ) -> Result<Stored<Milestone>, Error> {
        let tenant = permit.tenant();
        let project_key = key::project(tenant, new.project_id);
        let project = self.0.table.get(&project_key, Read::Consistent);
        let read = async { tokio::try_join!(self.0.next_id(), project) };
        let (given, (id, project)) = permit.beside(read).await?;
        let project =
            project.ok_or_else(|| Error::invalid(Fault::unknown("projectId", ProjectId::NOUN)))?;
        takes_work(&project)?;
        let now = self.0.clock.now();
        let milestone = Milestone::new(id, tenant, new, now);
        let mut writes = vec![Write::create(&milestone)?];
        writes.extend(given.created(&milestone, now)?);
        self.0.create_all(&given, writes, id).await?;
        Ok(Stored::created(milestone))
    }

    /// One milestone with its tasks. 404 when it is not the tenant's.
    pub async fn get(
        &self,
        tenant: OrganizationId,
        id: MilestoneId,
    ) -> Result<MilestoneWithTasks, Error> {
        let key = key::milestone(tenant, id);
        let (milestone, tasks) = tokio::try_join!(
            self.0.table.get(&key, Read::Consistent),
            self.tasks_of(tenant, id),
        )?;
        let milestone = milestone.or_not_found(MilestoneId::NOUN)?;
        Ok(MilestoneWithTasks { milestone, tasks })
    }

    /// A project's milestones by due date, those without one last, each with its tasks. 404 when
    /// the project is not the tenant's.
    pub async fn of_project(
        &self,
        tenant: OrganizationId,
        caller: UserId,
        project: ProjectId,
        filter: &MilestoneFilter,
        wanted: &Wanted,
    ) -> Result<Page<MilestoneWithTasks>, Error> {
        let table = &self.0.table;
        let key = key::project(tenant, project);
        let fits = Filter::of(caller).any("status", filter.status.as_ref())?;
        let milestones = key::milestones_of_project(tenant, project).filter(fits.condition());
        let linked = Condition::default().and("attribute_exists(#)", "milestoneId", []);
        let tasks = key::tasks_of_project(tenant, project)
            .filter(linked)
            .only(LinkedTask::ATTRIBUTES);
        let all = Wanted::default();
        let (project, milestones, tasks) = tokio::try_join!(
            table.get(&key, Read::Eventual),
            table.page(milestones, wanted),
            table.page(tasks, &all),
        )?;
        project.or_not_found(ProjectId::NOUN)?;
        // Of a project with more tasks than a page reads, each milestone is asked for its own.
        let each_asked = tasks.end.is_some();
        let milestones = if each_asked {
            milestones.cut(ASKED)
        } else {
            milestones
        };
        // The index may lag behind a delete, and no task is linked to a milestone that is gone.
        let key_of = |milestone: &Stored<Milestone>| key::milestone(tenant, milestone.id);
        let there = table.batch_get(milestones.records().map(key_of), Read::Consistent);
        if !each_asked {
            let there = there.await?;
            let milestones = milestones.filter_map(|one| there.has(&key_of(&one)).then_some(one));
            return Ok(with_tasks(milestones, tasks));
        }
        let each = milestones.records();
        let each = each.map(|milestone| self.tasks_of(tenant, milestone.id));
        let (there, tasks) = tokio::try_join!(there, try_join_all(each))?;
        let mut tasks = tasks.into_iter();
        Ok(milestones.filter_map(|milestone| {
            let tasks = tasks.next()?;
            let is_there = there.has(&key_of(&milestone));
            is_there.then_some(MilestoneWithTasks { milestone, tasks })
        }))
    }

    /// A milestone's tasks.
    async fn tasks_of(
        &self,
        tenant: OrganizationId,
        id: MilestoneId,
    ) -> Result<Page<LinkedTask>, Error> {
        let linked = key::tasks_of_milestone(tenant, id).only(LinkedTask::ATTRIBUTES);
        let page = self.0.table.page(linked, &Wanted::first(TASKS)).await?;
        Ok(page.map(|stored| stored.record))
    }

    /// Changes a milestone; `change` sees it as it is now and may refuse. 404 when it is not the
    /// tenant's.
    pub async fn update(
        &self,
        permit: impl Into<Permit>,
        id: MilestoneId,
        update: MilestoneUpdate,
    ) -> Result<Stored<Milestone>, Error> {
        let permit = permit.into();
        let table = &self.0.table;
        let key = key::milestone(permit.tenant(), id);
        let read = || table.get(&key, Read::Consistent);
        let update = &update;
        let write = |given: Given, milestone: Option<Stored<Milestone>>| async move {
            let before = given.current(milestone, MilestoneId::NOUN)?;
            let mut milestone = before.clone();
            milestone.change(update.clone())?;
            milestone.updated_at = self.0.clock.now();
            let mut writes = vec![Write::replace(&milestone)?];
            writes.extend(given.updated(&before.record, &milestone, milestone.updated_at)?);
            let done = table.transact(writes).await?;
            Ok(done.is_ok().then(|| milestone.replaced()))
        };
        permit.rewrite(read, write).await
    }

    /// Deletes a milestone. From that moment its tasks read as linked to none; the sweeper takes
    /// the links away, whatever their number. 404 when it is not the tenant's.
    pub async fn delete(&self, permit: impl Into<Permit>, id: MilestoneId) -> Result<(), Error> {
        let permit = permit.into();
        let key = key::milestone(permit.tenant(), id);
        let tasks = |_: &Milestone| Subject::Milestone(id);
        self.0
            .delete_with_cleanup(permit, key, MilestoneId::NOUN, tasks, async |_| Ok(()))
            .await
    }
}

/// Puts milestones together with those of all their project's tasks that are theirs.
fn with_tasks(
    milestones: Page<Stored<Milestone>>,
    tasks: Page<Stored<LinkedTask>>,
) -> Page<MilestoneWithTasks> {
    let mut by_milestone: HashMap<MilestoneId, Vec<Row<LinkedTask>>> = HashMap::new();
    for Row { record, place } in tasks.rows {
        let row = Row {
            record: record.record,
            place: place.by_id(),
        };
        let linked = by_milestone.entry(row.record.milestone_id).or_default();
        linked.push(row);
    }
    milestones.map(|milestone| {
        let mut rows = by_milestone.remove(&milestone.id).unwrap_or_default();
        rows.sort_unstable_by_key(|row| row.record.id);
        let tasks = Page { rows, end: None };
        MilestoneWithTasks {
            milestone,
            tasks: tasks.cut(TASKS),
        }
    })
}
