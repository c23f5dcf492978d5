//! `GET /api/auth/oidc/callback/{organization}`

use std::convert::Infallible;

use axum::{
    extract::{FromRequestParts, State},
    http::request::Parts,
};
use shared::{
    auth::Redirect,
    endpoint::*,
    http::{
        ClientAddress, UserAgent,
        operation::{Argument, Description, text},
        refusal::NotFound,
    },
    model::{
        base::{Error, OrganizationId},
        people::{ReturnUrl, Sid, SignInFault},
    },
    runtime::telemetry,
    store::people::{ProviderUser, SignInClient, SignInSettings},
};
use utoipa::openapi::path::ParameterIn;

use crate::Auth;

use super::{
    browser::{Browser, browser_session},
    discovery,
    flow::{OidcFlow, failed},
    provider::Client,
};

/// The parameters of the provider, with the cookies of the browser. Other parameters are ignored:
/// providers send some of their own.
#[derive(Debug)]
pub struct Returned {
    /// The sign-in of the state's cookie.
    flow: Option<OidcFlow>,
    browser: Browser,
    code: Option<String>,
    /// The issuer that the answer names (RFC 9207).
    issuer: Option<String>,
}

/// The redirect URI at which the provider's answer came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CameTo {
    /// The redirect URI of an organization.
    Own(OrganizationId),
    /// The redirect URI of all organizations of before.
    Former,
}

impl FromRequestParts<Auth> for Returned {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, auth: &Auth) -> Result<Self, Infallible> {
        let query = parts.uri.query().unwrap_or_default();
        let parameter = |name: &str| {
            let mut pairs = oauth2::url::form_urlencoded::parse(query.as_bytes());
            pairs
                .find(|(key, _)| key == name)
                .map(|(_, value)| value.into_owned())
        };
        let state = parameter("state").unwrap_or_default();
        let cookie = auth
            .app
            .cookie
            .read_flow(&parts.headers, &state);
        let flow = cookie.and_then(|flow| serde_json::from_str(&flow).ok());
        let now = auth.app.clock.now();
        Ok(Self {
            flow: flow.filter(|flow: &OidcFlow| flow.state == state && now < flow.ends_at),
            browser: Browser::of(&parts.headers, &auth.app),
            code: parameter("code"),
            issuer: parameter("iss"),
        })
    }
}

impl Argument for Returned {
    fn describe(description: &mut Description) {
        let code = "Code of the provider, absent if it did not sign the user in.";
        let state = "State of the sign-in, as the provider got it.";
        let issuer =
            "Issuer of the provider, required if its discovery document says that it sends it.";
        for (name, about) in [("code", code), ("state", state), ("iss", issuer)] {
            description.parameter(ParameterIn::Query, name, false, text(), about);
        }
    }
}

/// Ends a sign-in by the organization's provider.
///
/// Sends the user on with the session's cookie. Goes on to the `return` of `GET /api/auth/oidc`.
/// After a fault its fragment is `#sign-in=CODE`, with one of `state_invalid`,
/// `provider_unavailable`, `provider_refused`, `code_invalid`, `token_invalid`, `sign_in_again`,
/// `sign_in_not_allowed`, `groups_missing`, `other_user` and `too_many_attempts`. An answer for
/// another organization, or of another issuer, is `state_invalid`, and its code is sent nowhere.
/// Other parameters are ignored.
#[utoipa::path(get, path = "/api/auth/oidc/callback/{organization}")]
pub async fn end_oidc_of_organization(
    State(auth): State<Auth>,
    Path(id): Path<PathId<OrganizationId>>,
    returned: Returned,
    ClientAddress(address): ClientAddress,
    UserAgent(user_agent): UserAgent,
) -> Result<Redirect, Problem<NotFound>> {
    let came_to = CameTo::Own(id.known()?);
    Ok(end(&auth, &came_to, returned, (address, user_agent)).await?)
}

