//! Calls of target systems ([`Targets`]), their responses ([`ResponseHead`]), and the secrets that
//! authenticate them ([`Secrets`]). Calls of webhooks ([`webhooks`]) and of providers
//! ([`ProviderCaller`]).

mod address;
mod body;
mod discovery;
mod http;
mod provider;
mod reader;
mod response;
mod secrets;
pub mod webhooks;

pub use discovery::DiscoveryFault;
pub use provider::{NoAnswer, ProviderCaller};
pub use response::{ResponseHead, broken_off};
pub use secrets::{NoSecret, Sealer, SecretOf, Secrets};

use std::{fmt, sync::Arc, time::Duration};

use agent::{
    check::ReadError,
    connection::{ApiCall, AuthScheme, BodyFormat, Connection, KeyPlace, ReadCounter},
};
use model::base::{Id, Stopwatch};
use reqwest::{
    Method, Request, RequestBuilder, Url,
    header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue},
};
use runtime::{Start, config::ConfigError, kms::Kms};
use secrecy::{ExposeSecret, SecretString};

use self::http::Http;

/// Calls connections. Cheap to clone; clones share cached secrets.
#[derive(Clone)]
pub struct Targets {
    http: Http,
    secrets: Secrets,
    /// Counts reads; none where they are not counted.
    counter: Option<Arc<dyn ReadCounter>>,
}

#[derive(Clone, Copy, Debug)]
pub struct Sending<'a> {
    /// The idempotency key; none for a call without one.
    pub key: Option<&'a str>,
    /// The timeout, from reading the secret to the end of the answer.
    pub timeout: Duration,
}

/// The reason why there is no response.
#[derive(Debug)]
pub enum NoResponse {
    /// Rejected before sending; a retry cannot help.
    Unsendable(String),
    /// Not sent; a retry may help.
    NotSent(String),
    /// Not sent: the connection to the system failed.
    Unreachable,
    /// Broken off; the call may have arrived.
    BrokenOff(reqwest::Error),
}

impl NoResponse {
    pub fn problem(&self) -> String {
        match self {
            Self::Unsendable(problem) | Self::NotSent(problem) => problem.clone(),
            Self::Unreachable => {
                "The target system cannot be reached; nothing was sent.".to_owned()
            }
            Self::BrokenOff(error) => broken_off(error),
        }
    }

    pub fn read_error(&self) -> ReadError {
        let problem = self.problem();
        match self {
            Self::Unsendable(_) => ReadError::for_good(problem),
            Self::NotSent(_) => ReadError::for_now(problem),
            Self::Unreachable | Self::BrokenOff(_) => ReadError::unclear(problem),
        }
    }
}

impl Targets {
    /// Creates a caller. `local` permits http and addresses of this machine and its network.
    pub fn new(secrets: Secrets, local: bool) -> Self {
        Self {
            http: Http::new(local),
            secrets,
            counter: None,
        }
    }

    /// Returns a caller whose reads count for the limits and breakers of their connections.
    #[must_use]
    pub fn counted_in(self, counter: impl ReadCounter + 'static) -> Self {
        Self {
            counter: Some(Arc::new(counter)),
            ..self
        }
    }

    /// Creates a caller from the environment: `LOCAL_TARGETS` (default `false`).
    pub fn of(start: &Start) -> Result<Self, ConfigError> {
        let local = start
            .environment
            .flag("LOCAL_TARGETS")?;
        Ok(Self::new(Secrets::new(Kms::new(&start.aws)?), local))
    }

    /// True if connections may use http and addresses of this machine and its network.
    pub const fn allows_local(&self) -> bool {
        self.http.allows_local
    }

    pub async fn send(
        &self,
        connection: &Connection,
        call: &ApiCall,
        sending: Sending<'_>,
    ) -> Result<ResponseHead, NoResponse> {
        let since = Stopwatch::start();
        let left = || {
            sending
                .timeout
                .saturating_sub(since.elapsed())
        };
        let (method, url) = self.target(connection, call)?;
        let detail = "There is no HTTP client; nothing was sent.";
        let no_client = || NoResponse::NotSent(detail.to_owned());
        let http = self
            .http
            .client()
            .ok_or_else(no_client)?;
        let secret = self.secret(connection, left()).await?;
        // A call that changes nothing carries no key.
        let key = sending.key.filter(|_| call.changes());
        let request = http.request(method, with_key(url, connection, key));
        let request = build(request, connection, call, key, secret.as_ref());
        let not_built = |_| NoResponse::Unsendable("The request could not be built.".to_owned());
        let request = request
            .timeout(left())
            .build()
            .map_err(not_built)?;
        answer(http, request, secret).await
    }

