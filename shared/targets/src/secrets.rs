//! Secrets of connections and providers, encrypted in the table by one key. Each ciphertext belongs
//! to one use of one organization, and does not decrypt for another.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use agent::connection::Connection;
use model::{
    base::{Error, OrganizationId, SealedSecret, SentSecret, Stopwatch},
    people::SignInProvider,
};
use runtime::{
    Start,
    config::ConfigError,
    kms::{Kms, KmsError},
};
use secrecy::SecretString;
use tokio::sync::OnceCell;

/// Cache lifetime of a secret. A disabled key takes effect within it.
const KEPT: Duration = Duration::from_mins(5);

/// The most cached secrets. At this number, the cache is cleared.
const MOST_KEPT: usize = 1_000;

/// The setting with the ARN of the key.
const KEY: &str = "SECRETS_KEY";

/// Decrypts secrets. Cheap to clone; clones share the cache.
#[derive(Clone)]
pub struct Secrets {
    kms: Kms,
    kept: Arc<Mutex<HashMap<Place, Kept>>>,
}

/// Encrypts secrets. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Sealer {
    kms: Kms,
    key: Arc<str>,
}

/// Organization, use and ciphertext.
type Place = (OrganizationId, SecretOf, String);

/// The use of a secret, which its encryption context names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SecretOf {
    /// Of the connection of this name.
    Connection(String),
    /// Of the client at the organization's provider.
    SignIn,
}

/// A cached secret. Those who ask at the same time wait for the first of them.
#[derive(Clone)]
struct Kept {
    value: Arc<OnceCell<SecretString>>,
    since: Stopwatch,
}

/// The reason why there is no secret. Users who may read results see it.
#[derive(Debug, thiserror::Error)]
pub enum NoSecret {
    /// The ciphertext belongs to another connection or key, or is damaged.
    #[error("The connection's secret does not decrypt. Send it again.")]
    Foreign,
    /// The key management service did not answer in time.
    #[error("The connection's secret could not be decrypted in time.")]
    Late,
    /// The key management service failed.
    #[error("The connection's secret could not be decrypted.")]
    Unreadable,
}

/// Runs an operation in the encryption context of a secret.
async fn in_context<T>(
    tenant: OrganizationId,
    of: &SecretOf,
    operation: impl AsyncFnOnce(&[(&str, &str)]) -> Result<T, KmsError>,
) -> Result<T, KmsError> {
    let tenant = tenant.to_string();
    let organization = ("organization", &*tenant);
    match of {
        SecretOf::Connection(name) => {
            let purpose = ("purpose", "connection");
            operation(&[purpose, organization, ("connection", name)]).await
        }
        SecretOf::SignIn => operation(&[("purpose", "sign-in"), organization]).await,
    }
}

impl Sealer {
    pub fn new(kms: Kms, key: &str) -> Self {
        let key = key.into();
        Self { kms, key }
    }

    /// Creates a sealer from the environment: `SECRETS_KEY`.
    pub fn of(start: &Start) -> Result<Self, ConfigError> {
        let purpose = "the ARN of the key that encrypts secrets of connections and providers";
        let key = start
            .environment
            .required(KEY, purpose)?;
        Ok(Self::new(Kms::new(&start.aws)?, key))
    }

    /// Encrypts a secret. Returns the ciphertext in base64. 503 if the key management service
    /// fails.
    pub async fn seal(
        &self,
        tenant: OrganizationId,
        of: &SecretOf,
        secret: &SentSecret,
    ) -> Result<String, Error> {
        let sealed = in_context(tenant, of, async |context| {
            self.kms
                .encrypt(&self.key, secret, context)
                .await
        });
        sealed
            .await
            .map_err(|error| Error::Unavailable {
                what: "the key management service",
                source: error.into(),
            })
    }
}

impl Secrets {
    pub fn new(kms: Kms) -> Self {
        let kept = Arc::default();
        Self { kms, kept }
    }

    /// Returns the secret of a connection, if it has one. Decrypts it once per [`KEPT`].
    pub(crate) async fn of_connection(
        &self,
        connection: &Connection,
    ) -> Result<Option<SecretString>, NoSecret> {
        let Some(sealed) = &connection.secret else {
            return Ok(None);
        };
        let of = SecretOf::Connection(connection.name.to_string());
        let secret = self.opened(connection.organization_id, of, sealed);
        secret.await.map(Some)
    }

    /// Creates a reader of secrets, with a client of the key management service.
    pub fn of(start: &Start) -> Result<Self, ConfigError> {
        Ok(Self::new(Kms::new(&start.aws)?))
    }

    /// Returns the secret of the client at a provider. Decrypts it once per five minutes. A failure
    /// is logged.
    pub async fn of_provider(&self, provider: &SignInProvider) -> Result<SecretString, NoSecret> {
        let tenant = provider.organization_id;
        let sealed = &provider.client_secret;
        self.opened(tenant, SecretOf::SignIn, sealed)
            .await
    }

    async fn opened(
        &self,
        tenant: OrganizationId,
        of: SecretOf,
        sealed: &SealedSecret,
    ) -> Result<SecretString, NoSecret> {
        let ciphertext = &*sealed.ciphertext;
        let kept = self.kept((tenant, of.clone(), ciphertext.to_owned()));
        let decrypt = || {
            in_context(tenant, &of, async |context| {
                self.kms
                    .decrypt(ciphertext, context)
                    .await
            })
        };
        let value = kept
            .get_or_try_init(decrypt)
            .await
            .map_err(|error| {
                tracing::warn!(code = error.code, "decrypting a secret failed");
                let foreign = error
                    .is_wrong_ciphertext()
                    .then_some(NoSecret::Foreign);
                foreign.unwrap_or(NoSecret::Unreadable)
            })?;
        Ok(value.clone())
    }

    /// Returns the cached secret of a place within its lifetime, or room for it.
    fn kept(&self, place: Place) -> Arc<OnceCell<SecretString>> {
        // A panic under the lock leaves no partial change.
        let mut places = self
            .kept
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if places.len() >= MOST_KEPT {
            places.clear();
        }
        places.retain(|_, kept| kept.since.elapsed() < KEPT);
        let new = || Kept {
            value: Arc::default(),
            since: Stopwatch::start(),
        };
        places
            .entry(place)
            .or_insert_with(new)
            .value
            .clone()
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secrets")
            .finish_non_exhaustive()
    }
}
