//! SDK clients for an engine at a URL.

use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region, SharedHttpClient};
use aws_smithy_http_client::{
    Builder,
    tls::{Provider, rustls_provider::CryptoMode},
};

/// The region that every local resource is in.
pub const REGION: &str = "us-east-1";

/// The engines check no signature; the SDK wants something to sign with.
pub(crate) const ACCESS_KEY_ID: &str = "local";
pub(crate) const SECRET_ACCESS_KEY: &str = "local";

/// A client for the DynamoDB at `url`.
///
/// Its connections belong to the runtime that opened them: make one per runtime.
#[must_use]
pub fn dynamodb_client(url: &str) -> aws_sdk_dynamodb::Client {
    aws_sdk_dynamodb::Client::from_conf(
        aws_sdk_dynamodb::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::from_static(REGION))
            .credentials_provider(credentials())
            .http_client(http_client())
            .endpoint_url(url)
            .build(),
    )
}

/// A client for the SQS at `url`.
///
/// Its connections belong to the runtime that opened them: make one per runtime.
#[must_use]
pub fn sqs_client(url: &str) -> aws_sdk_sqs::Client {
    aws_sdk_sqs::Client::from_conf(
        aws_sdk_sqs::Config::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::from_static(REGION))
            .credentials_provider(credentials())
            .http_client(http_client())
            .endpoint_url(url)
            .build(),
    )
}

fn credentials() -> Credentials {
    Credentials::new(ACCESS_KEY_ID, SECRET_ACCESS_KEY, None, None, "local")
}

/// The SDK's own client asks the environment for a proxy; this one does not, since a proxy
/// would lead off this machine.
fn http_client() -> SharedHttpClient {
    Builder::new()
        .tls_provider(Provider::Rustls(CryptoMode::AwsLc))
        .build_https()
}
