//! Settings. No other file reads the environment. A missing or malformed setting fails the start
//! with an error that names it.

pub use crate::{
    aws::{Patience, timeouts},
    config_error::ConfigError,
};

use std::{collections::HashMap, fmt, sync::Arc, time::Duration};

use aws_types::SdkConfig;
use http::HeaderName;
use model::{base::Cell, people::WebUrl};
use secrecy::{ExposeSecret, SecretString};

use crate::kms::{Context, Kms};

/// The ciphertexts of a deployed function, which thus has no secret in its environment. A function
/// has those that it uses, and decrypts each once at start.
const ENCRYPTED: [Encrypted; 5] = [
    Encrypted {
        name: "ENCRYPTED_SESSION_SECRETS",
        context: &[("purpose", "session")],
        secrets: &["SESSION_SECRETS", "PROXY_SECRETS"],
    },
    Encrypted {
        name: "ENCRYPTED_LINK_SECRETS",
        context: &[("purpose", "link")],
        secrets: &["LINK_SECRETS"],
    },
    Encrypted {
        name: "ENCRYPTED_WEBHOOK_SECRETS",
        context: &[("purpose", "webhook")],
        secrets: &["WEBHOOK_SECRETS"],
    },
    Encrypted {
        name: "ENCRYPTED_CHECK_SECRETS",
        context: &[("purpose", "check")],
        secrets: &["CHECK_USERNAME", "CHECK_PASSWORD"],
    },
    Encrypted {
        name: "ENCRYPTED_MAIL_SECRETS",
        context: &[("purpose", "mail")],
        secrets: &["MAIL_URL"],
    },
];

/// A ciphertext of lines such as `SESSION_SECRETS=…`.
struct Encrypted {
    /// Its variable.
    name: &'static str,
    /// Its encryption context: no role decrypts the secrets of another purpose.
    context: Context<'static>,
    /// The variables of its lines.
    secrets: &'static [&'static str],
}

/// A required variable, and its purpose for the error if it is absent.
pub type Setting = (&'static str, &'static str);

/// The queues, by the variables with their URLs.
pub const ACTIONS: Setting = ("QUEUE_URL", "the SQS queue of approved actions");
pub const WEBHOOKS: Setting = ("WEBHOOK_QUEUE_URL", "the SQS queue of webhook deliveries");
pub const MAILS: Setting = ("MAIL_QUEUE_URL", "the SQS queue of mails");
pub const SWEEPS: Setting = ("SWEEP_QUEUE_URL", "the SQS queue of the sweeper");
pub const DEAD_CHANGES: Setting = (
    "CHANGE_DEAD_LETTER_QUEUE_URL",
    "the SQS queue of changes that were set aside",
);

/// The variable with the sender of mails.
const MAIL_FROM: &str = "MAIL_FROM";

impl Encrypted {
    async fn decrypted(
        &self,
        ciphertext: &str,
        aws: &SdkConfig,
    ) -> Result<Vec<(String, String)>, ConfigError> {
        let decrypted = Kms::at_start(aws)?
            .decrypt(ciphertext, self.context)
            .await;
        let text = decrypted.map_err(|error| ConfigError::Encrypted {
            name: self.name,
            problem: error.to_string(),
        })?;
        let lines = text
            .expose_secret()
            .lines()
            .map(|line| {
                let (name, value) = line.split_once('=').unwrap_or_default();
                self.secrets
                    .contains(&name)
                    .then(|| (name.to_owned(), value.to_owned()))
            });
        lines
            .collect::<Option<_>>()
            .ok_or_else(|| {
                let names = self.secrets.join("=… and ");
                ConfigError::malformed(self.name, format!("no list of lines with {names}=…"))
            })
    }
}

/// Environment variables of the process, or of a test.
#[derive(Clone, Default)]
pub struct Environment(HashMap<String, String>);

/// Shows names only, since values may be secrets.
impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set()
            .entries(self.0.keys())
            .finish()
    }
}

