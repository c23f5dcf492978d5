//! The state of a sign-in by a provider, in a signed cookie of the browser.

use serde::Deserialize;
use shared::{auth::cookie::PROVIDER_WITHIN, endpoint::*};

use crate::Auth;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OidcState {
    pub(super) organization: OrganizationId,
    pub(super) r#return: ReturnUrl,
    pub(super) again: bool,
    /// The parameter `state`, which the provider returns.
    pub(super) state: String,
    /// The claim `nonce` of the ID token.
    pub(super) nonce: String,
    /// The secret whose SHA-256 the provider got (RFC 7636).
    pub(super) verifier: String,
    pub(super) ends_at: Timestamp,
}

impl OidcState {
    pub(super) fn new(begin: OidcBegin, now: Timestamp) -> Self {
        Self {
            organization: begin.organization,
            r#return: begin.r#return.unwrap_or_default(),
            again: begin.again.0,
            state: random::token(),
            nonce: random::token(),
            // RFC 7636 asks for 43 characters.
            verifier: random::token() + &random::token(),
            ends_at: now.plus(PROVIDER_WITHIN * span::SECOND),
        }
    }

    /// The redirect that begins the sign-in.
    pub(super) fn to(&self, auth: &Auth, location: String) -> Result<Redirect, Error> {
        let state = serde_json::to_string(self);
        let state = state.map_err(|error| Error::internal("writing a state", error))?;
        let cookie = auth.app.cookie.set_state(&state)?;
        Ok(Redirect { location, cookie })
    }
}

/// The redirect to a page with a fault, which ends the sign-in.
pub(super) fn failed(auth: &Auth, page: &ReturnUrl, fault: SignInFault) -> Result<Redirect, Error> {
    Ok(Redirect {
        location: page.with(fault),
        cookie: auth.app.cookie.clear_state()?,
    })
}
