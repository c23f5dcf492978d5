//! Milestones as the API answers them.

use serde::Serialize;
use shared::{
    model::{
        Description, Milestone, MilestoneId, MilestoneStatus, Priority, ProjectId, Task, TaskId,
        TaskStatus, Timestamp, Title,
    },
    store::MilestoneWithTasks,
};
use utoipa::ToSchema;

/// A milestone.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Milestone)]
#[serde(rename_all = "camelCase")]
pub struct MilestoneView {
    id: MilestoneId,
    title: Title,
    description: Option<Description>,
    project_id: ProjectId,
    start_date: Option<Timestamp>,
    due_date: Option<Timestamp>,
    status: MilestoneStatus,
    created_at: Timestamp,
    updated_at: Timestamp,
}

/// A milestone as it is read: with the tasks that are linked to it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MilestoneWithTasks)]
pub struct MilestoneWithTasksView {
    #[serde(flatten)]
    milestone: MilestoneView,
    /// By id for one milestone, by order in a project's list.
    tasks: Vec<TaskOfMilestone>,
}

/// A task as its milestone shows it.
#[derive(Debug, Serialize, ToSchema)]
pub struct TaskOfMilestone {
    id: TaskId,
    title: Title,
    status: TaskStatus,
    priority: Priority,
}

impl From<Milestone> for MilestoneView {
    fn from(milestone: Milestone) -> Self {
        Self {
            id: milestone.id,
            title: milestone.title,
            description: milestone.description,
            project_id: milestone.project_id,
            start_date: milestone.start_date,
            due_date: milestone.due_date,
            status: milestone.status,
            created_at: milestone.created_at,
            updated_at: milestone.updated_at,
        }
    }
}

impl From<MilestoneWithTasks> for MilestoneWithTasksView {
    fn from(MilestoneWithTasks { milestone, tasks }: MilestoneWithTasks) -> Self {
        Self {
            milestone: milestone.into(),
            tasks: tasks.into_iter().map(Into::into).collect(),
        }
    }
}

impl From<Task> for TaskOfMilestone {
    fn from(task: Task) -> Self {
        Self {
            id: task.id,
            title: task.title,
            status: task.status,
            priority: task.priority,
        }
    }
}
