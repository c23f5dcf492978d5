//! Configuration of the SDK's clients.

use std::time::Duration;

use aws_smithy_types::{retry::RetryConfig, timeout::TimeoutConfig};
use aws_types::SdkConfig;

/// Time limits and attempts of requests to AWS.
#[derive(Clone, Copy, Debug)]
pub enum Patience {
    /// A client waits. An operation fails after four seconds, so that the client has an answer
    /// within five.
    Client,
    /// No client waits. A slow request is waited for rather than sent again, since the first one
    /// still uses the table.
    Background,
}

impl Patience {
    /// Returns a configuration with these limits.
    pub fn applied_to(self, aws: SdkConfig) -> SdkConfig {
        let (timeouts, attempts) = match self {
            Self::Client => (timeouts(), 3),
            Self::Background => (limits(8_000, 20), 5),
        };
        aws.into_builder()
            .timeout_config(timeouts)
            .retry_config(RetryConfig::standard().with_max_attempts(attempts))
            .build()
    }
}

/// Returns the time limits of [`Patience::Client`], which the SDK does not set by itself.
pub fn timeouts() -> TimeoutConfig {
    limits(1_900, 4)
}

/// Time limits of an attempt in milliseconds, and of all of them in seconds.
fn limits(attempt: u64, operation: u64) -> TimeoutConfig {
    TimeoutConfig::builder()
        .connect_timeout(Duration::from_secs(1))
        .operation_attempt_timeout(Duration::from_millis(attempt))
        .operation_timeout(Duration::from_secs(operation))
        .build()
}
