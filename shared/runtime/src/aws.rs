//! Configuration of the SDK's clients.

use std::time::Duration;

use aws_smithy_types::{retry::RetryConfig, timeout::TimeoutConfig};
use aws_types::SdkConfig;

/// Time limits and attempts of requests to AWS.
#[derive(Clone, Copy, Debug)]
pub enum Patience {
    /// A client waits. An operation fails after four seconds, so that the client has an answer within five.
    Client,
    /// No client waits. A slow request is waited for rather than sent again, since the first one still uses the
    /// table.
    Background,
}

impl Patience {
    /// Returns a configuration with these limits.
    pub fn applied_to(self, aws: SdkConfig) -> SdkConfig {
        aws.into_builder()
            .timeout_config(self.timeouts())
            .retry_config(self.retries())
            .build()
    }

    fn timeouts(self) -> TimeoutConfig {
        match self {
            Self::Client => timeouts(),
            Self::Background => TimeoutConfig::builder()
                .connect_timeout(Duration::from_secs(1))
                .operation_attempt_timeout(Duration::from_secs(8))
                .operation_timeout(Duration::from_secs(20))
                .build(),
        }
    }

    fn retries(self) -> RetryConfig {
        RetryConfig::standard().with_max_attempts(match self {
            Self::Client => 3,
            Self::Background => 5,
        })
    }
}

/// Returns the time limits of [`Patience::Client`], which the SDK does not set by itself.
pub fn timeouts() -> TimeoutConfig {
    TimeoutConfig::builder()
        .connect_timeout(Duration::from_secs(1))
        .operation_attempt_timeout(Duration::from_millis(1_900))
        .operation_timeout(Duration::from_secs(4))
        .build()
}
