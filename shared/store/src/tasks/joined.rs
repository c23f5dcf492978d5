//! Tasks with the records that they refer to.

use model::{MilestoneRef, ProjectRef, TagRef, Task, UserRef};

use crate::table::Stored;

/// A task with its tags.
#[derive(Clone, Debug)]
pub struct TaggedTask {
    /// The task.
    pub task: Stored<Task>,
    /// Its tags, by id.
    pub tags: Vec<TagRef>,
}

/// A task with the records that it refers to.
#[derive(Clone, Debug)]
pub struct JoinedTask {
    /// The task.
    pub task: Stored<Task>,
    /// The assignee.
    pub assignee: Option<UserRef>,
    /// The project.
    pub project: Option<ProjectRef>,
    /// The milestone.
    pub milestone: Option<MilestoneRef>,
    /// Its tags, by id.
    pub tags: Vec<TagRef>,
}

impl From<JoinedTask> for TaggedTask {
    fn from(JoinedTask { task, tags, .. }: JoinedTask) -> Self {
        Self { task, tags }
    }
}
