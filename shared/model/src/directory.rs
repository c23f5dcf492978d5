//! Organizations, their users, and what work is filed under.

use serde::{Deserialize, Serialize};
use strum::VariantArray;
use utoipa::ToSchema;

use super::{
    Description, OrganizationId, Permission, PhaseId, ProjectId, Role, TagId, Timestamp, Title,
    UserId,
};

/// A tenant.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Organization {
    /// Unique id.
    pub id: OrganizationId,
    /// Display name, 1 to 255 characters.
    pub name: String,
    /// What the plan includes.
    pub plan_features: Vec<PlanFeature>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// A feature that a plan may include.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum PlanFeature {
    /// The resolution agent.
    #[serde(rename = "agentAI")]
    AgentAi,
}

/// Somebody who signs in.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct User {
    /// Unique id.
    pub id: UserId,
    /// The organization that the user belongs to.
    pub organization_id: OrganizationId,
    /// Sign-in name, 3 to 64 characters, unique in the service.
    pub username: String,
    /// Name to show.
    pub full_name: String,
    /// What the user may do.
    pub role: Role,
    /// Permissions beyond the role's.
    #[serde(default)]
    pub extra_permissions: Vec<Permission>,
    /// A disabled user's sessions and tokens are void at once.
    #[serde(default)]
    pub disabled: bool,
    /// Raised when the password changes, when the user is disabled, and when all sessions are ended
    /// but one; sessions of an earlier epoch are void.
    #[serde(default)]
    pub session_epoch: i64,
    /// The [`Session::sid_hash`](crate::Session::sid_hash) of the one session of an earlier epoch
    /// that holds all the same: that which ended the others last.
    pub kept_session: Option<String>,
    /// Raised when the password changes and when the user is disabled; tokens of an earlier epoch
    /// are void.
    #[serde(default)]
    pub token_epoch: i64,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl User {
    /// Whether the role or an extra permission allows it.
    #[must_use]
    pub fn may(&self, permission: Permission) -> bool {
        self.role.may(permission) || self.extra_permissions.contains(&permission)
    }

    /// All that the user may do, each once, in a fixed order.
    #[must_use]
    pub fn permissions(&self) -> Vec<Permission> {
        let all = Permission::VARIANTS.iter().copied();
        all.filter(|permission| self.may(*permission)).collect()
    }
}

/// A user as other records show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserRef {
    /// Unique id.
    pub id: UserId,
    /// Sign-in name.
    pub username: String,
    /// Name to show.
    pub full_name: String,
}

impl From<&User> for UserRef {
    fn from(user: &User) -> Self {
        Self {
            id: user.id,
            username: user.username.clone(),
            full_name: user.full_name.clone(),
        }
    }
}

/// A project, which milestones, tasks and activities belong to.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Project {
    /// Unique id.
    pub id: ProjectId,
    /// The owning organization.
    pub organization_id: OrganizationId,
    /// What it is called.
    pub title: Title,
    /// More about it.
    pub description: Option<Description>,
    /// Where it stands; active ones count as active engagements.
    pub status: ProjectStatus,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// Where a project stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ProjectStatus {
    /// Not begun.
    Planned,
    /// Being worked on: an active engagement.
    #[default]
    Active,
    /// Paused.
    OnHold,
    /// Done.
    Completed,
    /// Put away.
    Archived,
}

/// A project as other records show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct ProjectRef {
    /// Unique id.
    pub id: ProjectId,
    /// Title.
    pub title: Title,
}

impl From<&Project> for ProjectRef {
    fn from(project: &Project) -> Self {
        Self {
            id: project.id,
            title: project.title.clone(),
        }
    }
}

/// A phase of a project.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Phase {
    /// Unique id.
    pub id: PhaseId,
    /// The owning organization.
    pub organization_id: OrganizationId,
    /// The project it is a phase of.
    pub project_id: ProjectId,
    /// What it is called.
    pub title: Title,
    /// Place among the project's phases, ascending.
    pub order: i64,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// A tag that tasks and activities carry.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tag {
    /// Unique id.
    pub id: TagId,
    /// The owning organization.
    pub organization_id: OrganizationId,
    /// 1 to 50 characters.
    pub name: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// A tag as other records show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct TagRef {
    /// Unique id.
    pub id: TagId,
    /// What it is called.
    pub name: String,
}

impl From<&Tag> for TagRef {
    fn from(tag: &Tag) -> Self {
        Self {
            id: tag.id,
            name: tag.name.clone(),
        }
    }
}
