//! The client of an organization's provider: where its users sign in, and what their codes are
//! worth.

use std::{fmt, pin::Pin, time::Duration};

use oauth2::{
    AsyncHttpClient, AuthType, AuthUrl, AuthorizationCode, ClientId, ClientSecret, CsrfToken,
    EndpointNotSet, EndpointSet, ExtraTokenFields, HttpRequest, HttpResponse, PkceCodeChallenge,
    PkceCodeVerifier, RedirectUrl, RequestTokenError, Scope, StandardRevocableToken,
    StandardTokenResponse, TokenResponse, TokenUrl,
    basic::{
        BasicErrorResponse, BasicRevocationErrorResponse, BasicTokenIntrospectionResponse,
        BasicTokenType,
    },
    http::{
        Request, StatusCode,
        header::{ACCEPT, AUTHORIZATION},
    },
};
use secrecy::ExposeSecret;
use serde::Deserialize;
use serde_json::{Map, Value};
use shared::{
    endpoint::*,
    model::{
        base::span,
        people::{ProviderDiscovery, SignInFault, SignInProvider},
    },
    store::people::ProviderUser,
};
use targets::{NoAnswer, ProviderCaller};

use crate::Auth;

use super::{
    claims::Claims,
    discovery::renewed,
    flow::OidcFlow,
    token::{Expected, TokenFault, subject, verified},
};

/// The time in which a provider has answered all requests of a sign-in.
const PATIENCE: Duration = Duration::from_secs(8);

/// Milliseconds since the `auth_time` of a sign-in that was asked for again.
const AGAIN_WITHIN: i64 = span::MINUTE;

/// The members of a token endpoint's answer that sign-ins need.
const TOKEN_MEMBERS: [&str; 4] = ["access_token", "token_type", "id_token", "error"];

/// The answer of a token endpoint, beside the access token.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct IdToken {
    id_token: Option<String>,
}

impl ExtraTokenFields for IdToken {}

type Tokens = StandardTokenResponse<IdToken, BasicTokenType>;

type OAuthClient = oauth2::Client<
    BasicErrorResponse,
    Tokens,
    BasicTokenIntrospectionResponse,
    StandardRevocableToken,
    BasicRevocationErrorResponse,
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointSet,
>;

/// The result of requests to a provider.
type Answered<T> = Result<Result<T, SignInFault>, Error>;

/// The client of this service at a provider.
pub(super) struct Client<'a> {
    auth: &'a Auth,
    provider: &'a SignInProvider,
    discovery: ProviderDiscovery,
    oauth: OAuthClient,
}

/// The client of requests to a token endpoint.
struct Http<'a>(&'a ProviderCaller);

impl<'c> AsyncHttpClient<'c> for Http<'_> {
    type Error = NoAnswer;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, NoAnswer>> + Send + 'c>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(async {
            let mut response = self.0.send(request).await?;
            if let Some(members) = needed(&response) {
                *response.body_mut() = members.to_string().into_bytes();
            }
            Ok(response)
        })
    }
}

/// Returns the members of a token endpoint's answer that sign-ins need. Others may have any type.
fn needed(response: &HttpResponse) -> Option<Value> {
    let mut members: Map<String, Value> = serde_json::from_slice(response.body()).ok()?;
    members.retain(|name, _| TOKEN_MEMBERS.contains(&&**name));
    // The one type of RFC 6750. Some providers leave it out.
    members.insert("token_type".to_owned(), "Bearer".into());
    Some(members.into())
}

impl<'a> Client<'a> {
    /// Creates the client. Users come back to the organization's `own` redirect URI, or to the
    /// former one.
    pub(super) fn of(
        auth: &'a Auth,
        provider: &'a SignInProvider,
        discovery: ProviderDiscovery,
        own: bool,
    ) -> Result<Self, SignInFault> {
        let unavailable = SignInFault::ProviderUnavailable;
        let redirect = if own {
            auth.redirect_uri(provider.organization_id)
        } else {
            auth.former_redirect_uri()
        };
        let page = discovery.authorization_endpoint.clone();
        if !auth.caller.may_call(&page) {
            return Err(unavailable);
        }
        let auth_type = if discovery.secret_in_body {
            AuthType::RequestBody
        } else {
            AuthType::BasicAuth
        };
        let token_url = TokenUrl::new(discovery.token_endpoint.clone());
        let client_id = ClientId::new(provider.client_id.to_string());
        let oauth = oauth2::Client::new(client_id)
            .set_auth_uri(AuthUrl::new(page).map_err(|_| unavailable)?)
            .set_token_uri(token_url.map_err(|_| unavailable)?)
            .set_redirect_uri(RedirectUrl::new(redirect).map_err(|_| unavailable)?)
            .set_auth_type(auth_type);
        Ok(Self {
            auth,
            provider,
            discovery,
            oauth,
        })
    }

