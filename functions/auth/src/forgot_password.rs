//! `POST /api/auth/forgot`

use shared::{
    endpoint::*,
    http::ClientAddress,
    model::{base::network, people::PasswordForgotten},
};

/// Sends a link for a new password to the account of an address or a username.
///
/// Always 204, after the same work. A mail goes to a verified address of an enabled user who may
/// have a password: one for each account of the address. At most 3 an hour for an account, and 20
/// from a network.
#[utoipa::path(post, path = "/api/auth/forgot")]
pub async fn forgot_password(
    State(app): State<App>,
    Query(()): Query<()>,
    ClientAddress(address): ClientAddress,
    Body(named): Body<PasswordForgotten>,
) -> Result<NoContent, Problem> {
    if app.sends_mail {
        let network = network::counted(&address);
        let links = app.store.account_links();
        links
            .forgot(&named, &network, || app.links.issue())
            .await?;
    }
    Ok(NoContent)
}
