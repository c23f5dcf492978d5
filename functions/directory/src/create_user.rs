//! `POST /api/users`

use shared::{
    auth::password,
    endpoint::*,
    http::refusal::{EmailTaken, PasswordSignInOff, UsernameTaken},
    model::{
        base::{Error, Fault, FaultCode, OrganizationId},
        people::{PasswordHash, UserCreate},
    },
    store::people::NewUser,
};

use crate::view::UserView;

type Refused = (EmailTaken, PasswordSignInOff, SignInAgain, UsernameTaken);

/// Creates a user.
///
/// Needs a session, so that a token makes no account. The caller must hold every permission of the
/// role and each further permission (403 `permission_denied`). A new admin guards the organization,
/// and so does a user with a permission of admins. Both take all permissions of an admin, and a
/// sign-in of the last 30 minutes (403 `sign_in_again`). Usernames are unique in the whole service,
/// without regard to case (409 `username_taken`), and addresses in the organization (409
/// `email_taken`). An organization with passwords off takes no password (403
/// `password_sign_in_off`).
#[utoipa::path(post, path = "/api/users")]
pub async fn create_user(
    caller: Caller<need::InSession<need::ManageUsers>>,
    Body(new): Body<UserCreate>,
) -> Result<Single<UserView>, Problem<Refused>> {
    let demand = new.demand();
    let user = async {
        let extra_permissions = new
            .permissions
            .map_or_else(Vec::new, |list| list.0);
        let by = caller.identity().await?;
        by.held()
            .may_give(new.role, &extra_permissions)?;
        let organization = &by.organization;
        let password_hash = match new.password {
            Some(password) => {
                let providers = caller.app.store.providers();
                providers
                    .check_new_password(organization.id)
                    .await?;
                password::hash_new(password, "password", &new.username, organization).await?
            }
            None => without_password(&caller.app, organization.id).await?,
        };
        Ok(NewUser {
            password_hash,
            username: new.username.into(),
            full_name: new.full_name.into(),
            email: new.email,
            email_verified_at: None,
            role: new.role,
            extra_permissions,
            provider_subject: None,
        })
    };
    let directory = caller.app.store.directory();
    let created = directory.create_user_when_ready(caller.write_demanding(demand), user);
    let user = created.await?;
    let viewer = caller.identity().await?;
    Ok(Single(UserView::seen_by(&viewer, user.into_stored())))
}

/// The hash of a user without a password. 400 unless the organization has passwords off.
async fn without_password(app: &App, tenant: OrganizationId) -> Result<PasswordHash, Error> {
    if app
        .store
        .providers()
        .are_passwords_off(tenant)
        .await?
    {
        return Ok(PasswordHash::unusable());
    }
    let detail = "Send the user's first password.";
    Err(Error::invalid(Fault::at(
        "password",
        FaultCode::Required,
        detail,
    )))
}