impl Environment {
    pub fn process() -> Self {
        #[expect(
            clippy::disallowed_methods,
            reason = "no other code reads the environment"
        )]
        Self(std::env::vars().collect())
    }

    /// Adds the secrets of each of [`ENCRYPTED`] that is set, by one request each.
    pub(crate) async fn with_secrets(mut self, aws: &SdkConfig) -> Result<Self, ConfigError> {
        let set = ENCRYPTED.iter().filter_map(|setting| {
            let ciphertext = self.optional(setting.name)?;
            Some(setting.decrypted(ciphertext, aws))
        });
        for secrets in futures::future::try_join_all(set).await? {
            self.0.extend(secrets);
        }
        Ok(self)
    }

    /// Returns a required variable. `purpose` describes it in the error if it is absent.
    pub fn required(&self, name: &'static str, purpose: &'static str) -> Result<&str, ConfigError> {
        let missing = ConfigError::Missing(name, purpose);
        self.optional(name).ok_or(missing)
    }

    /// Returns a variable, trimmed; an empty one counts as absent.
    pub fn optional(&self, name: &str) -> Option<&str> {
        let value = self.0.get(name)?.trim();
        (!value.is_empty()).then_some(value)
    }

    /// Returns a variable that is `true` or `false`; `false` when absent.
    pub fn flag(&self, name: &'static str) -> Result<bool, ConfigError> {
        match self.optional(name) {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(other) => {
                let problem = format!("{other:?}; expected true or false");
                Err(ConfigError::malformed(name, problem))
            }
        }
    }

    /// Returns a variable in whole seconds, at least one; `default` when absent.
    pub fn seconds(&self, name: &'static str, default: u64) -> Result<Duration, ConfigError> {
        let Some(text) = self.optional(name) else {
            return Ok(Duration::from_secs(default));
        };
        match text.parse() {
            Ok(seconds) if seconds > 0 => Ok(Duration::from_secs(seconds)),
            _ => {
                let problem = format!("{text:?}; expected a whole number of seconds, at least 1");
                Err(ConfigError::malformed(name, problem))
            }
        }
    }

    /// Returns a comma-separated list; empty when absent.
    pub fn list(&self, name: &str) -> Vec<String> {
        let parts = self
            .optional(name)
            .unwrap_or_default()
            .split(',');
        let parts = parts.map(|part| part.trim().to_owned());
        parts
            .filter(|part| !part.is_empty())
            .collect()
    }
}

#[cfg(test)]
impl Environment {
    pub(crate) fn of(variables: &[(&str, &str)]) -> Self {
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        variables.iter().map(owned).collect()
    }
}

impl FromIterator<(String, String)> for Environment {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(variables: I) -> Self {
        Self(variables.into_iter().collect())
    }
}

/// The secrets that sign session cookies, or the sources of webhooks' secrets; at least one.
#[derive(Clone, Debug)]
pub struct SigningSecrets {
    pub first: SecretString,
    /// Older secrets. They only verify cookies, so that a rotation signs no user out.
    pub older: Vec<SecretString>,
}

impl SigningSecrets {
    /// Takes secrets, newest first. `None` if there is none.
    pub fn new(secrets: impl IntoIterator<Item = String>) -> Option<Self> {
        let mut secrets = secrets
            .into_iter()
            .map(SecretString::from);
        Some(Self {
            first: secrets.next()?,
            older: secrets.collect(),
        })
    }

    /// The fewest characters of a secret. `openssl rand -hex 32` writes 64.
    pub const LEAST: usize = 32;