/// Ends the sign-in of the browser that a provider sent back.
pub(super) async fn end(
    auth: &Auth,
    came_to: &CameTo,
    returned: Returned,
    (address, user_agent): (String, Option<String>),
) -> Result<Redirect, Error> {
    telemetry::signs_in_from(&address);
    let Some(flow) = &returned.flow else {
        let page = ReturnUrl::default();
        return Ok(failed(&page, SignInFault::StateInvalid));
    };
    let session = returned
        .browser
        .session(&auth.app)
        .await?;
    let client = SignInClient {
        address,
        user_agent,
        session: session.as_ref().map(browser_session),
        replaces: flow.again || flow.connect.is_some(),
        sends_mail: auth.app.sends_mail,
    };
    match signed_in(auth, flow, came_to, &returned, &client).await? {
        Ok(sid) => {
            telemetry::caller(sid.user, sid.organization);
            Ok(Redirect {
                location: flow.r#return.to_string(),
                cookies: vec![
                    auth.app
                        .cookie
                        .clear_flow(&flow.state)?,
                    auth.app.cookie.set(&sid.to_string())?,
                ],
            })
        }
        Err(fault) => flow.failed(auth, fault),
    }
}

/// Signs the user of a code in. A failure counts for the client's network.
async fn signed_in(
    auth: &Auth,
    flow: &OidcFlow,
    came_to: &CameTo,
    returned: &Returned,
    client: &SignInClient,
) -> Result<Result<Sid, SignInFault>, Error> {
    let sign_in = auth.app.store.sign_in();
    let providers = auth.app.store.providers();
    if *came_to != flow.redirect() {
        return Ok(Err(SignInFault::StateInvalid));
    }
    if let Err(fault) = check_connecting(flow, client) {
        return Ok(Err(fault));
    }
    let attempt = match sign_in
        .provider_attempt(&client.address)
        .await
    {
        Err(Error::TooManyRequests { .. }) => return Ok(Err(SignInFault::TooManyAttempts)),
        attempt => attempt?,
    };
    let used = providers.use_state(&flow.state, flow.ends_at);
    let (is_new, settings) = tokio::join!(used, providers.settings(flow.organization));
    if !is_new? {
        return Ok(Err(SignInFault::StateInvalid));
    }
    let settings = match settings {
        Err(Error::NotFound(_)) => return Ok(Err(SignInFault::ProviderUnavailable)),
        settings => settings?,
    };
    let who = match named(auth, &settings, flow, returned).await? {
        Ok(who) => who,
        Err(fault) => return Ok(Err(fault)),
    };
    let purpose = flow.purpose();
    let signed_in = providers.sign_in(&settings.provider, &who, &purpose, client);
    let signed_in = signed_in.await?;
    if signed_in.is_ok() {
        sign_in
            .network_succeeded(&attempt)
            .await?;
    }
    Ok(signed_in)
}

/// Checks that the user who connects an account still has the session.
fn check_connecting(flow: &OidcFlow, client: &SignInClient) -> Result<(), SignInFault> {
    let Some(user) = flow.connect else {
        return Ok(());
    };
    let session = client.session.as_ref();
    let session = session.ok_or(SignInFault::SignInAgain)?;
    let is_same = (session.organization, session.user) == (flow.organization, user);
    is_same
        .then_some(())
        .ok_or(SignInFault::OtherUser)
}

/// The user of a code, by the provider's verified token. The code is sent to no other issuer than
/// that of the answer.
async fn named(
    auth: &Auth,
    settings: &SignInSettings,
    flow: &OidcFlow,
    returned: &Returned,
) -> Result<Result<ProviderUser, SignInFault>, Error> {
    let provider = &settings.provider;
    // The admins may have changed to their own redirect URI meanwhile.
    if flow.own_redirect_uri != provider.own_redirect_uri {
        return Ok(Err(SignInFault::StateInvalid));
    }
    let unavailable = Ok(Err(SignInFault::ProviderUnavailable));
    let Some(discovery) = discovery::stored(auth, provider).await? else {
        return unavailable;
    };
    let is_of_issuer = match &returned.issuer {
        Some(issuer) => *issuer == *provider.issuer,
        None => !discovery.names_issuer,
    };
    if !is_of_issuer {
        return Ok(Err(SignInFault::StateInvalid));
    }
    let Some(code) = &returned.code else {
        return Ok(Err(SignInFault::ProviderRefused));
    };
    if settings.is_silent {
        return unavailable;
    }
    match Client::of(auth, provider, discovery, flow.own_redirect_uri) {
        Ok(client) => client.user_of(flow, code).await,
        Err(fault) => Ok(Err(fault)),
    }
}

impl OidcFlow {
    /// The redirect URI to which the provider sends this sign-in back.
    fn redirect(&self) -> CameTo {
        if self.own_redirect_uri {
            CameTo::Own(self.organization)
        } else {
            CameTo::Former
        }
    }
}