    /// Returns the URL of the provider at which a user signs in.
    pub(super) fn authorize(&self, flow: &OidcFlow) -> String {
        let verifier = PkceCodeVerifier::new(flow.verifier.clone());
        let scopes = ["openid", "email", "profile"].into_iter();
        let scopes = scopes.chain(
            self.discovery
                .lists_groups
                .then_some("groups"),
        );
        let mut request = self
            .oauth
            .authorize_url(|| CsrfToken::new(flow.state.clone()))
            .set_pkce_challenge(PkceCodeChallenge::from_code_verifier_sha256(&verifier))
            .add_scopes(scopes.map(|scope| Scope::new(scope.to_owned())))
            .add_extra_param("nonce", flow.nonce.clone());
        if let Some(seconds) = flow.max_age {
            request = request.add_extra_param("max_age", seconds.to_string());
        }
        request.url().0.into()
    }

    /// Returns the user of a code, by the provider's verified token.
    pub(super) async fn user_of(mut self, flow: &OidcFlow, code: &str) -> Answered<ProviderUser> {
        let auth = self.auth;
        let provider = self.provider;
        let read = tokio::time::timeout(PATIENCE, self.read_user(flow, code));
        match read.await {
            Ok(answered) => answered,
            Err(_) => silent(auth, provider, &"the provider took more than eight seconds").await,
        }
    }

    async fn read_user(&mut self, flow: &OidcFlow, code: &str) -> Answered<ProviderUser> {
        let tokens = match self.exchange(flow, code).await? {
            Ok(tokens) => tokens,
            Err(fault) => return Ok(Err(fault)),
        };
        let now = self.auth.app.clock.now();
        let token = tokens
            .extra_fields()
            .id_token
            .as_deref();
        let token = token.unwrap_or_default();
        let verified_claims = match self.verified(flow, token, now).await? {
            Ok(claims) => claims,
            Err(fault) => return Ok(Err(self.failed(&fault, SignInFault::TokenInvalid))),
        };
        let mut claims = Claims {
            all: verified_claims,
            is_whole: true,
        };
        let user_info = self
            .discovery
            .userinfo_endpoint
            .as_deref();
        if let Some(url) = user_info.filter(|_| claims.are_thin(self.provider)) {
            let access_token = tokens.access_token().secret();
            match self.user_info(url, access_token).await {
                Ok(user_info) if subject(&user_info) == subject(&claims.all) => {
                    claims.complete(user_info);
                }
                Ok(_) => {
                    let fault = SignInFault::ProviderUnavailable;
                    return Ok(Err(
                        self.failed(&"`sub` of the user info is another's", fault)
                    ));
                }
                Err(cause) => {
                    claims.is_whole = false;
                    warn(self.provider, &cause);
                }
            }
        }
        Ok(self.user(flow, &claims, now))
    }

    fn user(
        &self,
        flow: &OidcFlow,
        claims: &Claims,
        now: Timestamp,
    ) -> Result<ProviderUser, SignInFault> {
        let auth_time = claims.auth_time();
        let is_new = auth_time.is_some_and(|at| now.since(at) <= AGAIN_WITHIN);
        if flow.again && !is_new {
            let why = "`claims.auth_time` of the ID token is not of the last minute";
            return Err(self.failed(&why, SignInFault::SignInAgain));
        }
        // Without `auth_time`, the user may have shown credentials as long ago as `max_age` allows.
        let oldest = |seconds: i64| now.plus(-(seconds + 1) * span::SECOND);
        let signed_in_at = auth_time.or(flow.max_age.map(oldest));
        let user = claims.user(self.provider, signed_in_at);
        user.inspect_err(|fault| warn(self.provider, &format!("the sign-in is {}", fault.name())))
    }

