//! Milestones as the API answers them.

use serde::Serialize;
use shared::{
    http::Links,
    model::{
        Description, Milestone, MilestoneId, MilestoneStatus, Priority, ProjectId, TaskId,
        TaskStatus, Timestamp, Title,
    },
    store::{LinkedTask, MilestoneWithTasks, Stored},
    versioned,
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
    /// Raised by every write.
    version: i64,
}

versioned!(MilestoneView, MilestoneWithTasksView: milestone);

/// A milestone as it is read: with the tasks that are linked to it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MilestoneWithTasks)]
#[serde(rename_all = "camelCase")]
pub struct MilestoneWithTasksView {
    #[serde(flatten)]
    milestone: MilestoneView,
    /// The first 200 of them by id.
    tasks: Vec<TaskOfMilestone>,
    /// The URL of the other tasks; null when there are no more.
    tasks_next: Option<String>,
}

/// A task as its milestone shows it.
#[derive(Debug, Serialize, ToSchema)]
pub struct TaskOfMilestone {
    id: TaskId,
    title: Title,
    status: TaskStatus,
    priority: Priority,
}

impl From<Stored<Milestone>> for MilestoneView {
    fn from(stored: Stored<Milestone>) -> Self {
        let Stored {
            record: milestone,
            version,
        } = stored;
        Self {
            version,
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

impl MilestoneWithTasksView {
    /// With links for its reader.
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
