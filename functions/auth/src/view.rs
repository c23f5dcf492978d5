//! The signed-in user as the API answers it.

use serde::Serialize;
use shared::model::{Organization, OrganizationId, Role, User, UserId};
use utoipa::ToSchema;

/// The signed-in user.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SignedInUser)]
#[serde(rename_all = "camelCase")]
pub struct UserView {
    id: UserId,
    username: String,
    full_name: String,
    organization_id: OrganizationId,
    role: Role,
}

impl From<&User> for UserView {
    fn from(user: &User) -> Self {
        Self {
            id: user.id,
            username: user.username.clone(),
            full_name: user.full_name.clone(),
            organization_id: user.organization_id,
            role: user.role,
        }
    }
}

/// The signed-in user's organization.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SignedInOrganization)]
pub struct OrganizationView {
    id: OrganizationId,
    name: String,
}

impl From<&Organization> for OrganizationView {
    fn from(organization: &Organization) -> Self {
        Self {
            id: organization.id,
            name: organization.name.clone(),
        }
    }
}
