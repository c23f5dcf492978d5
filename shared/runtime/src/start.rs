//! Cold start.

use aws_config::SdkConfig;

use crate::config::{self, ConfigError, Environment};

/// The settings and AWS clients of a function after its cold start.
#[derive(Debug)]
pub struct Start {
    /// Settings, secrets included.
    pub environment: Environment,
    /// Region, credentials and time limits.
    pub aws: SdkConfig,
    /// Client of the table, already connected.
    pub dynamodb: aws_sdk_dynamodb::Client,
}

impl Start {
    /// Reads the environment, then fetches the secrets and connects to the table at the same time.
    pub async fn cold() -> Result<Self, ConfigError> {
        Self::with(config::aws().await).await
    }

    /// As [`cold`](Self::cold), with the time limits of a function for which no client waits.
    pub async fn background() -> Result<Self, ConfigError> {
        Self::with(config::background().await).await
    }

    async fn with(aws: SdkConfig) -> Result<Self, ConfigError> {
        let environment = Environment::process();
        let dynamodb = aws_sdk_dynamodb::Client::new(&aws);
        let name = config::table(&environment)?;
        let warm_up = table::warm_up(&dynamodb, &name);
        let (environment, ()) = futures::join!(environment.with_secrets(&aws), warm_up);
        Ok(Self {
            environment: environment?,
            aws,
            dynamodb,
        })
    }
}
