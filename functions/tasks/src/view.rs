//! Tasks as the API answers them.

use serde::Serialize;
use shared::{
    model::{
        Description, MilestoneId, MilestoneRef, Order, OrganizationId, PhaseId, Priority,
        ProjectId, ProjectRef, TagRef, Task, TaskId, TaskStatus, Timestamp, Title, UserId, UserRef,
    },
    store::{JoinedTask, Stored, TaggedTask},
    versioned,
};
use utoipa::ToSchema;

/// Something to do, in a project or for the organization at large.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Task)]
#[serde(rename_all = "camelCase")]
pub struct TaskView {
    /// Unique id.
    id: TaskId,
    /// What is to do.
    title: Title,
    /// More about it.
    description: Option<Description>,
    /// The project; null for a task of the organization at large.
    project_id: Option<ProjectId>,
    /// The owning organization.
    organization_id: OrganizationId,
    /// A milestone of the same project.
    milestone_id: Option<MilestoneId>,
    /// A phase of the same project.
    phase_id: Option<PhaseId>,
    /// Place within the list.
    order: Order,
    /// A user of the organization.
    assignee_id: Option<UserId>,
    /// Where it stands.
    status: TaskStatus,
    /// How pressing it is.
    priority: Priority,
    /// The tags that it carries, by id.
    tags: Vec<TagRef>,
    /// When it should be done.
    due_date: Option<Timestamp>,
    /// When it was created.
    created_at: Timestamp,
    /// When it last changed.
    updated_at: Timestamp,
    /// Raised by every write.
    version: i64,
}

/// A task with the records that it names.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = JoinedTask)]
pub struct JoinedTaskView {
    #[serde(flatten)]
    task: TaskView,
    /// The user of `assigneeId`.
    assignee: Option<UserRef>,
    /// The project of `projectId`.
    project: Option<ProjectRef>,
    /// The milestone of `milestoneId`.
    milestone: Option<MilestoneRef>,
}

impl TaskView {
    fn new(stored: Stored<Task>, tags: Vec<TagRef>) -> Self {
        let Stored { record, version } = stored;
        let Task {
            id,
            title,
            description,
            project_id,
            organization_id,
            milestone_id,
            phase_id,
            order,
            assignee_id,
            status,
            priority,
            tag_ids: _,
            due_date,
            created_at,
            updated_at,
        } = record;
        Self {
            id,
            title,
            description,
            project_id,
            organization_id,
            milestone_id,
            phase_id,
            order,
            assignee_id,
            status,
            priority,
            tags,
            due_date,
            created_at,
            updated_at,
            version,
        }
    }
}

versioned!(TaskView, JoinedTaskView: task);

impl From<TaggedTask> for TaskView {
    fn from(tagged: TaggedTask) -> Self {
        Self::new(tagged.task, tagged.tags)
    }
}

impl From<JoinedTask> for TaskView {
    fn from(joined: JoinedTask) -> Self {
        Self::new(joined.task, joined.tags)
    }
}

impl From<JoinedTask> for JoinedTaskView {
    fn from(joined: JoinedTask) -> Self {
        Self {
            task: TaskView::new(joined.task, joined.tags),
            assignee: joined.assignee,
            project: joined.project,
            milestone: joined.milestone,
        }
    }
}
