//! The signed-in user and their tokens as the API answers them.

use serde::Serialize;
use shared::{
    model::{
        Organization, OrganizationId, Permission, Role, Timestamp, Token, TokenId, TokenName, User,
        UserId,
    },
    store::Stored,
    versioned,
};
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

/// A token of the caller's.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Token)]
#[serde(rename_all = "camelCase")]
pub struct TokenView {
    id: TokenId,
    name: TokenName,
    /// The most that it may do; null for all that its owner may.
    permissions: Option<Vec<Permission>>,
    created_at: Timestamp,
    expires_at: Timestamp,
    /// The beginning (UTC) of the day on which it was last used.
    last_used_at: Option<Timestamp>,
    /// Raised by every write.
    pub(crate) version: i64,
}

versioned!(TokenView);

impl From<Stored<Token>> for TokenView {
    fn from(stored: Stored<Token>) -> Self {
        let Stored {
            record: token,
            version,
        } = stored;
        Self {
            version,
            id: token.id,
            name: token.name,
            permissions: token.permissions,
            created_at: token.created_at,
            expires_at: token.ends_at,
            last_used_at: token.last_used_at,
        }
    }
}
