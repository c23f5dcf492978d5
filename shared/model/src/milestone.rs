//! Milestones of a project.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{MilestoneId, OrganizationId, ProjectId, Timestamp};

/// A milestone of a project.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Milestone {
    /// Unique id.
    pub id: MilestoneId,
    /// The owning organization.
    pub organization_id: OrganizationId,
    /// The project it belongs to; it never moves.
    pub project_id: ProjectId,
    /// 1 to 255 characters.
    pub title: String,
    /// Up to 50,000 characters.
    pub description: Option<String>,
    /// Not after `due_date`.
    pub start_date: Option<Timestamp>,
    /// Not before `start_date`.
    pub due_date: Option<Timestamp>,
    /// Where it stands.
    pub status: MilestoneStatus,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl Milestone {
    /// Whether the start is not after the due date; a missing one never is.
    #[must_use]
    pub fn dates_are_in_order(&self) -> bool {
        match (self.start_date, self.due_date) {
            (Some(start), Some(due)) => start <= due,
            _ => true,
        }
    }
}

/// Where a milestone stands; any change is legal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum MilestoneStatus {
    /// Not begun.
    #[default]
    Pending,
    /// Being worked on.
    InProgress,
    /// Paused.
    OnHold,
    /// Reached.
    Completed,
    /// Given up.
    Cancelled,
}

/// A milestone as tasks show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct MilestoneRef {
    /// Unique id.
    pub id: MilestoneId,
    /// Title.
    pub title: String,
}

impl From<&Milestone> for MilestoneRef {
    fn from(milestone: &Milestone) -> Self {
        Self {
            id: milestone.id,
            title: milestone.title.clone(),
        }
    }
}
