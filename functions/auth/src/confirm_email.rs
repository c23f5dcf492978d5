//! `POST /api/auth/email/confirm`

use shared::{
    endpoint::*,
    http::{
        ClientAddress,
        refusal::{EmailTaken, LinkInvalid, OrganizationSuspended},
    },
    model::people::EmailConfirm,
};

type Refused = (
    ConcurrentChange,
    EmailTaken,
    LinkInvalid,
    OrganizationSuspended,
);

/// Gives an account the address to which a link was sent.
///
/// 403 `link_invalid` for a token that is unknown, used or older than 24 hours, and after a change
/// of the password. 409 `email_taken` if another user of the organization has the address. The old
/// address gets a notice.
#[utoipa::path(post, path = "/api/auth/email/confirm")]
pub async fn confirm_email(
    State(app): State<App>,
    Query(()): Query<()>,
    ClientAddress(address): ClientAddress,
    Body(EmailConfirm { token }): Body<EmailConfirm>,
) -> Result<NoContent, Problem<Refused>> {
    let network = app.notices_from(&address);
    let links = app.store.account_links();
    links
        .confirm_email(&token, network.as_deref())
        .await?;
    Ok(NoContent)
}
