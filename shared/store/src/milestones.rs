//! Milestones.

use std::collections::HashMap;

use model::{
    Error, Fault, Milestone, MilestoneId, MilestoneStatus, OrganizationId, ProjectId, Task,
    Timestamp,
};

use super::{
    REWRITES, Store,
    cleanup::{Cleanup, Subject},
    key::{self, Gsi1, Key},
    table::{Condition, Read, Record, Write},
};

/// Milestones.
#[derive(Clone, Copy, Debug)]
pub struct Milestones<'a>(pub(super) &'a Store);

/// What a milestone begins with.
#[derive(Clone, Debug)]
pub struct NewMilestone {
    /// 1 to 255 characters.
    pub title: String,
    /// Up to 50,000 characters.
    pub description: Option<String>,
    /// The project it is of.
    pub project_id: ProjectId,
    /// Not after `due_date`.
    pub start_date: Option<Timestamp>,
    /// Not before `start_date`.
    pub due_date: Option<Timestamp>,
    /// Where it stands.
    pub status: MilestoneStatus,
}

/// A milestone with the tasks linked to it.
#[derive(Clone, Debug)]
pub struct MilestoneWithTasks {
    /// The milestone.
    pub milestone: Milestone,
    /// Its tasks: by id for one milestone, by order for a project's.
    pub tasks: Vec<Task>,
}

impl Record for Milestone {
    const KIND: &'static str = "milestone";

    fn key(&self) -> Key<Self> {
        key::milestone(self.organization_id, self.id)
    }

    fn gsi1(&self) -> Option<Key<Self, Gsi1>> {
        Some(key::milestone_in_project(self))
    }
}

impl Milestones<'_> {
    /// Creates a milestone. 400 when the project is not the tenant's.
    pub async fn create(
        &self,
        tenant: OrganizationId,
        new: NewMilestone,
    ) -> Result<Milestone, Error> {
        let table = &self.0.table;
        let project_key = key::project(tenant, new.project_id);
        let (id, project) = futures::try_join!(
            self.0.ids.next::<Milestone, MilestoneId>(table),
            table.get(&project_key, Read::Consistent),
        )?;
        if project.is_none() {
            return Err(Error::invalid(Fault::unknown("projectId", "project")));
        }
        let now = self.0.clock.now();
        let milestone = Milestone {
            id,
            organization_id: tenant,
            project_id: new.project_id,
            title: new.title,
            description: new.description,
            start_date: new.start_date,
            due_date: new.due_date,
            status: new.status,
            created_at: now,
            updated_at: now,
        };
        self.0.create(&milestone).await?;
        Ok(milestone)
    }

    /// One milestone with its tasks by id. 404 when it is not the tenant's.
    pub async fn get(
        &self,
        tenant: OrganizationId,
        id: MilestoneId,
    ) -> Result<MilestoneWithTasks, Error> {
        let key = key::milestone(tenant, id);
        let linked = key::tasks_of_milestone(tenant, id);
        let (milestone, tasks) = futures::try_join!(
            self.0.table.get(&key, Read::Consistent),
            self.0.table.list(linked),
        )?;
        let milestone = milestone.ok_or(Error::NotFound("milestone"))?.record;
        Ok(MilestoneWithTasks { milestone, tasks })
    }

    /// A project's milestones by due date, those without one last, each with its tasks by order.
    /// 404 when the project is not the tenant's.
    pub async fn of_project(
        &self,
        tenant: OrganizationId,
        project: ProjectId,
    ) -> Result<Vec<MilestoneWithTasks>, Error> {
        let table = &self.0.table;
        let key = key::project(tenant, project);
        let (project, milestones, tasks) = futures::try_join!(
            table.get(&key, Read::Eventual),
            table.list(key::milestones_of_project(tenant, project)),
            table.list(key::tasks_of_project(tenant, project)),
        )?;
        if project.is_none() {
            return Err(Error::NotFound("project"));
        }
        let mut by_milestone: HashMap<MilestoneId, Vec<Task>> = HashMap::new();
        for task in tasks {
            if let Some(milestone) = task.milestone_id {
                by_milestone.entry(milestone).or_default().push(task);
            }
        }
        Ok(milestones
            .into_iter()
            .map(|milestone| MilestoneWithTasks {
                tasks: by_milestone.remove(&milestone.id).unwrap_or_default(),
                milestone,
            })
            .collect())
    }

    /// Changes a milestone; `change` sees it as it is now and may refuse. 404 when it is not the
    /// tenant's.
    pub async fn update(
        &self,
        tenant: OrganizationId,
        id: MilestoneId,
        change: impl Fn(&mut Milestone) -> Result<(), Error>,
    ) -> Result<Milestone, Error> {
        let key = key::milestone(tenant, id);
        for _ in 0..REWRITES {
            let mut stored = self
                .0
                .table
                .get(&key, Read::Consistent)
                .await?
                .ok_or(Error::NotFound("milestone"))?;
            change(&mut stored.record)?;
            stored.record.updated_at = self.0.clock.now();
            if self.0.table.write(Write::replace(&stored)?).await?.is_ok() {
                return Ok(stored.record);
            }
        }
        Err(Error::contended())
    }

    /// Deletes a milestone. From that moment its tasks read as linked to none; the sweeper takes
    /// the links away, whatever their number. 404 when it is not the tenant's.
    pub async fn delete(&self, tenant: OrganizationId, id: MilestoneId) -> Result<(), Error> {
        let cleanup = Cleanup {
            organization_id: tenant,
            subject: Subject::Milestone(id),
            due_at: self.0.clock.now(),
        };
        let writes = vec![
            Write::delete(key::milestone(tenant, id), Condition::exists()),
            Write::put(&cleanup)?,
        ];
        let done = self.0.table.transact(writes).await?;
        done.map_err(|_| Error::NotFound("milestone"))
    }
}
