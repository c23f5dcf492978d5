//! The only place that reads the environment. A missing or malformed setting is named in the
//! error, at start.

use std::{collections::HashMap, fmt, time::Duration};

use aws_config::{BehaviorVersion, SdkConfig, retry::RetryConfig, timeout::TimeoutConfig};
use secrecy::SecretString;

use crate::parameter_store;

/// A setting that is missing or does not read.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// It must be set.
    #[error("the environment variable {0} is not set: {1}")]
    Missing(&'static str, &'static str),
    /// It is set to something else than it should be.
    #[error("the environment variable {name} is {problem}")]
    Malformed {
        /// Which one.
        name: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// It names a parameter of the parameter store that cannot be read.
    #[error("the parameters {names} cannot be read: {problem}")]
    Parameters {
        /// Their names.
        names: String,
        /// What is wrong with them; never a value.
        problem: String,
    },
}

/// The settings that are secret. Each is its environment variable or, where that is absent, the
/// parameter of AWS Systems Manager (a `SecureString`) that `<variable>_PARAMETER` names, so that
/// a deployed function has no secret in its environment.
const SECRETS: [&str; 1] = ["SESSION_SECRETS"];

/// Environment variables: the process's, or a test's own.
#[derive(Clone)]
pub struct Environment(HashMap<String, String>);

/// Values may be secrets: they have no place in a log.
impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl Environment {
    /// The variables of this process.
    #[must_use]
    pub fn process() -> Self {
        #[expect(
            clippy::disallowed_methods,
            reason = "this is the one place that reads it"
        )]
        Self(std::env::vars().collect())
    }

    /// With the secrets that their variables do not hold.
    pub(crate) async fn with_secrets(mut self, aws: &SdkConfig) -> Result<Self, ConfigError> {
        let wanted: HashMap<String, &str> = SECRETS
            .into_iter()
            .filter(|name| self.optional(name).is_none())
            .filter_map(|name| {
                let parameter = self.optional(&format!("{name}_PARAMETER"))?;
                Some((parameter.to_owned(), name))
            })
            .collect();
        if wanted.is_empty() {
            return Ok(self);
        }
        let unreadable = |problem: String| ConfigError::Parameters {
            names: wanted.keys().cloned().collect::<Vec<_>>().join(", "),
            problem,
        };
        let names = wanted.keys().cloned().collect();
        let values = parameter_store::read(aws, names)
            .await
            .map_err(unreadable)?;
        for (parameter, value) in values {
            if let Some(variable) = wanted.get(&parameter) {
                self.0.insert((*variable).to_owned(), value);
            }
        }
        Ok(self)
    }

    /// A variable that must be set; `purpose` says what for.
    pub fn required(&self, name: &'static str, purpose: &'static str) -> Result<&str, ConfigError> {
        self.optional(name)
            .ok_or(ConfigError::Missing(name, purpose))
    }

    /// A variable that may be absent; an empty one counts as absent.
    #[must_use]
    pub fn optional(&self, name: &str) -> Option<&str> {
        self.0
            .get(name)
            .map(|value| value.trim())
            .filter(|value| !value.is_empty())
    }

    /// A variable that is `true` or `false`, and `false` when absent.
    pub fn flag(&self, name: &'static str) -> Result<bool, ConfigError> {
        match self.optional(name) {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(other) => Err(ConfigError::Malformed {
                name,
                problem: format!("{other:?}; expected true or false"),
            }),
        }
    }

    /// A whole number of seconds, at least one.
    pub fn seconds(&self, name: &'static str, default: u64) -> Result<Duration, ConfigError> {
        let Some(text) = self.optional(name) else {
            return Ok(Duration::from_secs(default));
        };
        match text.parse() {
            Ok(seconds) if seconds > 0 => Ok(Duration::from_secs(seconds)),
            _ => Err(ConfigError::Malformed {
                name,
                problem: format!("{text:?}; expected a whole number of seconds, at least 1"),
            }),
        }
    }

    /// A comma-separated list; empty when absent.
    #[must_use]
    pub fn list(&self, name: &str) -> Vec<String> {
        self.optional(name)
            .unwrap_or_default()
            .split(',')
            .map(|part| part.trim().to_owned())
            .filter(|part| !part.is_empty())
            .collect()
    }
}

impl FromIterator<(String, String)> for Environment {
    fn from_iter<I: IntoIterator<Item = (String, String)>>(variables: I) -> Self {
        Self(variables.into_iter().collect())
    }
}

/// The secrets that sign session cookies, of which there is always one.
#[derive(Clone, Debug)]
pub struct SigningSecrets {
    /// Signs, and verifies.
    pub first: SecretString,
    /// Verify only, so that secrets can rotate without signing anyone out.
    pub older: Vec<SecretString>,
}

impl SigningSecrets {
    /// From the newest on; `None` when there is none.
    pub fn new(secrets: impl IntoIterator<Item = String>) -> Option<Self> {
        let mut secrets = secrets.into_iter().map(SecretString::from);
        Some(Self {
            first: secrets.next()?,
            older: secrets.collect(),
        })
    }

    /// All that verify.
    pub fn all(&self) -> impl Iterator<Item = &SecretString> {
        std::iter::once(&self.first).chain(&self.older)
    }
}

