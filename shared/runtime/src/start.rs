//! A cold start.

use aws_config::SdkConfig;

use crate::config::{self, ConfigError, Environment};

/// What a function starts from: its settings, secrets included, and how it reaches AWS.
#[derive(Debug)]
pub struct Start {
    /// The settings.
    pub environment: Environment,
    /// Region, credentials, and bounds on time.
    pub aws: SdkConfig,
    /// The table's client, which has a connection.
    pub dynamodb: aws_sdk_dynamodb::Client,
}

impl Start {
    /// Reads the environment, fetches the secrets, and opens the connection to the table
    /// meanwhile: a cold start waits for the slower of the two, not for both.
    pub async fn cold() -> Result<Self, ConfigError> {
        let environment = Environment::process();
        let aws = config::aws().await;
        let dynamodb = aws_sdk_dynamodb::Client::new(&aws);
        let table = config::table(&environment)?;
        let warm_up = store::warm_up(&dynamodb, &table);
        let (environment, ()) = futures::join!(environment.with_secrets(&aws), warm_up);
        Ok(Self {
            environment: environment?,
            aws,
            dynamodb,
        })
    }
}
