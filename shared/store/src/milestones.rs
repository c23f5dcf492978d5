//! Milestones.

use std::collections::HashMap;

use model::{
    Error, Fault, Id, Milestone, MilestoneCreate, MilestoneId, MilestoneUpdate, OrganizationId,
    ProjectId, Task,
};

use super::{
    Permit, Store,
    cleanup::Subject,
    directory::{archived, takes_work},
    id_is_taken,
    key::{self, Gsi1, Key},
    rewrite::rewrite,
    table::{OrNotFound, Read, Record, Stored, Write},
};

/// Milestones.
#[derive(Clone, Copy, Debug)]
pub struct Milestones<'a>(pub(super) &'a Store);

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
    /// Creates a milestone. 400 when the project is not the tenant's, 409 when it is archived.
    pub async fn create(
        &self,
        permit: impl Into<Permit>,
        new: MilestoneCreate,
    ) -> Result<Milestone, Error> {
        let permit = permit.into();
        let tenant = permit.tenant();
        let project_key = key::project(tenant, new.project_id);
        let project = self.0.table.get(&project_key, Read::Consistent);
        let read = async { tokio::try_join!(self.0.next_id(), project) };
        let (id, project) = permit.beside(read).await?;
        if project.is_none() {
            return Err(Error::invalid(Fault::unknown("projectId", ProjectId::NOUN)));
        }
        let milestone = Milestone::new(id, tenant, new, self.0.clock.now());
        let writes = vec![
            Write::create(&milestone)?,
            takes_work(tenant, milestone.project_id),
        ];
        match self.0.table.transact(writes).await? {
            Ok(()) => Ok(milestone),
            Err(refused) if refused.at(0) => Err(id_is_taken(Milestone::KIND)),
            Err(_) => Err(archived()),
        }
    }

    /// One milestone with its tasks by id. 404 when it is not the tenant's.
    pub async fn get(
        &self,
        tenant: OrganizationId,
        id: MilestoneId,
    ) -> Result<MilestoneWithTasks, Error> {
        let key = key::milestone(tenant, id);
        let linked = key::tasks_of_milestone(tenant, id);
        let (milestone, tasks) = tokio::try_join!(
            self.0.table.get(&key, Read::Consistent),
            self.0.table.list(linked),
        )?;
        let milestone = milestone.or_not_found(MilestoneId::NOUN)?.record;
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
        let (project, milestones, tasks) = tokio::try_join!(
            table.get(&key, Read::Eventual),
            table.list(key::milestones_of_project(tenant, project)),
            table.list(key::tasks_of_project(tenant, project)),
        )?;
        project.or_not_found(ProjectId::NOUN)?;
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
        permit: impl Into<Permit>,
        id: MilestoneId,
        update: MilestoneUpdate,
    ) -> Result<Milestone, Error> {
        let permit = permit.into();
        let table = &self.0.table;
        let key = key::milestone(permit.tenant(), id);
        let read = || table.get(&key, Read::Consistent);
        let update = &update;
        let write = |milestone: Option<Stored<Milestone>>| async move {
            let mut milestone = milestone.or_not_found(MilestoneId::NOUN)?;
            milestone.change(update.clone())?;
            milestone.updated_at = self.0.clock.now();
            let done = table.write(Write::replace(&milestone)?).await?;
            Ok(done.is_ok().then_some(milestone.record))
        };
        let found = permit.beside(read()).await?;
        let updated = rewrite(found, read, write).await?;
        updated.ok_or_else(Error::contended)
    }

    /// Deletes a milestone. From that moment its tasks read as linked to none; the sweeper takes
    /// the links away, whatever their number. 404 when it is not the tenant's.
    pub async fn delete(&self, permit: impl Into<Permit>, id: MilestoneId) -> Result<(), Error> {
        let tenant = permit.into().given().await?;
        let key = key::milestone(tenant, id);
        let deleted = self
            .0
            .delete_with_cleanup(tenant, key, Subject::Milestone(id))
            .await?;
        deleted.or_not_found(MilestoneId::NOUN)
    }
}
