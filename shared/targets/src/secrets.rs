//! Secrets of connections. Each is a parameter below the names of the stack and the organization,
//! so a connection cannot name another organization's secret. Secrets are read on demand and cached
//! for minutes.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use agent::Connection;
use aws_config::SdkConfig;
use model::{OrganizationId, Stopwatch};
use runtime::{Start, config::ConfigError, parameter_store::ParameterStore};
use secrecy::{ExposeSecret, SecretString};

/// Cache lifetime of a secret.
const KEPT: Duration = Duration::from_mins(5);

/// Cache lifetime of a missing parameter, and the pause between two reads of a refused secret.
/// Repeated failures must not exhaust the Parameter Store's request limit for all connections.
const PAUSE: Duration = Duration::from_secs(15);

/// The most cached secrets. At this number, the cache is cleared.
const MOST_KEPT: usize = 1_000;

/// The setting with the path of all secrets.
const PATH: &str = "CONNECTION_SECRETS_PATH";

/// The setting with the secrets themselves, for a stack without Parameter Store.
const GIVEN: &str = "CONNECTION_SECRETS";

/// Reads secrets of connections. Cheap to clone; clones share the cache.
#[derive(Clone)]
pub struct Secrets {
    path: Arc<str>,
    source: Source,
    kept: Arc<Mutex<HashMap<String, Kept>>>,
}

#[derive(Clone)]
enum Source {
    ParameterStore(ParameterStore),
    Given(Arc<HashMap<String, SecretString>>),
}

/// A cached parameter.
#[derive(Clone)]
struct Kept {
    /// None for a missing parameter.
    value: Option<SecretString>,
    since: Stopwatch,
    /// True if a system refused this value and a second read returned the same.
    is_refused: bool,
}

/// A secret, and whether it came from the cache.
pub(crate) struct Found {
    pub(crate) value: SecretString,
    pub(crate) was_kept: bool,
}

/// The reason why there is no secret. Users who may read results see it, so it contains nothing
/// beyond the connection's own members.
#[derive(Debug)]
pub enum NoSecret {
    /// The parameter does not exist.
    Absent(String),
    /// Parameter Store did not answer in time.
    Late,
    /// The parameter could not be read.
    Unreadable,
}

impl fmt::Display for NoSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent(name) => write!(f, "There is no secret {name:?} for the connection."),
            Self::Late => f.write_str("The connection's secret could not be read in time."),
            Self::Unreadable => f.write_str("The connection's secret could not be read."),
        }
    }
}

impl Secrets {
    /// Creates a reader of Parameter Store below a path such as `/workdesk/connections`.
    ///
    /// # Errors
    ///
    /// No region or no credentials are configured.
    pub fn in_parameter_store(aws: &SdkConfig, path: &str) -> Result<Self, ConfigError> {
        let store = ParameterStore::new(aws)?;
        Ok(Self::from(path, Source::ParameterStore(store)))
    }

    /// Creates a reader of the given secrets, by their paths.
    #[must_use]
    pub fn given(path: &str, secrets: impl IntoIterator<Item = (String, String)>) -> Self {
        let secrets = secrets.into_iter();
        let secrets = secrets.map(|(name, value)| (name, SecretString::from(value)));
        Self::from(path, Source::Given(Arc::new(secrets.collect())))
    }

    fn from(path: &str, source: Source) -> Self {
        Self {
            path: path.trim_end_matches('/').into(),
            source,
            kept: Arc::default(),
        }
    }

    /// Reads the settings: secrets in `CONNECTION_SECRETS`, a JSON object of paths and values, else
    /// Parameter Store. Both lie below `CONNECTION_SECRETS_PATH`. An error names the position and
    /// not the content.
    pub(crate) fn of(start: &Start) -> Result<Self, ConfigError> {
        let environment = &start.environment;
        let path = environment.required(PATH, "the path of the connections' secrets")?;
        let Some(given) = environment.optional(GIVEN) else {
            return Self::in_parameter_store(&start.aws, path);
        };
        let given: HashMap<String, String> =
            serde_json::from_str(given).map_err(|error| ConfigError::Malformed {
                name: GIVEN,
                problem: format!(
                    "no JSON object of texts (line {}, column {})",
                    error.line(),
                    error.column()
                ),
            })?;
        Ok(Self::given(path, given))
    }

    /// Returns the full name of an organization's parameter. `last` has no slash.
    fn parameter(&self, tenant: OrganizationId, last: &str) -> String {
        format!("{}/{tenant}/{last}", self.path)
    }

    /// Returns the secret of a connection, if it names one.
    pub(crate) async fn of_connection(
        &self,
        connection: &Connection,
    ) -> Result<Option<Found>, NoSecret> {
        let Some(last) = &connection.secret_parameter else {
            return Ok(None);
        };
        let name = self.parameter(connection.organization_id, last);
        let kept = self.kept(&name);
        let was_kept = kept.is_some();
        let value = match kept {
            Some(kept) => kept.value,
            None => self.read(name, None).await?,
        };
        match value {
            Some(value) => Ok(Some(Found { value, was_kept })),
            None => Err(NoSecret::Absent(last.to_string())),
        }
    }

    /// Returns the new secret of a connection whose cached one was refused; none if it has not
    /// changed.
    pub(crate) async fn newer(
        &self,
        connection: &Connection,
        refused: &SecretString,
    ) -> Option<SecretString> {
        let last = connection.secret_parameter.as_ref()?;
        let name = self.parameter(connection.organization_id, last);
        let kept = self.kept(&name);
        if kept.is_some_and(|kept| kept.is_refused && kept.since.elapsed() < PAUSE) {
            return None;
        }
        let value = self.read(name, Some(refused)).await.ok()??;
        (!is_same(&value, refused)).then_some(value)
    }

    /// Reads a secret and caches the result; none for a missing parameter.
    async fn read(
        &self,
        name: String,
        refused: Option<&SecretString>,
    ) -> Result<Option<SecretString>, NoSecret> {
        let value = self.fetch(&name).await?;
        let found = value.as_ref().zip(refused);
        let kept = Kept {
            value: value.clone(),
            since: Stopwatch::start(),
            is_refused: found.is_some_and(|(value, refused)| is_same(value, refused)),
        };
        let mut all = self.lock();
        if all.len() >= MOST_KEPT {
            all.clear();
        }
        all.insert(name, kept);
        Ok(value)
    }

    /// Returns a cached parameter within its lifetime.
    fn kept(&self, name: &str) -> Option<Kept> {
        let kept = self.lock().get(name).cloned()?;
        let long = if kept.value.is_some() { KEPT } else { PAUSE };
        (kept.since.elapsed() < long).then_some(kept)
    }

    /// A panic under the lock leaves no partial change.
    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the parameter's value; none if it does not exist.
    async fn fetch(&self, name: &str) -> Result<Option<SecretString>, NoSecret> {
        let store = match &self.source {
            Source::Given(given) => return Ok(given.get(name).cloned()),
            Source::ParameterStore(store) => store,
        };
        let found = store.read(vec![name.to_owned()]).await;
        let mut found = found.map_err(|error| {
            tracing::warn!(code = error.code, "reading a connection's secret failed");
            NoSecret::Unreadable
        })?;
        Ok(found.remove(name).map(Into::into))
    }
}

fn is_same(one: &SecretString, other: &SecretString) -> bool {
    one.expose_secret() == other.expose_secret()
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secrets")
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}
