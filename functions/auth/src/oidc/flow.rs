//! A sign-in by a provider under way, in a signed cookie of the browser.

use serde::Deserialize;
use shared::{
    auth::{Redirect, cookie::PROVIDER_WITHIN},
    endpoint::*,
    model::{
        base::{random, span},
        people::{OidcBegin, ReturnUrl, SignInFault},
    },
    store::people::{SignInPurpose, SignInSettings},
};

use crate::Auth;

/// The most sign-ins of a browser that go on side by side.
pub(super) const MOST_FLOWS: usize = 5;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OidcFlow {
    pub(super) organization: OrganizationId,
    pub(super) r#return: ReturnUrl,
    pub(super) again: bool,
    /// True if the provider sends the user back to the organization's own redirect URI.
    pub(super) own_redirect_uri: bool,
    /// Seconds within which the user must have shown credentials, if the provider was asked for
    /// them.
    pub(super) max_age: Option<i64>,
    /// The user who binds the own account.
    pub(super) connect: Option<UserId>,
    /// The token of the invitation that the user accepts.
    pub(super) invitation: Option<String>,
    /// The parameter `state`, which the provider returns.
    pub(super) state: String,
    /// The claim `nonce` of the ID token.
    pub(super) nonce: String,
    /// The secret whose SHA-256 the provider got (RFC 7636).
    pub(super) verifier: String,
    pub(super) ends_at: Timestamp,
}

impl OidcFlow {
    pub(super) fn new(
        begin: OidcBegin,
        settings: &SignInSettings,
        connect: Option<UserId>,
        now: Timestamp,
    ) -> Self {
        let again = begin.again.0;
        let of_policy = settings
            .signed_in_within
            .map(|minutes| minutes * 60);
        Self {
            organization: begin.organization,
            r#return: begin.r#return.unwrap_or_default(),
            again,
            own_redirect_uri: settings.provider.own_redirect_uri,
            max_age: if again { Some(0) } else { of_policy },
            connect,
            invitation: begin.invitation.map(String::from),
            state: random::token(),
            nonce: random::token(),
            // RFC 7636 asks for 43 characters.
            verifier: random::token() + &random::token(),
            ends_at: now.plus(PROVIDER_WITHIN * span::SECOND),
        }
    }

    pub(super) fn purpose(&self) -> SignInPurpose {
        match (self.connect, &self.invitation) {
            (Some(user), _) => SignInPurpose::Connect(user),
            (None, Some(token)) => SignInPurpose::Invitation(token.clone()),
            (None, None) => SignInPurpose::Session,
        }
    }

    /// The redirect that begins the sign-in. `others` are those of the browser, of which the oldest
    /// ends if there are too many.
    pub(super) fn begin(
        &self,
        auth: &Auth,
        mut others: Vec<Self>,
        location: String,
    ) -> Result<Redirect, Error> {
        let cookie = &auth.app.cookie;
        others.sort_unstable_by_key(|flow| flow.ends_at);
        let surplus = (others.len() + 1).saturating_sub(MOST_FLOWS);
        let ended = others.iter().take(surplus);
        let mut cookies = ended
            .map(|flow| cookie.clear_flow(&flow.state))
            .collect::<Result<Vec<_>, _>>()?;
        let flow = serde_json::to_string(self);
        let flow = flow.map_err(|error| Error::internal("writing a sign-in", error))?;
        cookies.push(cookie.set_flow(&self.state, &flow)?);
        Ok(Redirect { location, cookies })
    }

    /// The redirect to the page that follows, with a fault. Ends this sign-in and no other.
    pub(super) fn failed(&self, auth: &Auth, fault: SignInFault) -> Result<Redirect, Error> {
        Ok(Redirect {
            location: self.r#return.with(fault),
            cookies: vec![
                auth.app
                    .cookie
                    .clear_flow(&self.state)?,
            ],
        })
    }
}

/// The redirect to a page with a fault of a sign-in without a cookie.
pub(super) fn failed(page: &ReturnUrl, fault: SignInFault) -> Redirect {
    Redirect {
        location: page.with(fault),
        cookies: Vec::new(),
    }
}
