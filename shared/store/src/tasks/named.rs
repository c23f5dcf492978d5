use std::collections::{BTreeSet, HashMap};

use model::{
    Error, Fault, FaultCode, Id, MilestoneId, MilestoneRef, OrganizationId, PhaseId, ProjectId,
    ProjectRef, TagId, TagRef, Task, UserId, UserRef,
};

use super::joined::{JoinedTask, TaggedTask};
use crate::{
    assignee::Assignee,
    key::{self, AnyKey},
    table::{Batch, Condition, Stored, Write},
    writes::Writes,
};

/// The ids that tasks refer to, each once: formatting a key costs more than comparing ids.
#[derive(Default)]
pub(super) struct Names {
    assignees: BTreeSet<UserId>,
    pub(super) projects: BTreeSet<ProjectId>,
    milestones: BTreeSet<MilestoneId>,
    phases: BTreeSet<PhaseId>,
    tags: BTreeSet<TagId>,
}

/// The records that tasks refer to. A reference to a record that is gone, or does not read, shows as
/// none.
pub(super) struct Named {
    assignees: HashMap<UserId, UserRef>,
    pub(super) projects: HashMap<ProjectId, ProjectRef>,
    milestones: HashMap<MilestoneId, MilestoneRef>,
    phases: BTreeSet<PhaseId>,
    tags: HashMap<TagId, TagRef>,
}

impl Names {
    /// The ids that these tasks refer to.
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

    /// The keys of the records that are never deleted.
    pub(super) fn lasting(&self, tenant: OrganizationId) -> impl Iterator<Item = AnyKey> {
        let assignees = self.assignees.iter();
        let assignees = assignees.map(move |id| key::user(tenant, *id).into());
        let projects = self.projects.iter();
        assignees.chain(projects.map(move |id| key::project(tenant, *id).into()))
    }

    /// The keys of the others.
    pub(super) fn deletable(&self, tenant: OrganizationId) -> impl Iterator<Item = AnyKey> {
        let milestones = self.milestones.iter();
        let milestones = milestones.map(move |id| key::milestone(tenant, *id).into());
        let phases = self.phases.iter();
        let phases = phases.map(move |id| key::phase(tenant, *id).into());
        let tags = self.tags.iter();
        let tags = tags.map(move |id| key::tag(tenant, *id).into());
        milestones.chain(phases).chain(tags)
    }

    /// The records among those that were found.
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
            task: TaggedTask {
                tags: tags.cloned().collect(),
                task: task.into(),
            },
        }
    }
}

/// The references that a write sets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Links {
    pub(super) milestone: Option<MilestoneId>,
    pub(super) phase: Option<PhaseId>,
    pub(super) assignee: Option<UserId>,
}

impl Links {
    pub(super) fn keys(self, tenant: OrganizationId) -> impl Iterator<Item = AnyKey> {
        let milestone = self.milestone.map(|id| key::milestone(tenant, id).into());
        let phase = self.phase.map(|id| key::phase(tenant, id).into());
        let assignee = Assignee::new(tenant, self.assignee.as_ref()).key();
        [milestone, phase, assignee].into_iter().flatten()
    }

    /// Expects that the milestone exists: 400 otherwise. So no reference outlives the cleanup of a deleted
    /// milestone.
    pub(super) fn writes(self, tenant: OrganizationId) -> Writes {
        let mut writes = Writes::default();
        if let Some(id) = self.milestone {
            let is_there = Write::check(key::milestone(tenant, id), Condition::exists());
            let unknown = Fault::unknown("milestoneId", MilestoneId::NOUN);
            writes.push_or(is_there, Error::invalid(unknown));
        }
        writes
    }

    /// The faults of the references of a task in `project` and of the assignee `current`, given what was found under
    /// [`keys`](Self::keys).
    pub(super) fn faults(
        self,
        tenant: OrganizationId,
        project: Option<ProjectId>,
        current: Option<UserId>,
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
        let assignee = Assignee::new(tenant, self.assignee.as_ref());
        faults.extend(assignee.fault(found, current));
        Ok(faults)
    }
}

/// The fault of a reference to a record of the project `owner` in a task of `project`. The record does
/// not exist when `owner` is `None`.
fn not_of_project<I: Id>(
    field: &str,
    owner: Option<ProjectId>,
    project: Option<ProjectId>,
) -> Option<Fault> {
    let noun = I::NOUN;
    let detail = match (owner, project) {
        (None, _) => return Some(Fault::unknown(field, noun)),
        (Some(_), None) => format!("A task without a project cannot have a {noun}."),
        (Some(owner), Some(project)) if owner != project => {
            format!("This {noun} belongs to another project than the task.")
        }
        _ => return None,
    };
    Some(Fault::at(field, FaultCode::Project, detail))
}
