//! `POST /api/auth/reset`

use shared::{
    auth::{OwnPage, password},
    endpoint::*,
    http::{
        ClientAddress,
        refusal::{LinkInvalid, OrganizationSuspended, PasswordSignInOff},
    },
    model::people::PasswordReset,
};

type Refused = (
    ConcurrentChange,
    LinkInvalid,
    OrganizationSuspended,
    PasswordSignInOff,
);

/// Sets a new password by the link of `POST /api/auth/forgot`.
///
/// Ends all sessions, tokens and links of the account. 403 `link_invalid` for a token that is
/// unknown, used, or older than an hour, and after a change of the address or the password. 403
/// `password_sign_in_off` if the organization has passwords off.
#[utoipa::path(post, path = "/api/auth/reset")]
pub async fn reset_password(
    State(app): State<App>,
    _: OwnPage,
    Query(()): Query<()>,
    ClientAddress(address): ClientAddress,
    Body(PasswordReset { token, password }): Body<PasswordReset>,
) -> Result<NoContent, Problem<Refused>> {
    let links = app.store.account_links();
    let account = links.to_reset(&token).await?;
    app.store
        .providers()
        .check_password(&account.user)
        .await?;
    let username = &account.user.username;
    let organization = &account.organization;
    let hash = password::hash_new(password, "password", username, organization).await?;
    let network = app.notices_from(&address);
    let reset = links.reset(account, &token, &hash, network.as_deref());
    reset.await?;
    Ok(NoContent)
}
