use std::{sync::Arc, time::Duration};

use aws_sdk_dynamodb::Client;
use model::base::{Clock, random};

/// Attempts of a write while others keep writing the same items: up to two seconds, since a client
/// waits.
pub(crate) const ATTEMPTS: u32 = 8;

/// Attempts where no client waits and a failed write is lost for good: up to three seconds.
const PATIENT_ATTEMPTS: u32 = 14;

/// A table and the client that reaches it. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Table {
    pub(crate) client: Client,
    pub(crate) name: Arc<str>,
    pub(crate) attempts: u32,
    pub(crate) clock: Clock,
}

impl Table {
    /// The table of that name. Texts expire by the clock.
    pub fn new(client: Client, name: &str, clock: Clock) -> Self {
        Self {
            client,
            name: name.into(),
            attempts: ATTEMPTS,
            clock,
        }
    }

    /// Retries longer while others write the same items: 14 attempts instead of 8.
    #[must_use]
    pub fn patient(self) -> Self {
        Self {
            attempts: PATIENT_ATTEMPTS,
            ..self
        }
    }

    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Waits a random time that doubles with every attempt: up to 20 ms, then 40, then 80, at most 640
/// ms.
pub async fn back_off(attempt: u32) {
    let most = 10_u64 << attempt.min(6);
    tokio::time::sleep(Duration::from_millis(1 + random::below(most))).await;
}
