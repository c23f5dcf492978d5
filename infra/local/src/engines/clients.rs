//! SDK clients for an engine at a URL.

use aws_config::SdkConfig;
use aws_sdk_dynamodb::config::{
    BehaviorVersion, Credentials, Region, SharedCredentialsProvider, SharedHttpClient,
};
use aws_smithy_http_client::{
    Builder,
    tls::{Provider, rustls_provider::CryptoMode},
};
use aws_types::service_config::{LoadServiceConfig, ServiceConfigKey};
use shared::{config::ConfigError, runtime::kms::Kms};

/// Region of all local resources.
pub const REGION: &str = "us-east-1";

/// Credentials for the SDK; the engines check no signature.
pub(crate) const ACCESS_KEY_ID: &str = "local";
pub(crate) const SECRET_ACCESS_KEY: &str = "local";

/// Returns a client for the DynamoDB at `url`.
///
/// Its connections belong to the runtime that opened them, so each runtime needs its own client.
pub fn dynamodb_client(url: &str) -> aws_sdk_dynamodb::Client {
    aws_sdk_dynamodb::Client::from_conf(
        aws_sdk_dynamodb::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::from_static(REGION))
            .credentials_provider(credentials())
            .http_client(http_client(url))
            .endpoint_url(url)
            .build(),
    )
}

/// Returns a client for the SQS at `url`.
///
/// Its connections belong to the runtime that opened them, so each runtime needs its own client.
pub fn sqs_client(url: &str) -> aws_sdk_sqs::Client {
    aws_sdk_sqs::Client::from_conf(
        aws_sdk_sqs::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::from_static(REGION))
            .credentials_provider(credentials())
            .http_client(http_client(url))
            .endpoint_url(url)
            .build(),
    )
}

/// Returns a client for the key management service at `url`.
///
/// Its connections belong to the runtime that opened them, so each runtime needs its own client.
pub fn kms_client(url: &str) -> Result<Kms, ConfigError> {
    Kms::new(
        &SdkConfig::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::from_static(REGION))
            .credentials_provider(SharedCredentialsProvider::new(credentials()))
            .http_client(http_client(url))
            .endpoint_url(url)
            .build(),
    )
}

/// Returns the configuration of a function's clients, which find the engines by the names of their
/// services.
pub(super) fn of_function(dynamodb: &str, sqs: &str, kms: &str) -> SdkConfig {
    let urls = [("DynamoDB", dynamodb), ("SQS", sqs), ("KMS", kms)];
    let https = [dynamodb, sqs]
        .into_iter()
        .find(|url| url.starts_with("https:"));
    SdkConfig::builder()
        .behavior_version(BehaviorVersion::latest())
        .region(Region::from_static(REGION))
        .credentials_provider(SharedCredentialsProvider::new(credentials()))
        .http_client(http_client(https.unwrap_or(dynamodb)))
        .service_config(Urls(urls.map(|(service, url)| (service, url.to_owned()))))
        .build()
}

/// The URLs of the engines by the ids of their services.
#[derive(Debug)]
struct Urls([(&'static str, String); 3]);

impl LoadServiceConfig for Urls {
    fn load_config(&self, key: ServiceConfigKey<'_>) -> Option<String> {
        let is_named = |service: &str| service.eq_ignore_ascii_case(key.service_id());
        let url = self
            .0
            .iter()
            .find(|(service, _)| is_named(service));
        url.filter(|_| key.env() == "AWS_ENDPOINT_URL")
            .map(|(_, url)| url.clone())
    }
}

fn credentials() -> Credentials {
    Credentials::new(ACCESS_KEY_ID, SECRET_ACCESS_KEY, None, None, "local")
}

/// Returns an HTTP client that uses no proxy. The SDK's default client would use the environment's.
/// For plain http it reads none of the machine's certificates, which takes longer than a request.
fn http_client(url: &str) -> SharedHttpClient {
    if url.starts_with("https:") {
        let provider = Provider::Rustls(CryptoMode::AwsLc);
        Builder::new()
            .tls_provider(provider)
            .build_https()
    } else {
        Builder::new().build_http()
    }
}
