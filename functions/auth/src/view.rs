//! Views of the signed-in user and their tokens.

use shared::endpoint::*;

/// The signed-in user.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SignedInUser, examples(json!({
    "id": 1,
    "username": "ada",
    "fullName": "Ada Lindqvist",
    "email": "ada@example.com",
    "emailVerifiedAt": "2026-01-05T09:05:00.000Z",
    "organizationId": 1,
    "role": "admin"
})))]
#[serde(rename_all = "camelCase")]
pub struct UserView {
    id: UserId,
    username: String,
    full_name: String,
    /// Address for mail; null without one.
    email: Option<Email>,
    /// Instant at which the user verified the address by a link; null before.
    email_verified_at: Option<Timestamp>,
    organization_id: OrganizationId,
    #[schema(value_type = Role)]
    role: OrOther<Role>,
}

impl From<&User> for UserView {
    fn from(user: &User) -> Self {
        Self {
            id: user.id,
            username: user.username.clone(),
            full_name: user.full_name.clone(),
            email: user.email.clone(),
            email_verified_at: user.email_verified_at,
            organization_id: user.organization_id,
            role: user.role.clone(),
        }
    }
}

/// The signed-in user's organization.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SignedInOrganization, examples(json!({"id": 1, "name": "Halden Services"})))]
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

/// A token of the caller.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Token, examples(json!({
    "id": 1,
    "name": "nightly export",
    "permissions": ["view_work"],
    "createdAt": "2026-01-14T09:30:00.000Z",
    "expiresAt": "2027-01-14T09:30:00.000Z",
    "lastUsedAt": null,
    "version": 1
})))]
#[serde(rename_all = "camelCase")]
pub struct TokenView {
    id: TokenId,
    name: TokenName,
    /// Permissions that limit the token; null for all permissions of its owner.
    #[schema(value_type = Option<Vec<Permission>>)]
    permissions: Option<Vec<OrOther<Permission>>>,
    created_at: Timestamp,
    expires_at: Timestamp,
    /// Beginning (UTC) of the day of its last use; null before the first.
    last_used_at: Option<Timestamp>,
    /// Version, raised by every write.
    pub(crate) version: i64,
}

versioned!(TokenView);

impl From<Stored<Token>> for TokenView {
    fn from(stored: Stored<Token>) -> Self {
        let (version, token) = (stored.version, stored.record);
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
