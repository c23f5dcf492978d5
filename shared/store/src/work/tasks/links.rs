use model::{
    base::{Error, Fault, FaultCode, Id, MilestoneId, PhaseId, ProjectId, UserId},
    people::Place,
};
use table::{AnyKey, Batch, Condition, Write};

use crate::{
    Result, Tenant,
    base::{WriteContext, writes::Writes},
    key::{self, Keyed},
    work::assignee::Assignee,
};

/// The references that a write sets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Links {
    pub(super) milestone: Option<MilestoneId>,
    pub(super) phase: Option<PhaseId>,
    pub(super) assignee: Option<UserId>,
}

impl Links {
    pub(super) fn keys(self, tenant: Tenant) -> impl Iterator<Item = AnyKey> {
        let milestone = self
            .milestone
            .map(|id| id.key(tenant).into());
        let phase = self
            .phase
            .map(|id| id.key(tenant).into());
        let assignee = Assignee::new(tenant, self.assignee.as_ref()).key();
        // The projects that not all see, and an assignee may not.
        let scopes = self
            .assignee
            .map(|_| key::scopes(tenant).into());
        [milestone, phase, assignee, scopes]
            .into_iter()
            .flatten()
    }

    /// Expects that the milestone exists: 400 otherwise. So no reference outlives the cleanup of a
    /// deleted milestone.
    pub(super) fn writes(self, tenant: Tenant) -> Writes {
        let mut writes = Writes::default();
        if let Some(id) = self.milestone {
            let is_there = Write::check(id.key(tenant), Condition::exists());
            let unknown = Fault::unknown("milestoneId", MilestoneId::NOUN);
            writes.push_or(is_there, Error::invalid(unknown));
        }
        writes
    }

    /// The faults of the references of a task in `project` and of the assignee `current`, given
    /// what was found under [`keys`](Self::keys).
    pub(super) fn faults(
        self,
        context: &WriteContext,
        project: Option<ProjectId>,
        current: Option<UserId>,
        batch: &Batch,
    ) -> Result<Vec<Fault>> {
        let tenant = context.tenant;
        let mut faults = Vec::new();
        if let Some(id) = self.milestone {
            let milestone = context.see(batch.get(&id.key(tenant))?);
            let owner = milestone.map(|milestone| milestone.project_id);
            faults.extend(not_of_project::<MilestoneId>("milestoneId", owner, project));
        }
        if let Some(id) = self.phase {
            let phase = context.see(batch.get(&id.key(tenant))?);
            let owner = phase.map(|phase| phase.project_id);
            faults.extend(not_of_project::<PhaseId>("phaseId", owner, project));
        }
        faults.extend(Assignee::new(tenant, self.assignee.as_ref()).fault(batch, current));
        faults.extend(self.blind_assignee(tenant, project, current, batch)?);
        Ok(faults)
    }

    /// The fault of a new assignee who does not see the project.
    fn blind_assignee(
        self,
        tenant: Tenant,
        project: Option<ProjectId>,
        current: Option<UserId>,
        batch: &Batch,
    ) -> Result<Option<Fault>> {
        let assignee = self
            .assignee
            .filter(|assignee| current != Some(*assignee));
        let Some((assignee, project)) = assignee.zip(project) else {
            return Ok(None);
        };
        let scopes = batch.get(&key::scopes(tenant))?;
        let user = batch.named(&assignee.key(tenant));
        let is_blind = scopes
            .zip(user)
            .is_some_and(|(scopes, user)| !scopes.show(&user, Place::InProject(project)));
        let detail = || format!("User {assignee} does not see project {project}.");
        Ok(is_blind.then(|| Fault::at("assigneeId", FaultCode::Project, detail())))
    }
}

/// The fault of a reference to a record of the project `owner` in a task of `project`. The record
/// does not exist when `owner` is `None`.
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
