//! `GET /api/auth/oidc`

use super::{
    provider::Client,
    state::{OidcState, failed},
};
use crate::prelude::*;

/// Sends the user to the organization's provider, to sign in there.
///
/// The provider sends the user back to `GET /api/auth/oidc/callback`. 404 for an organization without
/// a provider. With `again`, the provider asks for credentials even if the user is signed in there.
#[utoipa::path(get, path = "/api/auth/oidc")]
pub async fn begin_oidc(
    State(auth): State<Auth>,
    Query(begin): Query<OidcBegin>,
) -> Result<Redirect, Problem<NotFound>> {
    if let Some(page) = &begin.r#return {
        is_ours(&auth, page)?;
    }
    let provider = auth.app.store.providers().get(begin.organization).await?;
    let state = OidcState::new(begin, auth.app.clock.now());
    let unavailable = SignInFault::ProviderUnavailable;
    Ok(match Client::of(&auth, &provider).await {
        Ok(client) => state.to(&auth, client.authorize(&state))?,
        Err(_) => failed(&auth, &state.r#return, unavailable)?,
    })
}

/// 400 for a page of another host, unless its origin is allowed.
fn is_ours(auth: &Auth, page: &ReturnUrl) -> Result<(), Error> {
    let allowed = &auth.app.allowed_origins;
    let is_allowed = |origin: &str| allowed.iter().any(|one| one == origin);
    if page.origin().is_none_or(is_allowed) {
        return Ok(());
    }
    Err(Error::invalid(Fault {
        pointer: "?return".to_owned(),
        code: FaultCode::Value,
        detail: "Send a path of this host, or a URL of an allowed origin.".to_owned(),
    }))
}
