use std::collections::HashMap;

use futures::future::try_join_all;
use model::{
    base::{Error, Fault, HistoryOf, Id, MilestoneId, OrOther, ProjectId, TaskId, Title, UserId},
    work::{
        Milestone, MilestoneCreate, MilestoneFilter, MilestoneUpdate, Priority, Project, TaskStatus,
    },
};
use serde::{Deserialize, Serialize};
use table::{
    Condition, Read, Stored,
    page::{Page, PageRequest, Row},
};
use utoipa::ToSchema;

use crate::{
    Result, Tenant,
    base::{
        InScope, Pending, Reader, WriteContext, filter::Filter, record::record, store::resource,
        texts, tracked::Tracked, writes::Writes,
    },
    key::{self, Keyed},
    people::directory::takes_work,
    units_so_far,
};

resource! { pub Milestones as milestones }

#[derive(Clone, Debug)]
pub struct MilestoneWithTasks {
    pub milestone: InScope<Milestone>,
    /// Its first tasks by id: up to 200, of up to 1 MB.
    pub tasks: Page<LinkedTask>,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = TaskOfMilestone)]
#[serde(rename_all = "camelCase")]
pub struct LinkedTask {
    id: TaskId,
    title: Title,
    #[schema(value_type = TaskStatus)]
    status: OrOther<TaskStatus>,
    #[schema(value_type = Priority)]
    priority: OrOther<Priority>,
    #[serde(skip_serializing)]
    #[schema(ignore)]
    milestone_id: MilestoneId,
}

impl LinkedTask {
    const ATTRIBUTES: &'static [&'static str] =
        &["id", "title", "status", "priority", "milestoneId"];
}

/// The most tasks of a milestone in a response.
const TASKS: usize = 200;

/// The most milestones of a page when the tasks of each are read separately.
const REQUESTED: usize = 100;

/// The most of them whose tasks are read at the same time.
const AT_ONCE: usize = 20;

/// Units of the table for one page. Beyond them, tasks are read separately.
const ENOUGH: f64 = 1_000.0;

record! {
    milestone: Milestone, id: MilestoneId,
    long_text: texts::DESCRIPTION,
    gsi1: Some(key::milestone_in_project(milestone)),
    hidden: ["organizationId"],
}

impl Tracked for Milestone {
    fn history(&self) -> Option<HistoryOf> {
        Some(self.id.into())
    }
}

