//! Views of the signed-in user and their tokens.

use shared::{
    endpoint::*,
    model::{
        base::{Email, OrOther, TokenId, TokenName},
        people::{Organization, Permission, Role, SignInProvider, Token, User},
    },
};

use crate::Auth;

// `ToSchema` takes no type arguments.
type ShownProvider = Shown<SignInProvider>;

view! {
    /// The signed-in user.
    #[schema(as = SignedInUser)]
    pub struct SignedInUserView of user(user: &User) {
        id: UserId,
        username: String = user.username.clone(),
        full_name: String = user.full_name.clone(),
        /// Address for mail; null without one.
        email: Option<Email> = user.email.clone(),
        /// Instant at which the user verified the address by a link; null before.
        email_verified_at: Option<Timestamp>,
        organization_id: OrganizationId,
        #[schema(value_type = Role)]
        role: OrOther<Role> = user.role.clone(),
    }
}

view! {
    /// The signed-in user's organization.
    #[schema(as = SignedInOrganization)]
    pub struct OrganizationView of organization(organization: &Organization) {
        id: OrganizationId,
        name: String = organization.name.clone(),
    }
}

view! {
    /// A token of the caller.
    #[schema(as = Token)]
    pub struct TokenView of token(Stored { record: token, version, .. }: Stored<Token>) {
        id: TokenId,
        name: TokenName,
        /// Permissions that limit the token; null for all permissions of its owner.
        #[schema(value_type = Option<Vec<Permission>>)]
        permissions: Option<Vec<OrOther<Permission>>>,
        created_at: Timestamp,
        expires_at: Timestamp = token.ends_at,
        /// Beginning (UTC) of the day of its last use; null before the first.
        last_used_at: Option<Timestamp>,
        /// Version, raised by every write.
        version: i64 = version,
    }
}

versioned!(TokenView);

view! {
    /// The provider by which the organization's users sign in.
    #[schema(as = SignIn)]
    pub struct SignInView of provider(auth: &Auth, provider: Stored<SignInProvider>) {
        /// URI to register at the provider, to which it sends users back.
        redirect_uri: String = auth.redirect_uri(provider.organization_id),
        #[serde(flatten)]
        #[schema(inline)]
        shown: ShownProvider = provider.into(),
    }
}

versioned!(SignInView: shown);
