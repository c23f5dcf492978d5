//! The records that tasks, activities, service requests and tickets refer to.

use std::collections::{BTreeSet, HashMap};

use model::{
    base::{MilestoneId, PhaseId, ProjectId, TagId, UserId},
    people::{TagRef, UserRef},
    work::{Activity, MilestoneRef, ProjectRef, Task},
};
use table::{AnyKey, Batch, Read};

use crate::{Result, Tenant, base::Store, key::Keyed};

/// The ids that records refer to, each once: formatting a key costs more than comparing ids.
#[derive(Default)]
pub(crate) struct Names {
    users: BTreeSet<UserId>,
    pub(crate) projects: BTreeSet<ProjectId>,
    milestones: BTreeSet<MilestoneId>,
    phases: BTreeSet<PhaseId>,
    tags: BTreeSet<TagId>,
}

/// The records of [`Names`]. A reference to a record that is gone, or does not read, shows as none.
#[derive(Default)]
pub(crate) struct Named {
    pub(crate) users: HashMap<UserId, UserRef>,
    pub(crate) projects: HashMap<ProjectId, ProjectRef>,
    pub(crate) milestones: HashMap<MilestoneId, MilestoneRef>,
    pub(crate) phases: BTreeSet<PhaseId>,
    tags: HashMap<TagId, TagRef>,
}

impl Names {
    pub(crate) fn of_tasks<'a>(tasks: impl IntoIterator<Item = &'a Task>) -> Self {
        let mut names = Self::default();
        for task in tasks {
            names.users.extend(task.assignee_id);
            names.projects.extend(task.project_id);
            names
                .milestones
                .extend(task.milestone_id);
            names.phases.extend(task.phase_id);
            names.tags.extend(&task.tag_ids);
        }
        names
    }

    pub(crate) fn of_activities<'a>(activities: impl IntoIterator<Item = &'a Activity>) -> Self {
        let mut names = Self::default();
        for activity in activities {
            names.users.insert(activity.creator_id);
            names
                .projects
                .extend(activity.project_id);
            names.tags.extend(&activity.tag_ids);
        }
        names
    }

    pub(crate) fn of_tags<'a>(tags: impl IntoIterator<Item = &'a BTreeSet<TagId>>) -> Self {
        Self {
            tags: tags
                .into_iter()
                .flatten()
                .copied()
                .collect(),
            ..Self::default()
        }
    }

    /// Adds users to the names.
    pub(crate) fn and_users(mut self, users: impl IntoIterator<Item = UserId>) -> Self {
        self.users.extend(users);
        self
    }

    /// The keys of the records that are never deleted.
    fn lasting(&self, tenant: Tenant) -> impl Iterator<Item = AnyKey> {
        let users = self
            .users
            .iter()
            .map(move |id| id.key(tenant).into());
        users.chain(
            self.projects
                .iter()
                .map(move |id| id.key(tenant).into()),
        )
    }

    /// The keys of the others.
    fn deletable(&self, tenant: Tenant) -> impl Iterator<Item = AnyKey> {
        let milestones = self
            .milestones
            .iter()
            .map(move |id| id.key(tenant).into());
        let phases = self
            .phases
            .iter()
            .map(move |id| id.key(tenant).into());
        let tags = self
            .tags
            .iter()
            .map(move |id| id.key(tenant).into());
        milestones.chain(phases).chain(tags)
    }

    pub(crate) fn found(mut self, tenant: Tenant, batch: &Batch) -> Named {
        self.phases
            .retain(|id| batch.has(&id.key(tenant)));
        Named {
            users: batch.all(self.users.into_iter(), |id| id.key(tenant)),
            projects: batch.all(self.projects.into_iter(), |id| id.key(tenant)),
            milestones: batch.all(self.milestones.into_iter(), |id| id.key(tenant)),
            phases: self.phases,
            tags: batch.all(self.tags.into_iter(), |id| id.key(tenant)),
        }
    }
}

impl Named {
    /// The tags of a record, by id, of those that exist. A deleted tag is gone from all records at
    /// once.
    pub(crate) fn tags(&self, ids: &BTreeSet<TagId>) -> Vec<TagRef> {
        let tags = ids
            .iter()
            .filter_map(|id| self.tags.get(id));
        tags.cloned().collect()
    }
}

impl Store {
    /// Reads the records that others name. Users and projects are never deleted: they are read at
    /// half the price, and a name may be the one before a change. Deleted milestones, phases and
    /// tags must not show, not even for the moment in which an eventually consistent read still
    /// finds them.
    pub(crate) async fn named(&self, tenant: Tenant, names: Names) -> Result<Named> {
        let (lasting, deletable) = tokio::try_join!(
            self.table
                .batch_get(names.lasting(tenant), Read::Lasting),
            self.batch(names.deletable(tenant)),
        )?;
        Ok(names.found(tenant, &lasting.and(deletable)))
    }
}
