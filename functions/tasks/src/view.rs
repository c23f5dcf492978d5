//! Views of tasks.

use serde::Serialize;
use shared::{
    model::{MilestoneRef, ProjectRef, TagRef, Task, UserRef},
    store::{JoinedTask, TaggedTask},
    versioned,
    view::Shown,
};
use utoipa::ToSchema;

/// The fields of the record. `ToSchema` takes no type arguments here.
type Fields = Shown<Task>;

/// A task of a project or of the organization at large.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Task, examples(json!({
    "id": 7,
    "title": "Compare the invoices of both systems",
    "description": "September agrees to the cent. In October two invoices differ.",
    "projectId": 1,
    "organizationId": 1,
    "milestoneId": 1,
    "phaseId": 2,
    "order": 2048,
    "assigneeId": 1,
    "status": "in_progress",
    "priority": "high",
    "tags": [{"id": 3, "name": "urgent"}],
    "dueDate": "2026-11-30T16:00:00.000Z",
    "createdAt": "2026-01-12T08:30:00.000Z",
    "updatedAt": "2026-01-14T09:30:00.000Z",
    "version": 3
})))]
pub struct TaskView {
    #[serde(flatten)]
    #[schema(inline)]
    task: Fields,
    /// The tags of the task, by id.
    tags: Vec<TagRef>,
}

/// A task with its assignee, project and milestone.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = JoinedTask)]
pub struct JoinedTaskView {
    #[serde(flatten)]
    task: TaskView,
    /// User with the id `assigneeId`.
    assignee: Option<UserRef>,
    /// Project with the id `projectId`.
    project: Option<ProjectRef>,
    /// Milestone with the id `milestoneId`.
    milestone: Option<MilestoneRef>,
}

versioned!(TaskView: task, JoinedTaskView: task);

impl From<TaggedTask> for TaskView {
    fn from(TaggedTask { task, tags }: TaggedTask) -> Self {
        let task = task.into();
        Self { task, tags }
    }
}

impl From<JoinedTask> for TaskView {
    fn from(joined: JoinedTask) -> Self {
        TaggedTask::from(joined).into()
    }
}

impl From<JoinedTask> for JoinedTaskView {
    fn from(joined: JoinedTask) -> Self {
        let JoinedTask {
            task,
            assignee,
            project,
            milestone,
            tags,
        } = joined;
        Self {
            task: TaggedTask { task, tags }.into(),
            assignee,
            project,
            milestone,
        }
    }
}
