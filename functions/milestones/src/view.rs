//! Milestones as the API answers them.

use serde::Serialize;
use shared::{
    input::Fields,
    model::{
        Milestone, MilestoneId, MilestoneStatus, Priority, ProjectId, Task, TaskId, TaskStatus,
        Timestamp,
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
    title: String,
    description: Option<String>,
    project_id: ProjectId,
    start_date: Option<Timestamp>,
    due_date: Option<Timestamp>,
    status: MilestoneStatus,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// The tasks linked to it; only where milestones are read.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    tasks: Option<Vec<TaskOfMilestone>>,
}

/// A task as its milestone shows it.
#[derive(Debug, Serialize, ToSchema)]
pub struct TaskOfMilestone {
    id: TaskId,
    title: String,
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
            tasks: None,
        }
    }
}

impl From<MilestoneWithTasks> for MilestoneView {
    fn from(MilestoneWithTasks { milestone, tasks }: MilestoneWithTasks) -> Self {
        Self {
            tasks: Some(tasks.into_iter().map(TaskOfMilestone::from).collect()),
            ..Self::from(milestone)
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

/// Reports a start that is after the due date.
pub fn dates_in_order(body: &mut Fields<'_>, start: Option<Timestamp>, due: Option<Timestamp>) {
    if start.zip(due).is_some_and(|(start, due)| start > due) {
        body.fault(
            "startDate",
            "order",
            "The start must not be after the due date.",
        );
    }
}
