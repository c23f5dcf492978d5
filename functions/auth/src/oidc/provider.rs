//! The client of an organization's provider: its discovery, its keys, its codes and tokens.

use std::{fmt, pin::Pin, time::Duration};

use chrono::DateTime;
use openidconnect::{
    AccessToken, AdditionalClaims, AsyncHttpClient, AuthType, AuthorizationCode,
    ClaimsVerificationError, ClientId, ClientSecret, CsrfToken, EmptyExtraTokenFields,
    EndpointMaybeSet, EndpointNotSet, EndpointSet, HttpRequest, HttpResponse, IdTokenFields,
    IssuerUrl, Nonce, OAuth2TokenResponse, PkceCodeChallenge, PkceCodeVerifier, RedirectUrl,
    RequestTokenError, Scope, SignatureVerificationError, StandardErrorResponse,
    StandardTokenResponse, SubjectIdentifier, TokenResponse, UserInfoClaims,
    core::{
        CoreAuthDisplay, CoreAuthPrompt, CoreAuthenticationFlow, CoreClientAuthMethod,
        CoreErrorResponseType, CoreGenderClaim, CoreJsonWebKey, CoreJsonWebKeySet,
        CoreJweContentEncryptionAlgorithm, CoreJwsSigningAlgorithm, CoreProviderMetadata,
        CoreRevocableToken, CoreRevocationErrorResponse, CoreTokenIntrospectionResponse,
        CoreTokenType,
    },
};
use secrecy::ExposeSecret;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use shared::endpoint::*;
use shared::model::input::{Field, Place};
use targets::{NoAnswer, ProviderCaller};

use super::state::OidcState;
use crate::Auth;

/// The time in which a provider has answered all requests of a sign-in.
const PATIENCE: Duration = Duration::from_secs(8);

/// Milliseconds since the `auth_time` of a sign-in that was asked for again.
const AGAIN_WITHIN: i64 = span::MINUTE;

/// Algorithms of signatures. None has a shared secret, which the table's readers could use.
const SIGNED_BY: [CoreJwsSigningAlgorithm; 9] = [
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha256,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha384,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha512,
    CoreJwsSigningAlgorithm::RsaSsaPssSha256,
    CoreJwsSigningAlgorithm::RsaSsaPssSha384,
    CoreJwsSigningAlgorithm::RsaSsaPssSha512,
    CoreJwsSigningAlgorithm::EcdsaP256Sha256,
    CoreJwsSigningAlgorithm::EcdsaP384Sha384,
    CoreJwsSigningAlgorithm::EdDsa,
];

/// The claims beyond the standard ones.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct OtherClaims {
    #[serde(flatten)]
    all: Map<String, Value>,
}

impl AdditionalClaims for OtherClaims {}

type Tokens = StandardTokenResponse<
    IdTokenFields<
        OtherClaims,
        EmptyExtraTokenFields,
        CoreGenderClaim,
        CoreJweContentEncryptionAlgorithm,
        CoreJwsSigningAlgorithm,
    >,
    CoreTokenType,
>;

type OidcClient = openidconnect::Client<
    OtherClaims,
    CoreAuthDisplay,
    CoreGenderClaim,
    CoreJweContentEncryptionAlgorithm,
    CoreJsonWebKey,
    CoreAuthPrompt,
    StandardErrorResponse<CoreErrorResponseType>,
    Tokens,
    CoreTokenIntrospectionResponse,
    CoreRevocableToken,
    CoreRevocationErrorResponse,
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointMaybeSet,
    EndpointMaybeSet,
>;

/// The client of this service at a provider.
pub(super) struct Client<'a> {
    auth: &'a Auth,
    provider: &'a SignInProvider,
    http: Http,
    metadata: CoreProviderMetadata,
    oauth: OidcClient,
}

/// The client of the requests to providers.
struct Http(ProviderCaller);

impl<'c> AsyncHttpClient<'c> for Http {
    type Error = NoAnswer;
    type Future = Pin<Box<dyn Future<Output = Result<HttpResponse, NoAnswer>> + Send + 'c>>;

    fn call(&'c self, request: HttpRequest) -> Self::Future {
        Box::pin(self.0.send(request))
    }
}

impl<'a> Client<'a> {
    /// Creates the client, once the provider's discovery document and keys are known.
    pub(super) async fn of(
        auth: &'a Auth,
        provider: &'a SignInProvider,
    ) -> Result<Self, SignInFault> {
        let unavailable = SignInFault::ProviderUnavailable;
        let http = Http(auth.caller.clone());
        let known = match auth.known.get(&provider.issuer) {
            Some(known) => Some(known),
            None => within(discovered(auth, &http, provider)).await?,
        };
        let metadata = known.ok_or(unavailable)?;
        let secret = auth.caller.secret(provider).await.ok_or(unavailable)?;
        let redirect = RedirectUrl::new(auth.callback.to_string()).map_err(|_| unavailable)?;
        let oauth = openidconnect::Client::from_provider_metadata(
            metadata.clone(),
            ClientId::new(provider.client_id.to_string()),
            Some(ClientSecret::new(secret.expose_secret().to_owned())),
        );
        Ok(Self {
            auth,
            provider,
            http,
            oauth: oauth
                .set_redirect_uri(redirect)
                .set_auth_type(auth_type(&metadata)),
            metadata,
        })
    }

