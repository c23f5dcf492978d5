//! Tasks as the API lists them; a single task is answered as it is kept.

use serde::Serialize;
use shared::{
    model::{MilestoneRef, ProjectRef, Task, UserRef},
    store::JoinedTask,
};
use utoipa::ToSchema;

/// A task of a list, with the records that it names.
#[derive(Debug, Serialize, ToSchema)]
pub struct ListedTask {
    #[serde(flatten)]
    task: Task,
    /// The user of `assigneeId`.
    assignee: Option<UserRef>,
    /// The project of `projectId`.
    project: Option<ProjectRef>,
    /// The milestone of `milestoneId`.
    milestone: Option<MilestoneRef>,
}

impl From<JoinedTask> for ListedTask {
    fn from(joined: JoinedTask) -> Self {
        Self {
            task: joined.task,
            assignee: joined.assignee,
            project: joined.project,
            milestone: joined.milestone,
        }
    }
}
