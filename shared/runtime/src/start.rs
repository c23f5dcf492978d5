//! Cold start.

use aws_types::SdkConfig;
use lambda_runtime::Error;

use crate::{
    config::{self, ConfigError, Environment, Patience},
    queue::Queue,
};

/// The settings and AWS clients of a function after its cold start.
#[derive(Debug)]
pub struct Start {
    /// Settings, secrets included.
    pub environment: Environment,
    /// Region, credentials and time limits.
    pub aws: SdkConfig,
    /// Client of the table, already connected.
    pub dynamodb: aws_sdk_dynamodb::Client,
    /// Name of the table.
    pub table: String,
}

/// The state of a function, created once per cold start.
pub trait FromStart: Sized + Send + Sync + 'static {
    /// Creates the state. An error names the setting that is missing or malformed.
    fn from_start(start: &Start) -> Result<Self, Error>;
}

impl Start {
    /// Starts the function of this process.
    pub async fn cold(patience: Patience) -> Result<Self, ConfigError> {
        let environment = Environment::process();
        let aws = patience.in_environment(&environment)?;
        Self::of(environment, aws).await
    }

    /// Fetches the secrets and connects to the table at the same time.
    pub async fn of(environment: Environment, aws: SdkConfig) -> Result<Self, ConfigError> {
        let dynamodb = aws_sdk_dynamodb::Client::new(&aws);
        let name = config::table(&environment)?;
        let warm_up = table::warm_up(&dynamodb, &name);
        let (environment, ()) = futures::join!(environment.with_secrets(&aws), warm_up);
        Ok(Self {
            environment: environment?,
            aws,
            dynamodb,
            table: name,
        })
    }

    /// Returns the queue at a URL.
    #[must_use]
    pub fn queue(&self, url: &str) -> Queue {
        Queue::new(aws_sdk_sqs::Client::new(&self.aws), url)
    }
}