    /// Returns the URL of the provider at which a user signs in.
    pub(super) fn authorize(&self, state: &OidcState) -> String {
        let csrf = CsrfToken::new(state.state.clone());
        let nonce = Nonce::new(state.nonce.clone());
        let flow = CoreAuthenticationFlow::AuthorizationCode;
        let verifier = PkceCodeVerifier::new(state.verifier.clone());
        let request = self.oauth.authorize_url(flow, || csrf, || nonce);
        let mut request = request
            .set_pkce_challenge(PkceCodeChallenge::from_code_verifier_sha256(&verifier))
            .add_scopes(["email", "profile"].map(|scope| Scope::new(scope.to_owned())));
        // Some providers refuse scopes that they do not know.
        let groups = Scope::new("groups".to_owned());
        let known = self.metadata.scopes_supported();
        if known.is_some_and(|all| all.contains(&groups)) {
            request = request.add_scope(groups);
        }
        if state.again {
            request = request.set_max_age(Duration::ZERO);
        }
        request.url().0.into()
    }

    /// Returns the user of a code, by the provider's verified token.
    pub(super) async fn user_of(
        mut self,
        state: &OidcState,
        code: &str,
    ) -> Result<ProviderUser, SignInFault> {
        within(self.read_user(state, code)).await?
    }

    async fn read_user(
        &mut self,
        state: &OidcState,
        code: &str,
    ) -> Result<ProviderUser, SignInFault> {
        let code = AuthorizationCode::new(code.to_owned());
        let request = self.oauth.exchange_code(code);
        let request = request.map_err(|_| SignInFault::ProviderUnavailable)?;
        let request = request.set_pkce_verifier(PkceCodeVerifier::new(state.verifier.clone()));
        let tokens = request.request_async(&self.http).await;
        let tokens = tokens.map_err(|error| match error {
            RequestTokenError::ServerResponse(refused) => {
                self.failed(&refused, SignInFault::CodeInvalid)
            }
            RequestTokenError::Request(error) => {
                self.failed(&error, SignInFault::ProviderUnavailable)
            }
            error => self.failed(&error, SignInFault::TokenInvalid),
        })?;
        let mut claims = self.verified(state, &tokens).await?;
        let lacks = |name: &str| claims.get(name).is_none();
        let roles = &self.provider.roles.0;
        let is_thin = lacks("email") || (!roles.is_empty() && lacks(&self.provider.groups_claim));
        if is_thin {
            let sub = SubjectIdentifier::new(text(&claims, "sub").unwrap_or_default());
            let token = tokens.access_token().clone();
            for (name, claim) in self.user_info(token, sub).await? {
                // The token's own claims count.
                claims.entry(name).or_insert(claim);
            }
        }
        Ok(user(self.provider, &claims))
    }

    /// Returns the claims of the ID token, once it verifies. Reads the keys again, once, if it names another
    /// one.
    async fn verified(
        &mut self,
        state: &OidcState,
        tokens: &Tokens,
    ) -> Result<Map<String, Value>, SignInFault> {
        match self.claims(state, tokens) {
            Err(ClaimsVerificationError::SignatureVerification(
                SignatureVerificationError::NoMatchingKey,
            )) => {}
            verified => return verified.map_err(|error| self.refused(&error)),
        }
        let keys = CoreJsonWebKeySet::fetch_async(self.metadata.jwks_uri(), &self.http).await;
        let keys = keys.map_err(|error| self.failed(&error, SignInFault::ProviderUnavailable))?;
        self.metadata = self.metadata.clone().set_jwks(keys);
        self.auth.known.keep(&self.metadata);
        let verified = self.claims(state, tokens);
        verified.map_err(|error| self.refused(&error))
    }

    fn refused(&self, error: &ClaimsVerificationError) -> SignInFault {
        let fault = match error {
            ClaimsVerificationError::InvalidAuthTime(_) => SignInFault::SignInAgain,
            _ => SignInFault::TokenInvalid,
        };
        self.failed(error, fault)
    }

    fn failed(&self, cause: &dyn fmt::Display, fault: SignInFault) -> SignInFault {
        warn(self.provider, cause);
        fault
    }