    /// Reads a comma-separated list, newest first. `purpose` describes it in the error if it is
    /// empty. A secret of fewer than 32 characters is an error: whoever guesses it signs as the
    /// service.
    fn read(
        environment: &Environment,
        name: &'static str,
        purpose: &'static str,
    ) -> Result<Self, ConfigError> {
        let secrets = environment.list(name);
        let is_short = |secret: &String| secret.chars().count() < Self::LEAST;
        if let Some(place) = secrets.iter().position(is_short) {
            let least = Self::LEAST;
            let problem = format!(
                "a list whose secret {} of {} has fewer than {least} characters. Put a new one first, such as that \
                 of `openssl rand -hex 32`, and drop the short one",
                place + 1,
                secrets.len(),
            );
            return Err(ConfigError::malformed(name, problem));
        }
        Self::new(secrets).ok_or(ConfigError::Missing(name, purpose))
    }

    /// Returns all secrets that verify, newest first.
    pub fn all(&self) -> impl Iterator<Item = &SecretString> {
        std::iter::once(&self.first).chain(&self.older)
    }
}

/// The pages and schemes for which browsers send the session cookie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CookieScope {
    /// Pages of the same site, over http as well: `SameSite=Lax` without `Secure`.
    PlainHttp,
    /// Pages of the same site, over https: `SameSite=Lax; Secure`.
    SameSite,
    /// Pages of all sites, over https: `SameSite=None; Secure; Partitioned`. The allowed origins
    /// decide which pages may use it. A partitioned cookie is stored per visited site, and browsers
    /// accept it even if they refuse other third-party cookies.
    AnySite,
}

impl CookieScope {
    /// Reads `PLAIN_HTTP` (`true` if clients use http; `false` by default) and `COOKIE_SAME_SITE`
    /// (`lax` or `none`; `lax` by default). Browsers drop a `SameSite=None` cookie without
    /// `Secure`, so `true` and `none` together are an error.
    pub fn read(environment: &Environment) -> Result<Self, ConfigError> {
        const NAME: &str = "COOKIE_SAME_SITE";
        let plain_http = environment.flag("PLAIN_HTTP")?;
        match (environment.optional(NAME), plain_http) {
            (None | Some("lax"), true) => Ok(Self::PlainHttp),
            (None | Some("lax"), false) => Ok(Self::SameSite),
            (Some("none"), false) => Ok(Self::AnySite),
            (Some("none"), true) => Err(ConfigError::malformed(
                NAME,
                "none, which needs https, but PLAIN_HTTP is true: browsers drop such a cookie",
            )),
            (Some(other), _) => {
                let problem = format!("{other:?}; expected lax or none");
                Err(ConfigError::malformed(NAME, problem))
            }
        }
    }
}

#[derive(Clone, Debug)]
pub struct ApiConfig {
    /// `TABLE_NAME`: the table.
    pub table: String,
    /// `CELL`: the cell of tokens and session ids.
    pub cell: Cell,
    /// `SESSION_SECRETS`: comma-separated; the first signs, all verify.
    pub session_secrets: SigningSecrets,
    /// `LINK_SECRETS`: as those of sessions, for the links of mails. None in a function that has no
    /// links.
    pub link_secrets: Option<SigningSecrets>,
    /// `PLAIN_HTTP` and `COOKIE_SAME_SITE`: scope of the session cookie.
    pub cookie_scope: CookieScope,
    /// `ALLOWED_ORIGINS`: comma-separated origins of web clients on other hosts.
    pub allowed_origins: Vec<String>,
    /// True if `MAIL_FROM` is set: the deployment sends mail.
    pub sends_mail: bool,
    /// `CLIENT_ADDRESS_HEADER` and `PROXY_SECRETS`: the proxy that names the client's address.
    pub proxy: Option<TrustedProxy>,
    /// `PAUSED`: true if nothing is written.
    pub is_paused: bool,
}

/// A proxy before the API, whose requests have one of the secrets.
#[derive(Clone, Debug)]
pub struct TrustedProxy {
    /// The header in which it names the client's address.
    pub address_header: HeaderName,
    /// The values of its [`SECRET_HEADER`](Self::SECRET_HEADER). Several, so that a rotation has no
    /// gap.
    pub secrets: SigningSecrets,
}

