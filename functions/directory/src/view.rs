//! The directory's records as the API answers them.

use serde::Serialize;
use shared::{
    auth::Identity,
    model::{
        Description, Order, Organization, OrganizationId, Permission, Phase, PhaseId, PlanFeature,
        Project, ProjectId, ProjectStatus, Role, Tag, TagId, TagName, Timestamp, Title, User,
        UserId,
    },
    store::Stored,
    versioned,
};
use utoipa::ToSchema;

/// An organization.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Organization)]
#[serde(rename_all = "camelCase")]
pub struct OrganizationView {
    id: OrganizationId,
    name: String,
    /// What the plan includes, which the operator decides on.
    plan_features: Vec<PlanFeature>,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// Raised by every write.
    version: i64,
}

/// A user.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = User)]
#[serde(rename_all = "camelCase")]
pub struct UserView {
    id: UserId,
    username: String,
    full_name: String,
    role: Role,
    /// Permissions beyond the role's; null for who may not manage users.
    permissions: Option<Vec<Permission>>,
    disabled: bool,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// Raised by every write.
    version: i64,
}

/// A project.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Project)]
#[serde(rename_all = "camelCase")]
pub struct ProjectView {
    id: ProjectId,
    title: Title,
    description: Option<Description>,
    status: ProjectStatus,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// Raised by every write.
    version: i64,
}

/// A phase of a project.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Phase)]
#[serde(rename_all = "camelCase")]
pub struct PhaseView {
    id: PhaseId,
    project_id: ProjectId,
    title: Title,
    order: Order,
    /// Raised by every write.
    version: i64,
}

/// A tag.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Tag)]
pub struct TagView {
    id: TagId,
    name: TagName,
    /// Raised by every write.
    version: i64,
}

versioned!(OrganizationView, UserView, ProjectView, PhaseView, TagView);

impl From<Stored<Organization>> for OrganizationView {
    fn from(stored: Stored<Organization>) -> Self {
        let Stored {
            record: organization,
            version,
        } = stored;
        Self {
            version,
            id: organization.id,
            name: organization.name,
            plan_features: organization.plan_features,
            created_at: organization.created_at,
            updated_at: organization.updated_at,
        }
    }
}

impl UserView {
    /// The user as somebody sees it.
    pub fn seen_by(viewer: &Identity, user: Stored<User>) -> Self {
        let Stored { record, version } = user;
        let manages = viewer.may(Permission::ManageUsers);
        Self {
            id: record.id,
            username: record.username,
            full_name: record.full_name,
            role: record.role,
            permissions: manages.then_some(record.extra_permissions),
            disabled: record.disabled,
            created_at: record.created_at,
            updated_at: record.updated_at,
            version,
        }
    }
}

impl From<Stored<Project>> for ProjectView {
    fn from(Stored { record, version }: Stored<Project>) -> Self {
        Self {
            id: record.id,
            title: record.title,
            description: record.description,
            status: record.status,
            created_at: record.created_at,
            updated_at: record.updated_at,
            version,
        }
    }
}

impl From<Stored<Phase>> for PhaseView {
    fn from(stored: Stored<Phase>) -> Self {
        let Stored {
            record: phase,
            version,
        } = stored;
        Self {
            version,
            id: phase.id,
            project_id: phase.project_id,
            title: phase.title,
            order: phase.order,
        }
    }
}

impl From<Stored<Tag>> for TagView {
    fn from(stored: Stored<Tag>) -> Self {
        let Stored {
            record: tag,
            version,
        } = stored;
        Self {
            version,
            id: tag.id,
            name: tag.name,
        }
    }
}
