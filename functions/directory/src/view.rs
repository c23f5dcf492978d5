//! Views of organizations, users, projects, phases and tags.

use serde::Serialize;
use shared::{
    auth::Identity,
    model::{Organization, Permission, Phase, Project, Role, Tag, Timestamp, User, UserId},
    store::Stored,
    versioned,
    view::Shown,
};
use utoipa::ToSchema;

/// An organization.
pub type OrganizationView = Shown<Organization>;
/// A project.
pub type ProjectView = Shown<Project>;
/// A phase of a project.
pub type PhaseView = Shown<Phase>;
/// A tag.
pub type TagView = Shown<Tag>;

/// A user.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = User, examples(json!({
    "id": 1,
    "username": "ada",
    "fullName": "Ada Lindqvist",
    "role": "admin",
    "permissions": [],
    "disabled": false,
    "createdAt": "2026-01-05T09:00:00.000Z",
    "updatedAt": "2026-01-05T09:00:00.000Z",
    "version": 1
})))]
#[serde(rename_all = "camelCase")]
pub struct UserView {
    id: UserId,
    username: String,
    full_name: String,
    role: Role,
    /// Permissions beyond those of the role; null for callers without `manage_users`.
    permissions: Option<Vec<Permission>>,
    disabled: bool,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// Version, raised by every write.
    version: i64,
}

versioned!(UserView);

impl UserView {
    /// Returns the user as the viewer sees it.
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