    /// Exchanges the code for the provider's tokens.
    async fn exchange(&self, flow: &OidcFlow, code: &str) -> Answered<Tokens> {
        let unavailable = SignInFault::ProviderUnavailable;
        let Ok(secret) = self
            .auth
            .secrets
            .of_provider(self.provider)
            .await
        else {
            return Ok(Err(unavailable));
        };
        let secret = ClientSecret::new(secret.expose_secret().to_owned());
        let oauth = self
            .oauth
            .clone()
            .set_client_secret(secret);
        let http = Http(&self.auth.caller);
        let tokens = oauth
            .exchange_code(AuthorizationCode::new(code.to_owned()))
            .set_pkce_verifier(PkceCodeVerifier::new(flow.verifier.clone()))
            .request_async(&http)
            .await;
        match tokens {
            Ok(tokens) => Ok(Ok(tokens)),
            Err(RequestTokenError::Request(cause)) => {
                silent(self.auth, self.provider, &cause).await
            }
            Err(RequestTokenError::ServerResponse(refused)) => {
                Ok(Err(self.failed(&refused, SignInFault::CodeInvalid)))
            }
            Err(RequestTokenError::Parse(cause, _)) => {
                let path = cause.path().to_string();
                let cause = format!("`{path}` of the token endpoint's answer: {}", cause.inner());
                Ok(Err(self.failed(&cause, SignInFault::TokenInvalid)))
            }
            Err(RequestTokenError::Other(cause)) => {
                Ok(Err(self.failed(&cause, SignInFault::TokenInvalid)))
            }
        }
    }

    /// Returns the claims of the ID token, once it verifies. Reads the keys again if it names
    /// another one.
    async fn verified(
        &mut self,
        flow: &OidcFlow,
        token: &str,
        now: Timestamp,
    ) -> Result<Result<Map<String, Value>, TokenFault>, Error> {
        let expected = Expected {
            issuer: &self.provider.issuer,
            client_id: &self.provider.client_id,
            nonce: &flow.nonce,
            now,
        };
        let claims = verified(token, &self.discovery.keys, &expected);
        if claims != Err(TokenFault::UnknownKey) {
            return Ok(claims);
        }
        if let Some(discovery) = renewed(self.auth, self.provider).await? {
            self.discovery = discovery;
        }
        Ok(verified(token, &self.discovery.keys, &expected))
    }

    /// Returns the user info. The error says why there is none; it names no token.
    async fn user_info(&self, url: &str, access_token: &str) -> Result<Map<String, Value>, String> {
        let request = Request::get(url)
            .header(ACCEPT, "application/json")
            .header(AUTHORIZATION, format!("Bearer {access_token}"))
            .body(Vec::new());
        let request = request.map_err(|error| error.to_string())?;
        let response = self.auth.caller.send(request).await;
        let response = response.map_err(|error| format!("no user info: {error}"))?;
        let status = response.status();
        if status != StatusCode::OK {
            return Err(format!("the user info has the status {status}"));
        }
        let members = serde_json::from_slice(response.body());
        members.map_err(|_| "the user info is not a JSON object".to_owned())
    }

    fn failed(&self, cause: &dyn fmt::Display, fault: SignInFault) -> SignInFault {
        warn(self.provider, cause);
        fault
    }
}

/// Notes for all instances that the provider gave no answer.
async fn silent<T>(
    auth: &Auth,
    provider: &SignInProvider,
    cause: &(dyn fmt::Display + Sync),
) -> Answered<T> {
    warn(provider, cause);
    let providers = auth.app.store.providers();
    providers
        .note_read_error(provider.organization_id)
        .await?;
    Ok(Err(SignInFault::ProviderUnavailable))
}

/// Logs a fault of a provider. The cause names no secret and no token.
fn warn(provider: &SignInProvider, cause: &dyn fmt::Display) {
    let organization = provider.organization_id.get();
    let cause = cause.to_string();
    tracing::warn!(
        organizationId = organization,
        cause,
        "a sign-in by the provider failed"
    );
}
