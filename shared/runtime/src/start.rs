use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region, SharedCredentialsProvider};
use aws_types::{
    SdkConfig,
    service_config::{LoadServiceConfig, ServiceConfigKey},
};
use lambda_runtime::Error;

use crate::{
    config::{self, ConfigError, Environment, Patience, Setting},
    queue::Queue,
};

/// Prefix of the variables with the URLs of services, for example `AWS_ENDPOINT_URL_SQS`. Without a
/// suffix it is the URL of all others.
const ENDPOINT_URL: &str = "AWS_ENDPOINT_URL";

/// Declares the program of a function: runs it by the name of its package.
#[macro_export]
macro_rules! main {
    ($run:expr $(, $routes:expr)?) => {
        #[tokio::main(flavor = "current_thread")]
        async fn main() -> Result<(), $crate::Error> {
            $run(env!("CARGO_PKG_NAME") $(, $routes)?).await
        }
    };
}

/// The settings and AWS clients of a function after its cold start.
#[derive(Debug)]
pub struct Start {
    /// Settings, secrets included.
    pub environment: Environment,
    /// Region, credentials and time limits.
    pub aws: SdkConfig,
    /// Client of the table, already connected.
    pub dynamodb: aws_sdk_dynamodb::Client,
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
        let aws = patience.applied_to(aws_of(&environment)?);
        Self::of(environment, aws).await
    }

    /// Fetches the secrets and connects to the table at the same time.
    pub async fn of(environment: Environment, aws: SdkConfig) -> Result<Self, ConfigError> {
        let dynamodb = aws_sdk_dynamodb::Client::new(&aws);
        let table = config::table(&environment)?;
        let warm_up = table::warm_up(&dynamodb, &table);
        let (environment, ()) = futures::join!(environment.with_secrets(&aws), warm_up);
        Ok(Self {
            environment: environment?,
            aws,
            dynamodb,
            table,
        })
    }

    /// Creates a queue, such as [`config::ACTIONS`].
    pub fn queue(&self, (name, purpose): Setting) -> Result<Queue, ConfigError> {
        let url = self
            .environment
            .required(name, purpose)?;
        Ok(Queue::new(aws_sdk_sqs::Client::new(&self.aws), url))
    }
}

/// Returns the configuration of a function's clients. Region, credentials and URLs of services are
/// in the environment, where Lambda puts them. The SDK's own search for them, in files and other
/// services, would be 5 % of a package.
fn aws_of(environment: &Environment) -> Result<SdkConfig, ConfigError> {
    let region = environment.required("AWS_REGION", "the region of the table")?;
    let credentials = Credentials::new(
        environment.required("AWS_ACCESS_KEY_ID", "the credentials")?,
        environment.required("AWS_SECRET_ACCESS_KEY", "the credentials")?,
        environment
            .optional("AWS_SESSION_TOKEN")
            .map(str::to_owned),
        None,
        "environment",
    );
    let aws = SdkConfig::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::new(region.to_owned()))
        .credentials_provider(SharedCredentialsProvider::new(credentials))
        .service_config(Endpoints(environment.clone()));
    Ok(aws.build())
}

/// The URLs of services, by the SDK's own variables.
#[derive(Debug)]
struct Endpoints(Environment);

impl LoadServiceConfig for Endpoints {
    fn load_config(&self, key: ServiceConfigKey<'_>) -> Option<String> {
        if key.env() != ENDPOINT_URL {
            return None;
        }
        let service = key
            .service_id()
            .to_uppercase()
            .replace(' ', "_");
        let own = self
            .0
            .optional(&format!("{ENDPOINT_URL}_{service}"));
        own.or_else(|| self.0.optional(ENDPOINT_URL))
            .map(str::to_owned)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            let error = aws_of(&Environment::of(&some))
                .unwrap_err()
                .to_string();
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
            aws.service_config()
                .unwrap()
                .load_config(key.unwrap())
        };
        let mut variables = SIGNED.to_vec();
        let loaded = |variables: &[_]| aws_of(&Environment::of(variables)).unwrap();
        assert_eq!(url_of(&loaded(&variables), "SQS"), None);
        variables.push((ENDPOINT_URL, "http://all"));
        variables.push(("AWS_ENDPOINT_URL_DYNAMODB", "http://table"));
        let aws = loaded(&variables);
        assert_eq!(url_of(&aws, "DynamoDB").as_deref(), Some("http://table"));
        assert_eq!(url_of(&aws, "SQS").as_deref(), Some("http://all"));
    }
}
