//! Configuration of the SDK's clients.

use std::time::Duration;

use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region, SharedCredentialsProvider};
use aws_smithy_types::{retry::RetryConfig, timeout::TimeoutConfig};
use aws_types::{
    SdkConfig,
    service_config::{LoadServiceConfig, ServiceConfigKey},
};

use crate::config::{ConfigError, Environment};

/// Prefix of the variables with the URLs of services, for example `AWS_ENDPOINT_URL_SQS`. Without a
/// suffix it is the URL of all others.
const ENDPOINT_URL: &str = "AWS_ENDPOINT_URL";

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
    /// Returns the configuration of a function's clients. Region, credentials and URLs of services are
    /// in the environment, where Lambda puts them. The SDK's own search for them, in files and other
    /// services, would be 5 % of a package.
    pub(crate) fn in_environment(
        self,
        environment: &Environment,
    ) -> Result<SdkConfig, ConfigError> {
        let region = environment.required("AWS_REGION", "the region of the table")?;
        let credentials = Credentials::new(
            environment.required("AWS_ACCESS_KEY_ID", "the credentials")?,
            environment.required("AWS_SECRET_ACCESS_KEY", "the credentials")?,
            environment.optional("AWS_SESSION_TOKEN").map(str::to_owned),
            None,
            "environment",
        );
        let aws = SdkConfig::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::new(region.to_owned()))
            .credentials_provider(SharedCredentialsProvider::new(credentials))
            .service_config(Endpoints(environment.clone()));
        Ok(self.applied_to(aws.build()))
    }

    /// Returns a configuration with these limits.
    #[must_use]
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
#[must_use]
pub fn timeouts() -> TimeoutConfig {
    TimeoutConfig::builder()
        .connect_timeout(Duration::from_secs(1))
        .operation_attempt_timeout(Duration::from_millis(1_900))
        .operation_timeout(Duration::from_secs(4))
        .build()
}

/// The URLs of services, by the SDK's own variables.
#[derive(Debug)]
struct Endpoints(Environment);

impl LoadServiceConfig for Endpoints {
    fn load_config(&self, key: ServiceConfigKey<'_>) -> Option<String> {
        if key.env() != ENDPOINT_URL {
            return None;
        }
        let service = key.service_id().to_uppercase().replace(' ', "_");
        let own = self.0.optional(&format!("{ENDPOINT_URL}_{service}"));
        own.or_else(|| self.0.optional(ENDPOINT_URL))
            .map(str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loaded(variables: &[(&str, &str)]) -> Result<SdkConfig, ConfigError> {
        let variables = variables.iter();
        let owned = variables.map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Patience::Client.in_environment(&owned.collect())
    }

    const SIGNED: [(&str, &str); 3] = [
        ("AWS_REGION", "eu-central-1"),
        ("AWS_ACCESS_KEY_ID", "id"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
    ];

    #[test]
    fn a_missing_variable_is_named() {
        for (at, (name, _)) in SIGNED.iter().enumerate() {
            let mut some = SIGNED.to_vec();
            some.remove(at);
            let error = loaded(&some).unwrap_err().to_string();
            assert!(error.contains(name), "{error}");
        }
    }

    #[test]
    fn a_service_has_its_own_url_before_that_of_all() {
        let url_of = |aws: &SdkConfig, service: &'static str| {
            let key = ServiceConfigKey::builder()
                .service_id(service)
                .env(ENDPOINT_URL)
                .profile("endpoint_url")
                .build();
            aws.service_config().unwrap().load_config(key.unwrap())
        };
        let mut variables = SIGNED.to_vec();
        assert_eq!(url_of(&loaded(&variables).unwrap(), "SQS"), None);
        variables.push((ENDPOINT_URL, "http://all"));
        variables.push(("AWS_ENDPOINT_URL_DYNAMODB", "http://table"));
        let aws = loaded(&variables).unwrap();
        assert_eq!(url_of(&aws, "DynamoDB").as_deref(), Some("http://table"));
        assert_eq!(url_of(&aws, "SQS").as_deref(), Some("http://all"));
    }
}
