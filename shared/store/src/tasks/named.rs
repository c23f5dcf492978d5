//! What tasks name, as it is called now.

use std::collections::{BTreeSet, HashMap};

use model::{
    MilestoneId, MilestoneRef, OrganizationId, PhaseId, ProjectId, ProjectRef, TagId, TagRef, Task,
    UserId, UserRef,
};

use super::{JoinedTask, Stored};
use crate::{
    key::{self, AnyKey},
    table::Batch,
};

/// What some tasks name, each once: formatting a key costs more than comparing ids.
#[derive(Default)]
pub(super) struct Names {
    assignees: BTreeSet<UserId>,
    pub(super) projects: BTreeSet<ProjectId>,
    milestones: BTreeSet<MilestoneId>,
    phases: BTreeSet<PhaseId>,
    tags: BTreeSet<TagId>,
}

/// The same as it was found. What is gone, or does not read, is named by no task.
pub(super) struct Named {
    assignees: HashMap<UserId, UserRef>,
    pub(super) projects: HashMap<ProjectId, ProjectRef>,
    milestones: HashMap<MilestoneId, MilestoneRef>,
    phases: BTreeSet<PhaseId>,
    tags: HashMap<TagId, TagRef>,
}

impl Names {
    /// Of these tasks.
    pub(super) fn of<'a>(tasks: impl IntoIterator<Item = &'a Task>) -> Self {
        let mut names = Self::default();
        for task in tasks {
            names.assignees.extend(task.assignee_id);
            names.projects.extend(task.project_id);
            names.milestones.extend(task.milestone_id);
            names.phases.extend(task.phase_id);
            names.tags.extend(&task.tag_ids);
        }
        names
    }

    /// Where all of it lives.
    pub(super) fn keys(&self, tenant: OrganizationId) -> Vec<AnyKey> {
        let mut keys: Vec<AnyKey> = Vec::new();
        let all = self.assignees.iter();
        keys.extend(all.map(|id| AnyKey::from(key::user(tenant, *id))));
        let all = self.projects.iter();
        keys.extend(all.map(|id| AnyKey::from(key::project(tenant, *id))));
        let all = self.milestones.iter();
        keys.extend(all.map(|id| AnyKey::from(key::milestone(tenant, *id))));
        let all = self.phases.iter();
        keys.extend(all.map(|id| AnyKey::from(key::phase(tenant, *id))));
        let all = self.tags.iter();
        keys.extend(all.map(|id| AnyKey::from(key::tag(tenant, *id))));
        keys
    }

    /// What of it was found.
    pub(super) fn found(mut self, tenant: OrganizationId, found: &Batch) -> Named {
        self.phases.retain(|id| found.has(&key::phase(tenant, *id)));
        Named {
            assignees: found.all(self.assignees.into_iter(), |id| key::user(tenant, id)),
            projects: found.all(self.projects.into_iter(), |id| key::project(tenant, id)),
            milestones: found.all(self.milestones.into_iter(), |id| key::milestone(tenant, id)),
            phases: self.phases,
            tags: found.all(self.tags.into_iter(), |id| key::tag(tenant, id)),
        }
    }
}

impl Named {
    /// A task together with what it names.
    pub(super) fn join(&self, mut task: Stored<Task>) -> JoinedTask {
        let milestone = task.milestone_id.and_then(|id| self.milestones.get(&id));
        task.milestone_id = milestone.map(|milestone| milestone.id);
        task.phase_id = task.phase_id.filter(|id| self.phases.contains(id));
        let assignee = task.assignee_id.and_then(|id| self.assignees.get(&id));
        let project = task.project_id.and_then(|id| self.projects.get(&id));
        let tags = task.tag_ids.iter().filter_map(|id| self.tags.get(id));
        JoinedTask {
            assignee: assignee.cloned(),
            project: project.cloned(),
            milestone: milestone.cloned(),
            tags: tags.cloned().collect(),
            task,
        }
    }
}
