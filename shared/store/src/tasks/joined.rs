//! Tasks with the records that they refer to.

use model::{MilestoneRef, ProjectRef, TagRef, Task, UserRef};

use crate::table::Stored;

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
