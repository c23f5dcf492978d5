//! Bounds on time and attempts.

use std::time::Duration;

use runtime::config::{ConfigError, Environment};

/// How long the worker tries, and how often.
#[derive(Clone, Debug)]
pub struct Limits {
    /// How long an action is the worker's; no call outlives it. Less than the function's timeout,
    /// so that a worker is not cut off in the middle of a call.
    pub lease: Duration,
    /// How long one call may take, its answer included.
    pub step_timeout: Duration,
    /// Pauses before a call is tried again within the lease; their number is that of the retries.
    pub pauses: Vec<Duration>,
    /// Deliveries of a message until it becomes a dead letter: the queue's `maxReceiveCount`.
    pub deliveries: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            lease: Duration::from_mins(1),
            step_timeout: Duration::from_secs(10),
            pauses: vec![Duration::from_millis(200), Duration::from_secs(1)],
            deliveries: 5,
        }
    }
}

impl Limits {
    /// Reads `ACTION_LEASE_SECONDS` (60 when absent) and `STEP_TIMEOUT_SECONDS` (10 when absent).
    pub fn read(environment: &Environment) -> Result<Self, ConfigError> {
        Ok(Self {
            lease: environment.seconds("ACTION_LEASE_SECONDS", 60)?,
            step_timeout: environment.seconds("STEP_TIMEOUT_SECONDS", 10)?,
            ..Self::default()
        })
    }

    pub(crate) fn lease_millis(&self) -> i64 {
        i64::try_from(self.lease.as_millis()).unwrap_or(i64::MAX / 2)
    }
}