    /// Returns the method and URL of a call that is allowed and stays below the base URL.
    fn target(&self, connection: &Connection, call: &ApiCall) -> Result<(Method, Url), NoResponse> {
        let refused = |why: &str| NoResponse::Unsendable(format!("{} {why}", call.summary()));
        if !connection.allows(&call.method, &call.path) {
            return Err(refused("is not a call that the connection allows."));
        }
        if !(self.allows_local() || connection.base_url.is_public()) {
            return Err(refused("would leave the public internet."));
        }
        if let Some(why) = connection.key_taken(call) {
            return Err(NoResponse::Unsendable(format!("{why} Nothing was sent.")));
        }
        below(connection, call).ok_or_else(|| refused("does not stay below the base URL."))
    }

    async fn secret(
        &self,
        connection: &Connection,
        timeout: Duration,
    ) -> Result<Option<SecretString>, NoResponse> {
        let secret = tokio::time::timeout(timeout, self.secrets.of_connection(connection)).await;
        secret
            .unwrap_or(Err(NoSecret::Late))
            .map_err(|why| {
                let organization = connection.organization_id.get();
                tracing::warn!(organizationId = organization, connection = &*connection.name, %why);
                NoResponse::NotSent(format!("{why} Nothing was sent."))
            })
    }
}

impl fmt::Debug for Targets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Targets")
            .field("allows_local", &self.allows_local())
            .finish_non_exhaustive()
    }
}

fn below(connection: &Connection, call: &ApiCall) -> Option<(Method, Url)> {
    let method = Method::from_bytes(call.method.as_bytes()).ok()?;
    let base = Url::parse(&connection.base_url).ok()?;
    let below = base
        .path()
        .trim_end_matches('/')
        .to_owned()
        + &call.path;
    let mut url = base.clone();
    url.set_path(&below);
    if !call.query.is_empty() {
        url.query_pairs_mut()
            .extend_pairs(&call.query);
    }
    (url.path() == below && url.origin() == base.origin()).then_some((method, url))
}

/// Returns the URL with the key in its query, if the connection puts it there.
fn with_key(mut url: Url, connection: &Connection, key: Option<&str>) -> Url {
    if let (Some(keys), Some(key)) = (&connection.idempotency, key)
        && keys.r#in == KeyPlace::Query
    {
        url.query_pairs_mut()
            .append_pair(&keys.name, key);
    }
    url
}

/// Builds the request of a call. A key in the query is already in the URL.
fn build(
    mut request: RequestBuilder,
    connection: &Connection,
    call: &ApiCall,
    key: Option<&str>,
    secret: Option<&SecretString>,
) -> RequestBuilder {
    for header in &connection.headers {
        request = request.header(&*header.name, &*header.value);
    }
    if let Some(secret) = secret {
        request = authorized(request, connection, secret.expose_secret());
    }
    let mut body = call
        .body
        .as_ref()
        .map(|body| body.0.clone().0);
    if let (Some(keys), Some(key)) = (&connection.idempotency, key) {
        match keys.r#in {
            KeyPlace::Header => request = request.header(&*keys.name, key),
            KeyPlace::Query => {}
            KeyPlace::Body => {
                let members = body.get_or_insert_default();
                members.insert(keys.name.to_string(), key.into());
            }
        }
    }
    match (body, connection.body) {
        (None, _) => request,
        (Some(body), BodyFormat::Json) => request.json(&body),
        (Some(body), BodyFormat::Form) => request
            .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(body::form(&body)),
    }
}

fn authorized(request: RequestBuilder, connection: &Connection, secret: &str) -> RequestBuilder {
    let auth = &connection.auth;
    match (auth.scheme, &auth.header) {
        (AuthScheme::Header, Some(name)) => match HeaderValue::from_str(secret) {
            Ok(mut value) => {
                value.set_sensitive(true);
                request.header(&**name, value)
            }
            // The builder then reports that the request is invalid.
            Err(_) => request.header(&**name, secret),
        },
        (AuthScheme::Basic, _) => match &auth.username {
            Some(username) => request.basic_auth(&**username, Some(secret)),
            None => request.basic_auth(secret, Some("")),
        },
        (AuthScheme::Bearer | AuthScheme::Header, _) => request.bearer_auth(secret),
    }
}

async fn answer(
    http: &reqwest::Client,
    request: Request,
    secret: Option<SecretString>,
) -> Result<ResponseHead, NoResponse> {
    // An answer may repeat the second part of `Basic aHVzaDo=`.
    let authorization = request.headers().get(AUTHORIZATION);
    let credentials = authorization
        .and_then(|value| value.to_str().ok()?.split_once(' '))
        .map(|(_, credentials)| SecretString::from(credentials.to_owned()));
    let response = http
        .execute(request)
        .await
        .map_err(|error| match error {
            error if error.is_connect() => NoResponse::Unreachable,
            error => NoResponse::BrokenOff(error),
        })?;
    let secrets = secret
        .into_iter()
        .chain(credentials)
        .collect();
    Ok(ResponseHead { response, secrets })
}

#[cfg(test)]
mod tests;
