//! `POST /api/users`

use shared::endpoint::*;
use shared::model::UserCreate;
use shared::store::NewUser;

use crate::view::UserView;

/// Creates a user.
///
/// Needs a session, so that a token makes no account. The caller must hold every permission of the role and each further permission (403
/// `permission_denied`). Usernames are unique in the whole service, without regard to case (409
/// `username_taken`), and addresses in the organization (409 `email_taken`).
#[utoipa::path(post, path = "/api/users")]
pub async fn create_user(
    State(app): State<App>,
    caller: Caller<need::InSession<need::ManageUsers>>,
    Body(new): Body<UserCreate>,
) -> Result<Single<UserView>, Problem<(EmailTaken, UsernameTaken)>> {
    let user = async {
        let UserCreate {
            username,
            full_name,
            role,
            password,
            permissions,
            email,
        } = new;
        let extra_permissions = permissions.map_or_else(Vec::new, |list| list.0);
        let by = caller.identity().await?;
        by.held().may_give(role, &extra_permissions)?;
        Ok(NewUser {
            password_hash: password::hash_new(password, "password", &username, &by.organization)
                .await?,
            username: username.into(),
            full_name: full_name.into(),
            email,
            email_verified_at: None,
            role,
            extra_permissions,
            provider_subject: None,
        })
    };
    let directory = app.store.directory();
    let created = directory.create_user_when_ready(caller.pending_write(), user);
    let user = created.await?;
    let viewer = caller.identity().await?;
    Ok(Single(UserView::seen_by(&viewer, user)))
}
