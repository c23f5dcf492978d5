//! Views of milestones.

use serde::Serialize;
use shared::{
    http::Links,
    model::{Milestone, OrOther, Priority, TaskId, TaskStatus, Title},
    store::{LinkedTask, MilestoneWithTasks},
    versioned,
    view::Shown,
};
use utoipa::ToSchema;

/// A milestone.
pub type MilestoneView = Shown<Milestone>;

versioned!(MilestoneWithTasksView: milestone);

/// A milestone with its tasks.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MilestoneWithTasks)]
#[serde(rename_all = "camelCase")]
pub struct MilestoneWithTasksView {
    #[serde(flatten)]
    milestone: MilestoneView,
    /// The first 200 tasks of the milestone, by id.
    tasks: Vec<TaskOfMilestone>,
    /// The URL of the other tasks; null if there are no more.
    tasks_next: Option<String>,
}

/// A task of a milestone.
#[derive(Debug, Serialize, ToSchema)]
#[schema(examples(json!({
    "id": 7,
    "title": "Compare the invoices of both systems",
    "status": "in_progress",
    "priority": "high"
})))]
pub struct TaskOfMilestone {
    id: TaskId,
    title: Title,
    #[schema(value_type = TaskStatus)]
    status: OrOther<TaskStatus>,
    #[schema(value_type = Priority)]
    priority: OrOther<Priority>,
}

impl MilestoneWithTasksView {
    /// Returns the view; `links` makes the URL of further tasks.
    pub fn new(MilestoneWithTasks { milestone, tasks }: MilestoneWithTasks, links: &Links) -> Self {
        let of_milestone = format!("milestoneId={}", milestone.id);
        let next = |place| links.url("/api/tasks", &of_milestone, place);
        Self {
            tasks_next: tasks.end.as_ref().map(next),
            tasks: tasks
                .rows
                .into_iter()
                .map(|row| row.record.into())
                .collect(),
            milestone: milestone.into(),
        }
    }
}

impl From<LinkedTask> for TaskOfMilestone {
    fn from(task: LinkedTask) -> Self {
        Self {
            id: task.id,
            title: task.title,
            status: task.status,
            priority: task.priority,
        }
    }
}
