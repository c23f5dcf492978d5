//! The only place that reads the environment. A missing or malformed setting is named in the
//! error, at start.

use std::{collections::HashMap, time::Duration};

use aws_config::{BehaviorVersion, SdkConfig, retry::RetryConfig, timeout::TimeoutConfig};

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
}

/// Environment variables: the process's, or a test's own.
#[derive(Clone, Debug)]
pub struct Environment(HashMap<String, String>);

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

/// The settings of every API function.
#[derive(Clone)]
pub struct ApiConfig {
    /// `TABLE_NAME`: the table.
    pub table: String,
    /// `SESSION_SECRETS`: comma-separated; the first signs, all verify.
    pub session_secrets: Vec<String>,
    /// `PLAIN_HTTP`: `true` where clients use http, so that cookies are not `Secure`.
    pub plain_http: bool,
    /// `ALLOWED_ORIGINS`: comma-separated origins of web clients on other hosts.
    pub allowed_origins: Vec<String>,
}

impl ApiConfig {
    /// Reads the settings.
    pub fn read(environment: &Environment) -> Result<Self, ConfigError> {
        let session_secrets = environment.list("SESSION_SECRETS");
        if session_secrets.is_empty() {
            return Err(ConfigError::Missing(
                "SESSION_SECRETS",
                "the secrets that sign session cookies, comma-separated, the newest first",
            ));
        }
        Ok(Self {
            table: table(environment)?,
            session_secrets,
            plain_http: environment.flag("PLAIN_HTTP")?,
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
