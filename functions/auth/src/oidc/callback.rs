//! `GET /api/auth/oidc/callback`

use std::convert::Infallible;

use shared::{endpoint::*, http::operation::text};

use super::{
    provider::Client,
    state::{OidcState, failed},
};
use crate::Auth;

/// The parameters of the provider, with the cookies of the browser. Other parameters are ignored: providers
/// send some of their own.
#[derive(Debug)]
pub struct Returned {
    /// The state of the cookie.
    begun: Option<OidcState>,
    /// The session of the browser.
    session: Option<Sid>,
    state: Option<String>,
    code: Option<String>,
}

impl FromRequestParts<Auth> for Returned {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, auth: &Auth) -> Result<Self, Infallible> {
        let query = parts.uri.query().unwrap_or_default();
        let parameter = |name: &str| {
            let mut all = openidconnect::url::form_urlencoded::parse(query.as_bytes());
            all.find(|(given, _)| given == name)
                .map(|(_, value)| value.into_owned())
        };
        let cookie = &auth.app.cookie;
        let begun = cookie.read_state(&parts.headers);
        let session = cookie.read(&parts.headers);
        Ok(Self {
            begun: begun.and_then(|state| serde_json::from_str(&state).ok()),
            session: session.and_then(|sid| Sid::parse(&sid, auth.app.store.cell())),
            state: parameter("state"),
            code: parameter("code"),
        })
    }
}

impl Argument for Returned {
    fn describe(description: &mut Description) {
        let code = "Code of the provider, absent if it did not sign the user in.";
        let state = "State of the sign-in, as the provider got it.";
        for (name, about) in [("code", code), ("state", state)] {
            description.parameter(ParameterIn::Query, name, false, text(), about);
        }
    }
}

/// Ends a sign-in by a provider: sends the user on, with the session's cookie.
///
/// Goes on to the `return` of `GET /api/auth/oidc`. After a fault its fragment is `#sign-in=CODE`, with one of
/// `state_invalid`, `provider_unavailable`, `provider_refused`, `code_invalid`, `token_invalid`,
/// `sign_in_again`, `sign_in_not_allowed` and `too_many_attempts`. Other parameters are ignored.
#[utoipa::path(get, path = "/api/auth/oidc/callback")]
pub async fn end_oidc(
    State(auth): State<Auth>,
    returned: Returned,
    ClientAddress(address): ClientAddress,
    UserAgent(user_agent): UserAgent,
) -> Result<Redirect, Problem> {
    telemetry::signs_in_from(&address);
    let now = auth.app.clock.now();
    let begun = returned.begun.as_ref().filter(|begun| now < begun.ends_at);
    let Some(begun) = begun else {
        let page = ReturnUrl::default();
        return Ok(failed(&auth, &page, SignInFault::StateInvalid)?);
    };
    let client = SignInClient {
        address,
        user_agent,
        replaces: returned.session.clone().filter(|_| begun.again),
        sends_mail: auth.app.sends_mail,
    };
    match signed_in(&auth, begun, &returned, &client).await? {
        Ok(sid) => {
            telemetry::caller(sid.user, sid.organization);
            Ok(Redirect {
                location: begun.r#return.to_string(),
                cookie: auth.app.cookie.set(&sid.to_string())?,
            })
        }
        Err(fault) => Ok(failed(&auth, &begun.r#return, fault)?),
    }
}

/// Signs the user of a code in. A failure counts for the client's network.
async fn signed_in(
    auth: &Auth,
    begun: &OidcState,
    returned: &Returned,
    client: &SignInClient,
) -> Result<Result<Sid, SignInFault>, Error> {
    let (sign_in, providers) = (auth.app.store.sign_in(), auth.app.store.providers());
    if returned.state.as_ref() != Some(&begun.state) {
        return Ok(Err(SignInFault::StateInvalid));
    }
    let attempt = match sign_in.network_attempt(&client.address).await {
        Err(Error::TooManyRequests { .. }) => return Ok(Err(SignInFault::TooManyAttempts)),
        attempt => attempt?,
    };
    let used = providers.use_state(&begun.state, begun.ends_at);
    let (is_new, provider) = tokio::join!(used, providers.get(begun.organization));
    if !is_new? {
        return Ok(Err(SignInFault::StateInvalid));
    }
    let provider = match provider {
        Err(Error::NotFound(_)) => return Ok(Err(SignInFault::ProviderUnavailable)),
        provider => provider?,
    };
    let Some(code) = &returned.code else {
        return Ok(Err(SignInFault::ProviderRefused));
    };
    let who = match named(auth, &provider, begun, code).await {
        Ok(who) => who,
        Err(fault) => return Ok(Err(fault)),
    };
    let Some(sid) = providers.sign_in(&provider, &who, client).await? else {
        return Ok(Err(SignInFault::SignInNotAllowed));
    };
    sign_in.network_succeeded(&attempt).await?;
    Ok(Ok(sid))
}

/// The user of a code, by the provider's verified token.
async fn named(
    auth: &Auth,
    provider: &SignInProvider,
    begun: &OidcState,
    code: &str,
) -> Result<ProviderUser, SignInFault> {
    let client = Client::of(auth, provider).await?;
    client.user_of(begun, code).await
}
