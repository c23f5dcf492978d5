//! `PUT /api/users/{id}/password`

use shared::{
    auth::password,
    endpoint::*,
    http::{
        ClientAddress,
        refusal::{AccessDenied, PasswordSignInOff},
    },
    model::{base::Code, people::PasswordSet},
};

/// Sets a user's password and ends the user's sessions and tokens.
///
/// Guards the organization: takes all permissions of an admin, and a sign-in of the last 30
/// minutes. Callers change their own password with `PUT /api/auth/password`, which asks for the
/// current one (403 `access_denied`). 403 `password_sign_in_off` if the organization has passwords
/// off.
#[utoipa::path(put, path = "/api/users/{id}/password")]
pub async fn set_password(
    caller: Caller<need::Root>,
    ClientAddress(address): ClientAddress,
    Path(id): Path<PathId<UserId>>,
    Body(PasswordSet { password }): Body<PasswordSet>,
) -> Result<NoContent, Problem<(AccessDenied, ConcurrentChange, PasswordSignInOff)>> {
    let directory = caller.app.store.directory();
    let read = directory.to_set_password(caller.tenant(), id.known()?);
    let (by, read) = tokio::join!(caller.identity(), read);
    let (by, read) = (by?, read?);
    let user = &read.0;
    if by.user.id == user.id {
        let detail = "This is your own account. Change its password with `PUT /api/auth/password`.";
        return Err(Error::forbidden(Code::AccessDenied, detail).into());
    }
    let organization = &by.organization;
    let by = by.held();
    by.may_change(user)?;
    caller
        .app
        .store
        .providers()
        .check_password(user)
        .await?;
    let hash = password::hash_new(password, "password", &user.username, organization).await?;
    let network = caller.app.notices_from(&address);
    let set = directory.set_password(caller.write(), &by, read, hash, network.as_deref());
    set.await?;
    Ok(NoContent)
}
