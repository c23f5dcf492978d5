//! Discovery documents and key sets of providers (OpenID Connect Discovery 1.0).

use ::http::{Request, StatusCode, header::ACCEPT};
use model::{
    base::{Id, OrganizationId},
    people::ProviderDiscovery,
};
use serde_json::{Map, Value};

use crate::{NoAnswer, ProviderCaller};

/// The most keys of a provider.
const MOST_KEYS: usize = 100;

/// The most bytes of a provider's keys, as JSON. The table keeps them in one item.
const MOST_KEY_BYTES: usize = 64 * 1024;

/// The most characters of a URL that a provider states.
const LONGEST_URL: usize = 2_000;

/// The types of keys without a shared secret (RFC 7518, RFC 8037).
const PUBLIC_TYPES: [&str; 3] = ["RSA", "EC", "OKP"];

/// The members of a key that verify a signature (RFC 7517, RFC 7518).
const KEY_MEMBERS: [&str; 9] = ["kty", "kid", "use", "alg", "crv", "x", "y", "n", "e"];

/// The reason why a discovery document or a key set does not serve sign-ins. Admins see it.
#[derive(Debug, thiserror::Error)]
pub enum DiscoveryFault {
    #[error("The provider states the issuer {stated}. Send that one.")]
    OtherIssuer { stated: String },
    #[error("There is no answer from {url}: {cause}.")]
    NoAnswer { url: String, cause: NoAnswer },
    #[error("The answer of {url} has the status {status}.")]
    Status { url: String, status: StatusCode },
    #[error("The answer of {url} is not a JSON object.")]
    NoObject { url: String },
    #[error("The answer of {url} has no `{member}` that can be used.")]
    Member { url: String, member: &'static str },
    #[error("The `{member}` of {url} leads outside of the public internet.")]
    NotPublic { url: String, member: &'static str },
    #[error("The answer of {url} has more than 100 keys, or more than 64 KiB of them.")]
    TooManyKeys { url: String },
}

impl DiscoveryFault {
    /// True if the provider did not answer. False if it answered something that cannot be used.
    pub fn is_read_error(&self) -> bool {
        match self {
            Self::NoAnswer { .. } => true,
            Self::Status { status, .. } => status.is_server_error(),
            _ => false,
        }
    }

    /// Logs the fault of an organization's provider. It names no secret.
    pub fn log(&self, organization: OrganizationId) {
        let organization = organization.get();
        let cause = self.to_string();
        tracing::warn!(
            organizationId = organization,
            cause,
            "reading a provider's discovery document failed"
        );
    }
}

impl ProviderCaller {
    /// Reads an issuer's discovery document and its keys, in up to eight seconds. Ignores members
    /// that sign-ins do not need, whatever their types.
    pub async fn discover(&self, issuer: &str) -> Result<ProviderDiscovery, DiscoveryFault> {
        let url = format!(
            "{}/.well-known/openid-configuration",
            issuer.trim_end_matches('/')
        );
        let document = Document {
            members: self.object(&url).await?,
            url,
        };
        let stated = document.text("issuer")?;
        if stated != issuer {
            let stated = stated.chars().take(200).collect();
            return Err(DiscoveryFault::OtherIssuer { stated });
        }
        let mut discovery = ProviderDiscovery {
            issuer: stated,
            authorization_endpoint: self.public(&document, "authorization_endpoint")?,
            token_endpoint: self.public(&document, "token_endpoint")?,
            userinfo_endpoint: self
                .public(&document, "userinfo_endpoint")
                .ok(),
            jwks_uri: self.public(&document, "jwks_uri")?,
            lists_groups: document.lists("scopes_supported", "groups"),
            secret_in_body: document.takes_secret_in_body(),
            names_issuer: document.is_true("authorization_response_iss_parameter_supported"),
            keys: Vec::new(),
        };
        discovery.keys = self.keys(&discovery.jwks_uri).await?;
        Ok(discovery)
    }

    async fn keys(&self, url: &str) -> Result<Vec<Value>, DiscoveryFault> {
        let mut members = self.object(url).await?;
        let url = || url.to_owned();
        let Some(Value::Array(keys)) = members.remove("keys") else {
            let member = "keys";
            return Err(DiscoveryFault::Member { url: url(), member });
        };
        let keys: Vec<Value> = keys
            .into_iter()
            .filter_map(public_key)
            .collect();
        let bytes: usize = keys
            .iter()
            .map(|key| key.to_string().len())
            .sum();
        if keys.len() > MOST_KEYS || bytes > MOST_KEY_BYTES {
            return Err(DiscoveryFault::TooManyKeys { url: url() });
        }
        Ok(keys)
    }

    async fn object(&self, url: &str) -> Result<Map<String, Value>, DiscoveryFault> {
        let no_answer = |cause| DiscoveryFault::NoAnswer {
            url: url.to_owned(),
            cause,
        };
        let request = Request::get(url).header(ACCEPT, "application/json");
        let request = request.body(Vec::new());
        let request = request.map_err(|_| no_answer(NoAnswer::Address))?;
        let response = self
            .send(request)
            .await
            .map_err(no_answer)?;
        let status = response.status();
        let url = || url.to_owned();
        if status != StatusCode::OK {
            return Err(DiscoveryFault::Status { url: url(), status });
        }
        let members = serde_json::from_slice(response.body());
        members.map_err(|_| DiscoveryFault::NoObject { url: url() })
    }

    /// Returns a URL of the document to which users and codes are sent.
    fn public(&self, document: &Document, member: &'static str) -> Result<String, DiscoveryFault> {
        let stated = document.text(member)?;
        let url = document.url.clone();
        if self.may_call(&stated) {
            return Ok(stated);
        }
        Err(DiscoveryFault::NotPublic { url, member })
    }
}

/// A discovery document.
struct Document {
    url: String,
    members: Map<String, Value>,
}

impl Document {
    fn text(&self, member: &'static str) -> Result<String, DiscoveryFault> {
        let text = self
            .members
            .get(member)
            .and_then(Value::as_str);
        let text = text.filter(|text| !text.is_empty() && text.len() <= LONGEST_URL);
        text.map(str::to_owned)
            .ok_or_else(|| DiscoveryFault::Member {
                url: self.url.clone(),
                member,
            })
    }

    fn lists(&self, member: &str, wanted: &str) -> bool {
        let list = self
            .members
            .get(member)
            .and_then(Value::as_array);
        list.is_some_and(|list| list.iter().any(|value| value == wanted))
    }

    fn is_true(&self, member: &str) -> bool {
        self.members.get(member) == Some(&Value::Bool(true))
    }

    /// True if the provider takes the secret in a body and not in a header, which is the default.
    fn takes_secret_in_body(&self) -> bool {
        let member = "token_endpoint_auth_methods_supported";
        let takes = |method| self.lists(member, method);
        takes("client_secret_post") && !takes("client_secret_basic")
    }
}

/// Returns the members of a public key that verify a signature. None for a shared secret and for
/// another form.
fn public_key(key: Value) -> Option<Value> {
    let Value::Object(mut key) = key else {
        return None;
    };
    let kind = key.get("kty")?.as_str()?;
    if !PUBLIC_TYPES.contains(&kind) {
        return None;
    }
    key.retain(|name, value| KEY_MEMBERS.contains(&&**name) && value.is_string());
    Some(Value::Object(key))
}