impl Milestones<'_> {
    /// Creates a milestone. 400 when the project is not the tenant's, 409 when it is archived.
    pub async fn create(
        &self,
        pending: impl Pending,
        new: MilestoneCreate,
    ) -> Result<InScope<Milestone>> {
        let pending = pending.into();
        let project_key = new.project_id.key(pending.tenant());
        let project = self.0.read(&project_key);
        let new = |context: &WriteContext, id, project: Option<Stored<Project>>, now| {
            let unknown = || Error::invalid(Fault::unknown("projectId", ProjectId::NOUN));
            let project = context
                .see(project)
                .ok_or_else(unknown)?;
            takes_work(&project)?;
            let milestone = Milestone::new(id, context.tenant, new, now);
            Ok((milestone, Writes::default()))
        };
        self.0
            .create(pending, project, new)
            .await
    }

    /// One milestone with its tasks. 404 when it is not the tenant's.
    pub async fn get(&self, reader: &Reader, id: MilestoneId) -> Result<MilestoneWithTasks> {
        let milestone = self.0.scoped().get(reader, id);
        let tasks = self.tasks_of(reader.tenant, id);
        let (milestone, tasks) = tokio::try_join!(milestone, tasks)?;
        Ok(MilestoneWithTasks { milestone, tasks })
    }

    /// A project's milestones by due date, those without one last, each with its tasks. 404 when
    /// the project is not the tenant's.
    pub async fn of_project(
        &self,
        reader: &Reader,
        caller: UserId,
        project_id: ProjectId,
        filter: &MilestoneFilter,
        wanted: &PageRequest,
    ) -> Result<Page<MilestoneWithTasks>> {
        let tenant = reader.tenant;
        let table = &self.0.table;
        let key = project_id.key(tenant);
        let fits = Filter::of(caller).any("status", filter.status.as_ref())?;
        let milestones = key::milestones_of_project(tenant, project_id).filter(fits.condition());
        let project = table.get(&key, Read::Lasting);
        let (project, milestones) = tokio::try_join!(project, table.page(milestones, wanted))?;
        let project = self
            .0
            .scoped()
            .place(reader, project, ProjectId::NOUN)
            .await?;
        let milestones = self.0.whole_page(milestones).await?;
        let milestones = project.rows(milestones);
        // The index may lag behind a delete, and a deleted milestone has no tasks.
        let key_of = |milestone: &InScope<Milestone>| milestone.id.key(tenant);
        let keys: Vec<_> = milestones
            .records()
            .map(key_of)
            .collect();
        let batch = table.batch_get(keys, Read::Consistent);
        let page = self.with_their_tasks(tenant, project_id, milestones);
        let (batch, page) = tokio::try_join!(batch, page)?;
        Ok(page.filter_map(|joined| {
            batch
                .has(&key_of(&joined.milestone))
                .then_some(joined)
        }))
    }

    /// Joins a page of milestones with their tasks. All linked tasks of the project are read at
    /// once. If there is one milestone, or one answer does not hold these tasks, those of each are
    /// read.
    async fn with_their_tasks(
        &self,
        tenant: Tenant,
        project: ProjectId,
        milestones: Page<InScope<Milestone>>,
    ) -> Result<Page<MilestoneWithTasks>> {
        if milestones.rows.len() > 1 {
            let task_list = key::tasks_of_project(tenant, project)
                .filter(Condition::default().and("attribute_exists(#)", "milestoneId", []))
                .only(LinkedTask::ATTRIBUTES)
                .in_one_answer();
            let tasks = self
                .0
                .table
                .page(task_list, &PageRequest::default())
                .await?;
            if tasks.end.is_none() {
                return Ok(with_tasks(milestones, tasks));
            }
        }
        let milestones = milestones.cut(REQUESTED);
        let mut tasks = Vec::with_capacity(milestones.rows.len());
        while tasks.len() < milestones.rows.len() && (tasks.is_empty() || units_so_far() < ENOUGH) {
            let next = milestones
                .records()
                .skip(tasks.len())
                .take(AT_ONCE);
            let each = next.map(|milestone| self.tasks_of(tenant, milestone.id));
            tasks.extend(try_join_all(each).await?);
        }
        let milestones = milestones.cut(tasks.len());
        let mut tasks = tasks.into_iter();
        Ok(milestones.filter_map(|milestone| {
            let tasks = tasks.next()?;
            Some(MilestoneWithTasks { milestone, tasks })
        }))
    }

    /// A milestone's first tasks: up to 200, and up to 1 MB.
    async fn tasks_of(&self, tenant: Tenant, id: MilestoneId) -> Result<Page<LinkedTask>> {
        let linked = key::tasks_of_milestone(tenant, id)
            .only(LinkedTask::ATTRIBUTES)
            .in_one_answer();
        let page = self
            .0
            .table
            .page(linked, &PageRequest::first(TASKS))
            .await?;
        Ok(page.map(|stored| stored.record))
    }

    /// Changes a milestone. 404 when it is not the tenant's.
    pub async fn update(
        &self,
        pending: impl Pending,
        id: MilestoneId,
        update: MilestoneUpdate,
    ) -> Result<InScope<Milestone>> {
        let (pending, tenant) = pending.with_tenant();
        let mut plan = self
            .0
            .plan(pending, [id.key(tenant)])
            .await?;
        loop {
            let read = plan.read().await?;
            let mut draft = plan.draft(&read, id).await?;
            draft.after.change(update.clone())?;
            draft.after.updated_at = draft.now;
            if let Some(done) = plan.write(draft).await? {
                return done.not_replayed();
            }
        }
    }

    /// Deletes a milestone. Its tasks show no milestone from then on, and the sweeper removes the
    /// references. 404 when it is not the tenant's.
    pub async fn delete(&self, pending: impl Pending, id: MilestoneId) -> Result<()> {
        let tasks = |_: &Milestone| (id.into(), Writes::default());
        self.0.delete(pending, id, tasks).await
    }
}

fn with_tasks(
    milestones: Page<InScope<Milestone>>,
    tasks: Page<Stored<LinkedTask>>,
) -> Page<MilestoneWithTasks> {
    let mut by_milestone: HashMap<MilestoneId, Vec<Row<LinkedTask>>> = HashMap::new();
    for Row { record, place } in tasks.rows {
        let record = record.record;
        let place = place.by_id();
        let linked = by_milestone
            .entry(record.milestone_id)
            .or_default();
        linked.push(Row { record, place });
    }
    milestones.map(|milestone| {
        let mut rows = by_milestone
            .remove(&milestone.id)
            .unwrap_or_default();
        rows.sort_unstable_by_key(|row| row.record.id);
        let tasks = Page { rows, end: None };
        MilestoneWithTasks {
            milestone,
            tasks: tasks.cut(TASKS),
        }
    })
}