impl ApiConfig {
    pub fn read(environment: &Environment) -> Result<Self, ConfigError> {
        Ok(Self {
            session_secrets: session_secrets(environment)?,
            link_secrets: link_secrets(environment)?,
            table: table(environment)?,
            cell: cell(environment)?,
            cookie_scope: CookieScope::read(environment)?,
            allowed_origins: allowed_origins(environment)?,
            sends_mail: sends_mail(environment),
            proxy: TrustedProxy::read(environment)?,
            is_paused: environment.flag("PAUSED")?,
        })
    }
}

/// Reads `ALLOWED_ORIGINS`: comma-separated origins. One of http is an error unless it is of this
/// machine, or `PLAIN_HTTP` is true. Anyone on the way to such a page could change it, and act for
/// its users.
fn allowed_origins(environment: &Environment) -> Result<Vec<String>, ConfigError> {
    const NAME: &str = "ALLOWED_ORIGINS";
    let origins = environment.list(NAME);
    let is_plain = environment.flag("PLAIN_HTTP")?;
    let is_refused = |origin: &&String| !(is_plain || is_safe(origin));
    let Some(refused) = origins.iter().find(is_refused) else {
        return Ok(origins);
    };
    let problem =
        format!("a list with {refused:?}; expected https, or http://localhost with a port");
    Err(ConfigError::malformed(NAME, problem))
}

/// Returns true for an origin of https, and for one of this machine.
fn is_safe(origin: &str) -> bool {
    let of_http = origin
        .strip_prefix("http://")
        .map(|authority| {
            let host = authority
                .split(':')
                .next()
                .unwrap_or_default();
            host == "127.0.0.1" || host.rsplit('.').next() == Some("localhost")
        });
    of_http.unwrap_or_else(|| origin.starts_with("https://"))
}

impl ApiConfig {
    /// Returns the secrets of links. Those of sessions come last: earlier releases signed links
    /// with them.
    pub fn secrets_of_links(&self) -> SigningSecrets {
        let Some(links) = &self.link_secrets else {
            return self.session_secrets.clone();
        };
        let mut secrets = links.clone();
        secrets
            .older
            .extend(self.session_secrets.all().cloned());
        secrets
    }
}

/// Reads `CELL`: 1 to 8 letters or digits; cell 0 when absent.
fn cell(environment: &Environment) -> Result<Cell, ConfigError> {
    const NAME: &str = "CELL";
    let Some(name) = environment.optional(NAME) else {
        return Ok(Cell::default());
    };
    let problem = || format!("{name:?}; expected 1 to 8 letters or digits");
    Cell::new(name).ok_or_else(|| ConfigError::malformed(NAME, problem()))
}

/// Reads `SESSION_SECRETS`: comma-separated; the first signs, all verify.
pub fn session_secrets(environment: &Environment) -> Result<SigningSecrets, ConfigError> {
    let purpose = "the secrets that sign session cookies, comma-separated, the newest first";
    SigningSecrets::read(environment, "SESSION_SECRETS", purpose)
}

/// Reads `LINK_SECRETS`: comma-separated; the first signs, all verify. An error if they are absent
/// in a function that knows the sender of mails.
pub fn link_secrets(environment: &Environment) -> Result<Option<SigningSecrets>, ConfigError> {
    const NAME: &str = "LINK_SECRETS";
    if environment.optional(NAME).is_none() && !sends_mail(environment) {
        return Ok(None);
    }
    let purpose = "the secrets that sign the links of mails, comma-separated, the newest first";
    SigningSecrets::read(environment, NAME, purpose).map(Some)
}

/// The URL of the API and the desk, without a slash at its end.
#[derive(Clone, Debug)]
pub struct ApiUrl(Arc<str>);

impl ApiUrl {
    pub fn new(url: &str) -> Self {
        Self(url.trim_end_matches('/').into())
    }

    /// Reads `API_URL`.
    pub fn read(environment: &Environment) -> Result<Self, ConfigError> {
        let url = environment.required("API_URL", "the URL of the API and the desk, for links")?;
        Ok(Self::new(url))
    }

