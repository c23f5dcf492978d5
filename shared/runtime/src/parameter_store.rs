//! Parameter Store, as a function asks it that starts.
//!
//! It answers 40 requests a second, of everything in the account and region, unless a higher
//! throughput is paid for. Hundreds of instances may start at once, so each asks until it is
//! answered, at random times, for as long as a start may take.

use std::{collections::HashMap, error::Error, time::Duration};

use aws_config::{SdkConfig, retry::RetryConfig};
use aws_sdk_ssm::{
    Client,
    config::retry::{RetryPartition, TokenBucket},
    error::SdkError,
};

use crate::config;

/// How long a start waits for its parameters. Lambda gives it ten seconds and, when it has ended
/// without them, begins it once more within the first request's time, which is ten seconds too.
const PATIENCE: Duration = Duration::from_millis(8_500);

/// More requests than fit in that time.
const MOST_REQUESTS: u32 = 100;

/// The longest between two requests, half of which is usual: 400 instances then ask ten times as
/// often as is answered, and the last of them do not wait long for their turn.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// The values of parameters by their names, decrypted.
///
/// # Errors
///
/// What is wrong with them, without a value.
pub(crate) async fn read(
    aws: &SdkConfig,
    names: Vec<String>,
) -> Result<HashMap<String, String>, String> {
    let request = client(aws).get_parameters().set_names(Some(names));
    let answer = request.with_decryption(true).send().await;
    let answer = answer.map_err(|error| why(&error))?;
    if let Some(missing) = answer.invalid_parameters.filter(|names| !names.is_empty()) {
        return Err(format!("{} do not exist", missing.join(", ")));
    }
    let parameters = answer.parameters.into_iter().flatten();
    Ok(parameters
        .filter_map(|parameter| Some((parameter.name?, parameter.value?)))
        .collect())
}

/// A client that goes on asking while it is turned away, until its time is over.
fn client(aws: &SdkConfig) -> Client {
    let retries = RetryConfig::standard()
        .with_max_attempts(MOST_REQUESTS)
        .with_max_backoff(LONGEST_WAIT);
    let unbounded = RetryPartition::custom("start").token_bucket(TokenBucket::unlimited());
    let timeouts = config::timeouts()
        .to_builder()
        .operation_timeout(PATIENCE)
        .build();
    let settings = aws_sdk_ssm::config::Builder::from(aws)
        .retry_config(retries)
        .retry_partition(unbounded.build())
        .timeout_config(timeouts);
    Client::from_conf(settings.build())
}

/// The reason of a failure: never its answer, which may have values in it.
fn why<E: Error + 'static, R: std::fmt::Debug + 'static>(error: &SdkError<E, R>) -> String {
    if let SdkError::TimeoutError(_) = error {
        return format!(
            "no answer within {PATIENCE:?}; where many functions start at once, see the quota of \
             GetParameters"
        );
    }
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests;
