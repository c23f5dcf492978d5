//! The records that tasks and activities refer to.

use std::collections::{BTreeSet, HashMap};

use model::{
    Activity, MilestoneId, MilestoneRef, PhaseId, ProjectId, ProjectRef, TagId, TagRef, Task,
    UserRef,
};

use crate::prelude::*;

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
            names.milestones.extend(task.milestone_id);
            names.phases.extend(task.phase_id);
            names.tags.extend(&task.tag_ids);
        }
        names
    }

    pub(crate) fn of_activities<'a>(activities: impl IntoIterator<Item = &'a Activity>) -> Self {
        let mut names = Self::default();
        for activity in activities {
            names.users.insert(activity.creator_id);
            names.projects.extend(activity.project_id);
            names.tags.extend(&activity.tag_ids);
        }
        names
    }

    pub(crate) fn of_tags(tags: &BTreeSet<TagId>) -> Self {
        Self {
            tags: tags.clone(),
            ..Self::default()
        }
    }

    /// The keys of the records that are never deleted.
    fn lasting(&self, tenant: OrganizationId) -> impl Iterator<Item = AnyKey> {
        let users = self.users.iter();
        let users = users.map(move |id| key::user(tenant, *id).into());
        let projects = self.projects.iter();
        users.chain(projects.map(move |id| key::project(tenant, *id).into()))
    }

    /// The keys of the others.
    fn deletable(&self, tenant: OrganizationId) -> impl Iterator<Item = AnyKey> {
        let milestones = self.milestones.iter();
        let milestones = milestones.map(move |id| key::milestone(tenant, *id).into());
        let phases = self
            .phases
            .iter()
            .map(move |id| key::phase(tenant, *id).into());
        let tags = self.tags.iter().map(move |id| key::tag(tenant, *id).into());
        milestones.chain(phases).chain(tags)
    }

    /// The records among those that were found.
    pub(crate) fn found(mut self, tenant: OrganizationId, found: &Batch) -> Named {
        self.phases.retain(|id| found.has(&key::phase(tenant, *id)));
        Named {
            users: found.all(self.users.into_iter(), |id| key::user(tenant, id)),
            projects: found.all(self.projects.into_iter(), |id| key::project(tenant, id)),
            milestones: found.all(self.milestones.into_iter(), |id| key::milestone(tenant, id)),
            phases: self.phases,
            tags: found.all(self.tags.into_iter(), |id| key::tag(tenant, id)),
        }
    }
}

impl Named {
    /// The tags of a record, by id, of those that exist. A deleted tag is gone from all records at once.
    pub(crate) fn tags(&self, ids: &BTreeSet<TagId>) -> Vec<TagRef> {
        let tags = ids.iter().filter_map(|id| self.tags.get(id));
        tags.cloned().collect()
    }
}

impl Store {
    /// Reads the records that others name. Users and projects are never deleted: they are read at half the
    /// price, and a name may be the one before a change. Deleted milestones, phases and tags must not show,
    /// not even for the moment in which an eventually consistent read still finds them.
    pub(crate) async fn named(&self, tenant: OrganizationId, names: Names) -> Result<Named, Error> {
        let (lasting, deletable) = tokio::try_join!(
            self.table.batch_get(names.lasting(tenant), Read::Lasting),
            self.table
                .batch_get(names.deletable(tenant), Read::Consistent),
        )?;
        Ok(names.found(tenant, &lasting.and(deletable)))
    }
}
