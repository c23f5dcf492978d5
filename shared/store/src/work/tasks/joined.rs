//! Tasks with the records that they refer to, as answers show them.

use std::ops::Deref;

use model::{
    people::{TagRef, UserRef},
    work::{MilestoneRef, ProjectRef, Task},
};
use serde::Serialize;
use table::Stored;
use utoipa::ToSchema;

use crate::{
    base::{InScope, Shown, named::Named},
    versioned,
};

/// The fields of the record. `ToSchema` takes no type arguments here.
type Fields = Shown<Task>;

/// A task of a project or of the organization at large.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Task)]
pub struct TaggedTask {
    #[serde(flatten)]
    #[schema(inline)]
    pub(super) task: Fields,
    /// The tags of the task, by id.
    pub(super) tags: Vec<TagRef>,
}

/// A task with its assignee, project and milestone.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct JoinedTask {
    #[serde(flatten)]
    pub(super) task: TaggedTask,
    /// User with the id `assigneeId`.
    pub(super) assignee: Option<UserRef>,
    /// Project with the id `projectId`.
    pub(super) project: Option<ProjectRef>,
    /// Milestone with the id `milestoneId`.
    pub(super) milestone: Option<MilestoneRef>,
}

versioned!(TaggedTask: task, JoinedTask: task);

impl Deref for JoinedTask {
    type Target = Stored<Task>;

    fn deref(&self) -> &Stored<Task> {
        &self.task.task
    }
}

impl JoinedTask {
    pub(super) fn new(mut task: InScope<Task>, named: &Named) -> Self {
        let milestone = task
            .milestone_id
            .and_then(|id| named.milestones.get(&id));
        task.milestone_id = milestone.map(|milestone| milestone.id);
        task.phase_id = task
            .phase_id
            .filter(|id| named.phases.contains(id));
        let assignee = task
            .assignee_id
            .and_then(|id| named.users.get(&id));
        let project = task
            .project_id
            .and_then(|id| named.projects.get(&id));
        Self {
            assignee: assignee.cloned(),
            project: project.cloned(),
            milestone: milestone.cloned(),
            task: TaggedTask {
                tags: named.tags(&task.tag_ids),
                task: task.into(),
            },
        }
    }
}