    fn claims(
        &self,
        state: &OidcState,
        tokens: &Tokens,
    ) -> Result<Map<String, Value>, ClaimsVerificationError> {
        let other = |why: &str| ClaimsVerificationError::Other(why.to_owned());
        let token = tokens.id_token();
        let token = token.ok_or_else(|| other("there is no ID token"))?;
        let now = self.auth.app.clock.now();
        let verifier = openidconnect::core::CoreIdTokenVerifier::new_public_client(
            ClientId::new(self.provider.client_id.to_string()),
            self.metadata.issuer().clone(),
            self.metadata.jwks().clone(),
        );
        let verifier = verifier
            .set_allowed_algs(SIGNED_BY)
            .set_time_fn(move || DateTime::from_timestamp_millis(now.millis()).unwrap_or_default())
            .set_auth_time_verifier_fn(|at| {
                let at = at.map(|at| Timestamp::from_millis(at.timestamp_millis()));
                let is_new = at.is_some_and(|at| now.since(at) <= AGAIN_WITHIN);
                let old = || "the sign-in at the provider is older than a minute".to_owned();
                (is_new || !state.again).then_some(()).ok_or_else(old)
            });
        let claims = token.claims(&verifier, &Nonce::new(state.nonce.clone()))?;
        let azp = claims.authorized_party();
        if azp.is_some_and(|azp| **azp != *self.provider.client_id) {
            return Err(other("the token is for another client"));
        }
        Ok(members(claims))
    }

    async fn user_info(
        &self,
        token: AccessToken,
        sub: SubjectIdentifier,
    ) -> Result<Map<String, Value>, SignInFault> {
        let Ok(request) = self.oauth.user_info(token, Some(sub)) else {
            return Ok(Map::new());
        };
        let claims: Result<UserInfoClaims<OtherClaims, CoreGenderClaim>, _> =
            request.request_async(&self.http).await;
        let claims = claims.map(|claims| members(&claims));
        claims.map_err(|error| self.failed(&error, SignInFault::ProviderUnavailable))
    }
}

/// Reads a provider's discovery document and keys. None if it does not answer as it should.
async fn discovered(
    auth: &Auth,
    http: &Http,
    provider: &SignInProvider,
) -> Option<CoreProviderMetadata> {
    let issuer = IssuerUrl::new(provider.issuer.to_string()).ok()?;
    let found = CoreProviderMetadata::discover_async(issuer, http).await;
    let found = found.inspect_err(|error| warn(provider, error)).ok()?;
    let found = leads_outside(&auth.caller, &found).then_some(found);
    found.inspect(|found| auth.known.keep(found))
}

/// True if users and codes are sent to public addresses alone.
fn leads_outside(caller: &ProviderCaller, metadata: &CoreProviderMetadata) -> bool {
    let token = metadata.token_endpoint().map(|url| url.as_str());
    let pages = [Some(metadata.authorization_endpoint().as_str()), token];
    let is_outside = |url: Option<&str>| url.is_some_and(|url| caller.may_call(url));
    pages.into_iter().all(is_outside)
}

async fn within<T>(read: impl Future<Output = T>) -> Result<T, SignInFault> {
    let read = tokio::time::timeout(PATIENCE, read).await;
    read.map_err(|_| SignInFault::ProviderUnavailable)
}

fn auth_type(metadata: &CoreProviderMetadata) -> AuthType {
    let methods = metadata.token_endpoint_auth_methods_supported();
    let takes = |method| methods.is_none_or(|all| all.contains(&method));
    if takes(CoreClientAuthMethod::ClientSecretBasic) {
        AuthType::BasicAuth
    } else {
        AuthType::RequestBody
    }
}

/// Logs a fault of a provider. The error names no secret and no token.
fn warn(provider: &SignInProvider, cause: &dyn fmt::Display) {
    let (organization, cause) = (provider.organization_id.get(), cause.to_string());
    tracing::warn!(
        organizationId = organization,
        cause,
        "a sign-in by the provider failed"
    );
}

/// The members of claims, as JSON has them.
fn members(claims: &impl Serialize) -> Map<String, Value> {
    match json!(claims) {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

fn text(claims: &Map<String, Value>, name: &str) -> Option<String> {
    claims.get(name)?.as_str().map(str::to_owned)
}

/// Returns an address that a client could send, too.
fn address(email: &Value) -> Option<Email> {
    let mut faults = Vec::new();
    Email::read(email, &mut Place::body(&mut faults))
}

/// Returns the user of verified claims.
fn user(provider: &SignInProvider, claims: &Map<String, Value>) -> ProviderUser {
    let email = claims.get("email").and_then(address);
    let named = text(claims, "preferred_username");
    let named = named.into_iter().chain(email.as_deref().map(str::to_owned));
    let usernames =
        named.flat_map(|name| [name.split('@').next().unwrap_or_default().to_owned(), name]);
    let groups = match claims.get(&*provider.groups_claim) {
        Some(Value::Array(groups)) => groups.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(group)) => vec![group.as_str()],
        _ => Vec::new(),
    };
    ProviderUser {
        sub: text(claims, "sub").unwrap_or_default(),
        email_verified: claims.get("email_verified") == Some(&Value::Bool(true)),
        email,
        full_name: text(claims, "name").and_then(|name| FullName::try_from(name).ok()),
        usernames: usernames
            .filter_map(|name| Username::try_from(name).ok())
            .collect(),
        groups: groups.into_iter().map(str::to_owned).collect(),
    }
}