    pub fn text(&self) -> &str {
        &self.0
    }

    /// Returns the address of an organization's desk, without a slash at its end: its own, or that
    /// of the deployment.
    pub fn web_url<'a>(&'a self, own: Option<&'a WebUrl>) -> &'a str {
        own.map_or(&*self.0, |own| own.trim_end_matches('/'))
    }
}

/// Returns true if `MAIL_FROM` is set: the deployment sends mail.
pub fn sends_mail(environment: &Environment) -> bool {
    environment
        .optional(MAIL_FROM)
        .is_some()
}

impl TrustedProxy {
    /// The header with the proxy's secret.
    pub const SECRET_HEADER: HeaderName = HeaderName::from_static("x-proxy-secret");

    fn read(environment: &Environment) -> Result<Option<Self>, ConfigError> {
        const NAME: &str = "CLIENT_ADDRESS_HEADER";
        let Some(name) = environment.optional(NAME) else {
            return Ok(None);
        };
        let problem = || format!("{name:?}; expected the name of a header");
        let malformed = |_| ConfigError::malformed(NAME, problem());
        let purpose = "the secrets by which the proxy proves itself, comma-separated";
        Ok(Some(Self {
            address_header: HeaderName::try_from(name).map_err(malformed)?,
            secrets: SigningSecrets::read(environment, "PROXY_SECRETS", purpose)?,
        }))
    }
}

/// Reads `SECURITY_CONTACT`: where people report vulnerabilities, as a URL such as `mailto:…`.
pub fn security_contact(environment: &Environment) -> Option<String> {
    environment
        .optional("SECURITY_CONTACT")
        .map(str::to_owned)
}

pub fn table(environment: &Environment) -> Result<String, ConfigError> {
    let name = environment.required("TABLE_NAME", "the DynamoDB table")?;
    Ok(name.to_owned())
}

