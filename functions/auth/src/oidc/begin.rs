//! `GET /api/auth/oidc`

use axum::extract::State;
use shared::{
    auth::Redirect,
    endpoint::*,
    http::refusal::{
        CrossSite, InvitationInvalid, NotFound, OrganizationSuspended, Unauthenticated,
    },
    model::{
        base::{Code, Error, Fault, FaultCode, UserId},
        people::{OidcBegin, ReturnUrl, SignInAge, SignInFault, SignInProvider},
    },
};

use crate::Auth;

use super::{
    browser::Browser,
    discovery,
    flow::{OidcFlow, failed},
    provider::Client,
};

type Refused = (
    CrossSite,
    InvitationInvalid,
    NotFound,
    OrganizationSuspended,
    SignInAgain,
    Unauthenticated,
);

/// Sends the user to the organization's provider, to sign in there.
///
/// The provider sends the user back to `GET /api/auth/oidc/callback/{organization}`. 404 for an
/// organization without a provider. With `again`, the provider asks for credentials even if the
/// user is signed in there.
///
/// - `connect` binds the caller's account to the provider. 401 without a session, 403
///   `sign_in_again` if its sign-in is older than 30 minutes, 403 `cross_site` for a link of
///   another site.
/// - `invitation` accepts an invitation by the provider, with its role, and binds at once. 403
///   `invitation_invalid` as at `POST /api/auth/accept`.
#[utoipa::path(get, path = "/api/auth/oidc")]
pub async fn begin_oidc(
    State(auth): State<Auth>,
    browser: Browser,
    Query(begin): Query<OidcBegin>,
) -> Result<Redirect, Problem<Refused>> {
    if let Some(page) = &begin.r#return {
        is_ours(&auth, page)?;
    }
    if begin.connect.0 {
        browser.check_origin(&auth.app)?;
    }
    let connect = connecting(&auth, &browser, &begin).await?;
    let organization = begin.organization;
    let settings = auth
        .app
        .store
        .providers()
        .settings(organization)
        .await?;
    if let Some(token) = &begin.invitation {
        let invitations = auth.app.store.invitations();
        invitations
            .open_of(organization, token)
            .await?;
    }
    let discovery = discovery::stored(&auth, &settings.provider).await?;
    let flow = OidcFlow::new(begin, &settings, connect, auth.app.clock.now());
    let own = flow.own_redirect_uri;
    let client =
        discovery.and_then(|discovery| Client::of(&auth, &settings.provider, discovery, own).ok());
    let Some(client) = client else {
        let unavailable = SignInFault::ProviderUnavailable;
        return Ok(failed(&flow.r#return, unavailable));
    };
    let others = browser.flows(&auth.app);
    Ok(flow.begin(&auth, others, client.authorize(&flow))?)
}

/// Returns the user who connects their account. 401 without a session, 403 with an older sign-in,
/// 404 for a user of another organization.
async fn connecting(
    auth: &Auth,
    browser: &Browser,
    begin: &OidcBegin,
) -> Result<Option<UserId>, Error> {
    if !begin.connect.0 {
        return Ok(None);
    }
    if begin.invitation.is_some() {
        let detail = "`connect` and `invitation` exclude each other: send one of them.";
        let fault = FaultCode::Combination;
        return Err(Error::invalid(at("?connect", fault, detail)));
    }
    let session = browser.session(&auth.app).await?;
    let session = session.ok_or(Error::Unauthenticated)?;
    if session.organization_id != begin.organization {
        return Err(Error::NotFound(SignInProvider::NOUN));
    }
    if auth
        .app
        .clock
        .now()
        .since(session.signed_in_at())
        > SignInAge::NEW
    {
        let detail = "Connecting an account needs a sign-in of the last 30 minutes. Sign in again.";
        return Err(Error::forbidden(Code::SignInAgain, detail));
    }
    Ok(Some(session.user_id))
}

/// 400 for a page of another host, unless its origin is allowed.
fn is_ours(auth: &Auth, page: &ReturnUrl) -> Result<(), Error> {
    let allowed = &auth.app.allowed_origins;
    let is_allowed = |origin: &str| {
        allowed
            .iter()
            .any(|listed| listed == origin)
    };
    if page.origin().is_none_or(is_allowed) {
        return Ok(());
    }
    let detail = "Send a path of this host, or a URL of an allowed origin.";
    Err(Error::invalid(at("?return", FaultCode::Value, detail)))
}

fn at(pointer: &str, code: FaultCode, detail: &str) -> Fault {
    Fault {
        pointer: pointer.to_owned(),
        code,
        detail: detail.to_owned(),
    }
}
