//! `GET /api/auth/oidc/callback`

use axum::extract::State;
use shared::{
    auth::Redirect,
    endpoint::*,
    http::{ClientAddress, UserAgent},
};

use crate::Auth;

use super::callback::{CameTo, Returned, end};

/// Ends a sign-in by the provider of an organization of version 2.0.
///
/// Such an organization was set up before it had a redirect URI of its own. As
/// `GET /api/auth/oidc/callback/{organization}`. Any other organization is `state_invalid` here.
#[utoipa::path(get, path = "/api/auth/oidc/callback")]
pub async fn end_oidc(
    State(auth): State<Auth>,
    returned: Returned,
    ClientAddress(address): ClientAddress,
    UserAgent(user_agent): UserAgent,
) -> Result<Redirect, Problem> {
    Ok(end(&auth, &CameTo::Former, returned, (address, user_agent)).await?)
}
