//! Views of the signed-in user and their tokens.

use std::borrow::Cow;

use shared::{
    endpoint::*,
    model::{
        base::{Email, OrOther, TokenId, TokenName},
        people::{Organization, Permission, Role, SignInProvider, Token, User},
    },
};
use utoipa::{
    PartialSchema,
    openapi::{
        RefOr,
        schema::{ObjectBuilder, Schema, Type},
    },
};

use crate::Auth;

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

/// The provider by which the organization's users sign in, with the URI to register there.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SignInView {
    #[serde(flatten)]
    provider: Shown<SignInProvider>,
    redirect_uri: String,
}

impl SignInView {
    pub(crate) fn of(auth: &Auth, provider: Stored<SignInProvider>) -> Self {
        Self {
            redirect_uri: auth.redirect_uri(provider.organization_id),
            provider: provider.into(),
        }
    }
}

impl PartialSchema for SignInView {
    fn schema() -> RefOr<Schema> {
        let mut schema = Shown::<SignInProvider>::schema();
        if let RefOr::T(Schema::Object(object)) = &mut schema {
            let name = "redirectUri";
            let about = "URI to register at the provider, to which it sends users back.";
            let of_uri = ObjectBuilder::new().schema_type(Type::String);
            let of_uri = of_uri.description(Some(about));
            object
                .properties
                .insert(name.to_owned(), of_uri.into());
            object.required.push(name.to_owned());
        }
        schema
    }
}

impl ToSchema for SignInView {
    fn name() -> Cow<'static, str> {
        Shown::<SignInProvider>::name()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        Shown::<SignInProvider>::schemas(schemas);
    }
}

versioned!(SignInView: provider);
