//! Configuration of the SDK's clients.

use std::time::Duration;

use aws_config::{BehaviorVersion, SdkConfig, retry::RetryConfig, timeout::TimeoutConfig};

/// Returns the configuration of the SDK's clients: region and credentials as the SDK finds them,
/// and the time limits of [`timeouts`]. An operation fails after four seconds, so that a client has
/// an answer within five.
pub async fn aws() -> SdkConfig {
    load(timeouts(), 3).await
}

/// As [`aws`], where no client waits: a slow request is waited for rather than sent again, since the first
/// one still uses the table.
pub async fn background() -> SdkConfig {
    let timeouts = TimeoutConfig::builder()
        .connect_timeout(Duration::from_secs(1))
        .operation_attempt_timeout(Duration::from_secs(8))
        .operation_timeout(Duration::from_secs(20));
    load(timeouts.build(), 5).await
}

async fn load(timeouts: TimeoutConfig, attempts: u32) -> SdkConfig {
    aws_config::defaults(BehaviorVersion::latest())
        .timeout_config(timeouts)
        .retry_config(RetryConfig::standard().with_max_attempts(attempts))
        .load()
        .await
}

/// Returns the time limits of [`aws`], which the SDK does not set by itself.
#[must_use]
pub fn timeouts() -> TimeoutConfig {
    TimeoutConfig::builder()
        .connect_timeout(Duration::from_secs(1))
        .operation_attempt_timeout(Duration::from_millis(1_900))
        .operation_timeout(Duration::from_secs(4))
        .build()
}