/// Reads `WEBHOOK_SECRETS`: comma-separated. The secrets of webhooks follow from the first; all
/// sign.
pub fn webhook_secrets(environment: &Environment) -> Result<SigningSecrets, ConfigError> {
    let purpose =
        "the secrets from which those of webhooks follow, comma-separated, the newest first";
    SigningSecrets::read(environment, "WEBHOOK_SECRETS", purpose)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_has_1_to_8_letters_or_digits() {
        let read = |name: &str| cell(&Environment::of(&[("CELL", name)]));
        assert_eq!(read("").unwrap(), Cell::default());
        assert_eq!(read("eu1").unwrap().to_string(), "eu1");
        let refused = read("eu_1").unwrap_err().to_string();
        assert!(refused.contains("CELL"), "{refused}");
    }

    #[test]
    fn a_proxy_has_the_name_of_a_header_and_a_secret() {
        let proxy = |header: &str, secrets: &str| {
            let header = ("CLIENT_ADDRESS_HEADER", header);
            TrustedProxy::read(&Environment::of(&[header, ("PROXY_SECRETS", secrets)]))
        };
        let [new, old] = ["n", "o"].map(|letter| letter.repeat(SigningSecrets::LEAST));
        assert!(proxy("", &new).unwrap().is_none());
        let both = format!("{new},{old}");
        let trusted = proxy("X-Forwarded-For", &both)
            .unwrap()
            .unwrap();
        assert_eq!(trusted.address_header, "x-forwarded-for");
        assert_eq!(trusted.secrets.all().count(), 2);
        for (header, secrets, named) in [
            ("X Forwarded", &*new, "CLIENT_ADDRESS_HEADER"),
            ("X-Forwarded-For", "", "PROXY_SECRETS"),
            ("X-Forwarded-For", "hush", "PROXY_SECRETS"),
        ] {
            let refused = proxy(header, secrets)
                .unwrap_err()
                .to_string();
            assert!(refused.contains(named), "{refused}");
        }
    }

    #[test]
    fn a_secret_that_can_be_guessed_fails_the_start() {
        let good = "s".repeat(SigningSecrets::LEAST);
        let short = "s".repeat(SigningSecrets::LEAST - 1);
        let names = ["SESSION_SECRETS", "WEBHOOK_SECRETS"];
        for (name, read) in names
            .into_iter()
            .zip([session_secrets, webhook_secrets])
        {
            let read = |secrets: &str| read(&Environment::of(&[(name, secrets)]));
            assert_eq!(
                read(&format!("{good}, {good}"))
                    .unwrap()
                    .all()
                    .count(),
                2
            );
            for (secrets, place) in [(short.clone(), "1 of 1"), (format!("{good},x"), "2 of 2")] {
                let refused = read(&secrets).unwrap_err().to_string();
                for part in [name, place, "32 characters", "openssl rand -hex 32"] {
                    assert!(refused.contains(part), "{refused}");
                }
                assert!(!refused.contains(&short), "{refused}");
            }
        }
    }

    #[test]
    fn an_allowed_origin_is_of_https_or_of_this_machine() {
        let read = |origins: &str, plain: &str| {
            let variables = [("ALLOWED_ORIGINS", origins), ("PLAIN_HTTP", plain)];
            allowed_origins(&Environment::of(&variables))
        };
        let good = "https://app.example.com, http://localhost:5173,http://app.localhost,http://127.0.0.1:80";
        assert_eq!(read(good, "false").unwrap().len(), 4);
        assert_eq!(read("", "false").unwrap(), [""; 0]);
        for bad in [
            "http://app.example.com",
            "http://localhost.example.com",
            "http://evil-localhost",
            "app.example",
        ] {
            let refused = read(&format!("https://app.example.com,{bad}"), "").unwrap_err();
            let refused = refused.to_string();
            assert!(
                refused.contains("ALLOWED_ORIGINS") && refused.contains(bad),
                "{refused}"
            );
            assert_eq!(read(bad, "true").unwrap(), [bad]);
        }
    }

    #[test]
    fn a_sender_of_mails_needs_secrets_of_links() {
        let sender = ("MAIL_FROM", "no-reply@example.com");
        let secrets = ("LINK_SECRETS", "a secret that signs the links of mails");
        assert!(
            link_secrets(&Environment::of(&[]))
                .unwrap()
                .is_none()
        );
        assert!(
            link_secrets(&Environment::of(&[secrets]))
                .unwrap()
                .is_some()
        );
        assert!(
            link_secrets(&Environment::of(&[sender, secrets]))
                .unwrap()
                .is_some()
        );
        let refused = link_secrets(&Environment::of(&[sender])).unwrap_err();
        assert!(
            refused
                .to_string()
                .contains("LINK_SECRETS"),
            "{refused}"
        );
    }

    #[test]
    fn the_cookie_is_of_the_same_site_unless_it_is_said_otherwise() {
        let same_site = |value| ("COOKIE_SAME_SITE", value);
        let plain = ("PLAIN_HTTP", "true");
        for (variables, scope) in [
            (&[][..], Ok(CookieScope::SameSite)),
            (&[same_site("lax")], Ok(CookieScope::SameSite)),
            (&[plain], Ok(CookieScope::PlainHttp)),
            (&[same_site("none")], Ok(CookieScope::AnySite)),
            (&[same_site("none"), plain], Err("PLAIN_HTTP is true")),
            (&[same_site("strict")], Err("expected lax or none")),
        ] {
            let read = CookieScope::read(&Environment::of(variables));
            match (read, scope) {
                (Ok(read), Ok(scope)) => assert_eq!(read, scope, "{variables:?}"),
                (Err(refused), Err(says)) => {
                    let refused = refused.to_string();
                    assert!(refused.contains("COOKIE_SAME_SITE"), "{refused}");
                    assert!(refused.contains(says), "{refused}");
                }
                (read, _) => panic!("{variables:?}: {read:?}"),
            }
        }
    }
}