/// Which pages' requests browsers send the session's cookie along with, and over what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CookieScope {
    /// Those of pages of the same site, over http as well: `SameSite=Lax` without `Secure`.
    PlainHttp,
    /// Those of pages of the same site, over https: `SameSite=Lax; Secure`.
    SameSite,
    /// Those of all pages, over https: `SameSite=None; Secure; Partitioned`. Which pages may then
    /// use it, the list of allowed origins says; partitioned, it is one per site that the person
    /// visits, which browsers keep that refuse other cookies of third parties.
    AnySite,
}

impl CookieScope {
    /// Of `PLAIN_HTTP` (`false`), `true` where clients use http, and `COOKIE_SAME_SITE` (`lax`), `lax`
    /// or `none`. Browsers drop a cookie of all pages that is not `Secure`, so the two exclude each
    /// other.
    pub fn read(environment: &Environment) -> Result<Self, ConfigError> {
        const NAME: &str = "COOKIE_SAME_SITE";
        let malformed = |problem| ConfigError::Malformed {
            name: NAME,
            problem,
        };
        let plain_http = environment.flag("PLAIN_HTTP")?;
        match (environment.optional(NAME), plain_http) {
            (None | Some("lax"), true) => Ok(Self::PlainHttp),
            (None | Some("lax"), false) => Ok(Self::SameSite),
            (Some("none"), false) => Ok(Self::AnySite),
            (Some("none"), true) => Err(malformed(
                "none, which needs https, but PLAIN_HTTP is true: browsers drop such a cookie"
                    .to_owned(),
            )),
            (Some(other), _) => Err(malformed(format!("{other:?}; expected lax or none"))),
        }
    }
}

/// The settings of every API function.
#[derive(Clone, Debug)]
pub struct ApiConfig {
    /// `TABLE_NAME`: the table.
    pub table: String,
    /// `SESSION_SECRETS`: comma-separated; the first signs, all verify.
    pub session_secrets: SigningSecrets,
    /// `PLAIN_HTTP` and `COOKIE_SAME_SITE`: where browsers send the session's cookie.
    pub cookie_scope: CookieScope,
    /// `ALLOWED_ORIGINS`: comma-separated origins of web clients on other hosts.
    pub allowed_origins: Vec<String>,
}

impl ApiConfig {
    /// Reads the settings.
    pub fn read(environment: &Environment) -> Result<Self, ConfigError> {
        let session_secrets = SigningSecrets::new(environment.list("SESSION_SECRETS")).ok_or(
            ConfigError::Missing(
                "SESSION_SECRETS",
                "the secrets that sign session cookies, comma-separated, the newest first",
            ),
        )?;
        Ok(Self {
            table: table(environment)?,
            session_secrets,
            cookie_scope: CookieScope::read(environment)?,
            allowed_origins: environment.list("ALLOWED_ORIGINS"),
        })
    }
}

/// `TABLE_NAME`: the table.
pub fn table(environment: &Environment) -> Result<String, ConfigError> {
    let name = environment.required("TABLE_NAME", "the DynamoDB table")?;
    Ok(name.to_owned())
}

/// `QUEUE_URL`: the queue of approved actions.
pub fn queue_url(environment: &Environment) -> Result<String, ConfigError> {
    let url = environment.required("QUEUE_URL", "the SQS queue of approved actions")?;
    Ok(url.to_owned())
}

/// How the SDK's clients reach AWS: region and credentials as the SDK finds them, and bounds on
/// time, which the SDK does not set by itself. An operation gives up after four seconds, so that
/// a client hears of it within five.
pub async fn aws() -> SdkConfig {
    aws_config::defaults(BehaviorVersion::latest())
        .timeout_config(timeouts())
        .retry_config(RetryConfig::standard().with_max_attempts(3))
        .load()
        .await
}

/// The bounds on time of [`aws`].
#[must_use]
pub fn timeouts() -> TimeoutConfig {
    TimeoutConfig::builder()
        .connect_timeout(Duration::from_secs(1))
        .operation_attempt_timeout(Duration::from_millis(1_900))
        .operation_timeout(Duration::from_secs(4))
        .build()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(variables: &[(&str, &str)]) -> Result<CookieScope, String> {
        let variables = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        let environment = variables.collect::<Environment>();
        CookieScope::read(&environment).map_err(|error| error.to_string())
    }

    #[test]
    fn the_cookie_is_of_the_same_site_unless_it_is_said_otherwise() {
        let none = ("COOKIE_SAME_SITE", "none");
        let plain = ("PLAIN_HTTP", "true");
        assert_eq!(scope(&[]), Ok(CookieScope::SameSite));
        assert_eq!(
            scope(&[("COOKIE_SAME_SITE", "lax")]),
            Ok(CookieScope::SameSite)
        );
        assert_eq!(scope(&[plain]), Ok(CookieScope::PlainHttp));
        assert_eq!(scope(&[none]), Ok(CookieScope::AnySite));
        let refused = scope(&[none, plain]).unwrap_err();
        assert!(
            refused.contains("COOKIE_SAME_SITE") && refused.contains("PLAIN_HTTP"),
            "{refused}"
        );
        let refused = scope(&[("COOKIE_SAME_SITE", "strict")]).unwrap_err();
        assert!(refused.contains("expected lax or none"), "{refused}");
    }
}
