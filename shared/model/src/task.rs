//! Tasks.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{MilestoneId, OrganizationId, PhaseId, Priority, ProjectId, TaskId, Timestamp, UserId};

/// Something to do, in a project or for the organization at large.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    /// Unique id.
    pub id: TaskId,
    /// 1 to 255 characters.
    pub title: String,
    /// Up to 50,000 characters.
    pub description: Option<String>,
    /// The project; null for a task of the organization at large.
    pub project_id: Option<ProjectId>,
    /// The owning organization.
    pub organization_id: OrganizationId,
    /// A milestone of the same project.
    pub milestone_id: Option<MilestoneId>,
    /// A phase of the same project.
    pub phase_id: Option<PhaseId>,
    /// Place within the list, ascending, at least 0; ties are broken by id.
    pub order: i64,
    /// A user of the organization.
    pub assignee_id: Option<UserId>,
    /// Where it stands.
    pub status: TaskStatus,
    /// How pressing it is.
    pub priority: Priority,
    /// When it should be done.
    pub due_date: Option<Timestamp>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl Task {
    /// The distance between a new task's `order` and the largest before it, which leaves room to
    /// place others between.
    pub const ORDER_STEP: i64 = 1024;
}

/// Where a task stands; any change is legal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// Not planned yet.
    Backlog,
    /// Planned.
    #[default]
    Todo,
    /// Being worked on.
    InProgress,
    /// Being looked over.
    InReview,
    /// Waiting for something else.
    Blocked,
    /// Finished.
    Done,
    /// Given up.
    Cancelled,
}
