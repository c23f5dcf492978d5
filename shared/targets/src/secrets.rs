//! The secrets of connections: in Parameter Store, below the stack's and the organization's name, so
//! that no connection can name a secret of another organization. They are read when they are needed,
//! and kept for some minutes.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use aws_config::SdkConfig;
use aws_sdk_ssm::{Client, error::ProvideErrorMetadata};
use model::{Connection, OrganizationId, Stopwatch};
use runtime::{Start, config::ConfigError};
use secrecy::{ExposeSecret, SecretString};

/// How long a secret that was read is used.
const KEPT: Duration = Duration::from_mins(5);

/// How long one that is not there is not looked for again, nor another one for one that was refused:
/// what fails all the time must not use up the Parameter Store's requests of all connections.
const PAUSE: Duration = Duration::from_secs(15);

/// How many are kept; those of more connections than that take turns.
const MOST_KEPT: usize = 1_000;

/// Which path the names of all secrets begin with.
const PATH: &str = "CONNECTION_SECRETS_PATH";

/// Secrets beside the settings, for a stack that has no Parameter Store.
const GIVEN: &str = "CONNECTION_SECRETS";

/// Knows the secrets of connections. Cheap to clone; clones share what they have read.
#[derive(Clone)]
pub struct Secrets {
    path: Arc<str>,
    source: Source,
    kept: Arc<Mutex<HashMap<String, Kept>>>,
}

#[derive(Clone)]
enum Source {
    ParameterStore(Client),
    Given(Arc<HashMap<String, SecretString>>),
}

/// What was read of a parameter.
#[derive(Clone)]
struct Kept {
    /// None for one that is not there.
    value: Option<SecretString>,
    since: Stopwatch,
    /// It was read since a system refuses it, and was no other one.
    is_refused: bool,
}

/// A secret, and whether it was read before.
pub(crate) struct Found {
    pub(crate) value: SecretString,
    pub(crate) was_kept: bool,
}

/// Why there is no secret. It is said to whoever may see results, so it names no more than the
/// connection does.
#[derive(Debug)]
pub enum NoSecret {
    /// There is no such parameter.
    Absent(String),
    /// Parameter Store did not answer in time.
    Late,
    /// It could not be read.
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
    /// Those of Parameter Store below a path, such as `/workdesk/connections`.
    #[must_use]
    pub fn in_parameter_store(aws: &SdkConfig, path: &str) -> Self {
        Self::from(path, Source::ParameterStore(Client::new(aws)))
    }

    /// These, by their paths.
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

    /// `CONNECTION_SECRETS`, a JSON object of paths and values where that is set, else Parameter
    /// Store; both below `CONNECTION_SECRETS_PATH`. An error says where it is wrong and not what.
    pub(crate) fn of(start: &Start) -> Result<Self, ConfigError> {
        let environment = &start.environment;
        let path = environment.required(PATH, "the path of the connections' secrets")?;
        let Some(given) = environment.optional(GIVEN) else {
            return Ok(Self::in_parameter_store(&start.aws, path));
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

    /// The full name of an organization's parameter. The last part has no slash.
    fn parameter(&self, tenant: OrganizationId, last: &str) -> String {
        format!("{}/{tenant}/{last}", self.path)
    }

    /// The secret of a connection, if it names one.
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

    /// The secret of a connection whose kept one was refused, if it is another one by now.
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

    /// Reads a secret, and keeps what was read; none when there is no such parameter.
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

    /// What is known of a parameter, while it counts.
    fn kept(&self, name: &str) -> Option<Kept> {
        let kept = self.lock().get(name).cloned()?;
        let long = if kept.value.is_some() { KEPT } else { PAUSE };
        (kept.since.elapsed() < long).then_some(kept)
    }

    /// A panic under the lock leaves nothing half-written.
    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<String, Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The parameter's value; none when there is no such parameter.
    async fn fetch(&self, name: &str) -> Result<Option<SecretString>, NoSecret> {
        let client = match &self.source {
            Source::Given(given) => return Ok(given.get(name).cloned()),
            Source::ParameterStore(client) => client,
        };
        let request = client.get_parameters().names(name).with_decryption(true);
        // The error may hold the answer, so nothing of it is shown but its code.
        let answer = request.send().await.map_err(|error| {
            tracing::warn!(code = error.code(), "Parameter Store was asked in vain");
            NoSecret::Unreadable
        })?;
        let found = answer.parameters.into_iter().flatten();
        let mut found = found.filter(|one| one.name.as_deref() == Some(name));
        Ok(found.next().and_then(|one| one.value).map(Into::into))
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
