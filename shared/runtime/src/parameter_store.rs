//! Parameter Store: reads `SecureString` parameters.
//!
//! Workdesk calls one operation, `GetParameters`. The crate `aws-sdk-ssm` has 150 of them and was the
//! slowest crate of a build. This client is made of the same parts as the SDK's own.

use std::{collections::HashMap, error::Error, fmt, time::Duration};

use aws_config::{SdkConfig, retry::RetryConfig};
use aws_runtime::{
    auth::{
        SigV4OperationSigningConfig,
        sigv4::{SCHEME_ID, SigV4AuthScheme},
    },
    retries::classifiers::AwsErrorCodeClassifier,
};
use aws_smithy_runtime::client::{
    orchestrator::operation::Operation,
    retries::{
        RetryPartition, TokenBucket,
        classifiers::{HttpStatusCodeClassifier, TransientErrorClassifier},
    },
};
use aws_smithy_runtime_api::{
    box_error::BoxError,
    client::{
        auth::{
            AuthSchemeOptionResolverParams, SharedAuthScheme,
            static_resolver::StaticAuthSchemeOptionResolver,
        },
        orchestrator::{HttpRequest, HttpResponse, OrchestratorError},
        result::SdkError,
        runtime_components::RuntimeComponentsBuilder,
        runtime_plugin::StaticRuntimePlugin,
    },
};
use aws_smithy_types::{
    body::SdkBody,
    config_bag::Layer,
    error::metadata::{ErrorMetadata, ProvideErrorMetadata},
};
use aws_types::{SigningName, region::SigningRegion, service_config::ServiceConfigKey};
use serde::Deserialize;

use crate::{aws, config_error::ConfigError};

/// Time limit of a read at start. Lambda gives a start ten seconds. If that fails, Lambda starts
/// again within the time of the first request, also ten seconds.
const START_TIMEOUT: Duration = Duration::from_millis(8_500);

/// More attempts than fit into [`START_TIMEOUT`].
const START_ATTEMPTS: u32 = 100;

/// Longest pause between two attempts at start; half of it is usual. Parameter Store allows 40
/// requests a second for an account and region. 400 instances that start together then ask ten
/// times as often as that, and the last of them does not wait long.
const START_BACKOFF: Duration = Duration::from_secs(2);

/// A client of Parameter Store. Cheap to clone.
#[derive(Clone, Debug)]
pub struct ParameterStore {
    get_parameters: Operation<Vec<String>, Parameters, Refusal>,
}

/// A failed read. Its text has an error code or a cause, and never an answer, which may hold values.
#[derive(Debug)]
pub struct ReadError {
    /// Error code of Parameter Store, such as `ThrottlingException`.
    pub code: Option<String>,
    cause: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Parameters {
    #[serde(default)]
    parameters: Vec<Parameter>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Parameter {
    name: String,
    value: String,
}

/// Shows no value.
impl fmt::Debug for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Parameter({:?})", self.name)
    }
}

/// An error response, by its code alone.
#[derive(Debug)]
struct Refusal(ErrorMetadata);

impl ParameterStore {
    /// A client with the SDK's usual retries and time limits.
    ///
    /// # Errors
    ///
    /// No region or no credentials are configured.
    pub fn new(aws: &SdkConfig) -> Result<Self, ConfigError> {
        let retries = aws.retry_config().cloned();
        let timeouts = aws.timeout_config().cloned();
        Self::with(
            aws,
            &retries.unwrap_or_else(RetryConfig::standard),
            timeouts.unwrap_or_else(aws::timeouts),
            None,
        )
    }

    /// A client for a cold start: it retries for [`START_TIMEOUT`], since hundreds of instances may
    /// start together.
    pub(crate) fn at_start(aws: &SdkConfig) -> Result<Self, ConfigError> {
        let retries = RetryConfig::standard()
            .with_max_attempts(START_ATTEMPTS)
            .with_max_backoff(START_BACKOFF);
        let timeouts = aws::timeouts()
            .to_builder()
            .operation_timeout(START_TIMEOUT)
            .build();
        let unlimited = RetryPartition::custom("start").token_bucket(TokenBucket::unlimited());
        Self::with(aws, &retries, timeouts, Some(unlimited.build()))
    }

    fn with(
        aws: &SdkConfig,
        retries: &RetryConfig,
        timeouts: aws_config::timeout::TimeoutConfig,
        retry_partition: Option<RetryPartition>,
    ) -> Result<Self, ConfigError> {
        let missing = |name, purpose| ConfigError::Missing(name, purpose);
        let region = aws
            .region()
            .ok_or(missing("AWS_REGION", "the region of the parameters"))?;
        let credentials = aws.credentials_provider();
        let credentials = credentials.ok_or(missing("AWS_ACCESS_KEY_ID", "the credentials"))?;

        let mut settings = Layer::new("Parameter Store");
        settings.store_put(AuthSchemeOptionResolverParams::new(()));
        settings.store_put(SigV4OperationSigningConfig {
            region: Some(SigningRegion::from(region.clone())),
            name: Some(SigningName::from_static("ssm")),
            ..SigV4OperationSigningConfig::default()
        });
        if let Some(partition) = retry_partition {
            settings.store_put(partition);
        }
        let mut parts = RuntimeComponentsBuilder::new("Parameter Store")
            .with_auth_scheme_option_resolver(Some(StaticAuthSchemeOptionResolver::new(vec![
                SCHEME_ID,
            ])))
            .with_auth_scheme(SharedAuthScheme::new(SigV4AuthScheme::new()))
            .with_identity_resolver(SCHEME_ID, credentials)
            .with_retry_classifier(TransientErrorClassifier::<Refusal>::new())
            .with_retry_classifier(AwsErrorCodeClassifier::<Refusal>::new())
            .with_retry_classifier(HttpStatusCodeClassifier::default());
        parts.set_http_client(aws.http_client());
        parts.set_identity_cache(aws.identity_cache());
        parts.set_sleep_impl(aws.sleep_impl());
        parts.set_time_source(aws.time_source());
        let plugin = StaticRuntimePlugin::new()
            .with_config(settings.freeze())
            .with_runtime_components(parts);

        let get_parameters = Operation::builder()
            .service_name("ssm")
            .operation_name("GetParameters")
            .behavior_version(aws_config::BehaviorVersion::latest())
            .endpoint_url(&endpoint(aws, region.as_ref()))
            .standard_retry(retries)
            .timeout_config(timeouts)
            .serializer(request)
            .deserializer(response)
            .runtime_plugin(plugin)
            .build();
        Ok(Self { get_parameters })
    }

    /// Reads and decrypts parameters. The result has those that exist, by name.
    ///
    /// # Errors
    ///
    /// The store refused the request, or did not answer in time.
    pub async fn read(&self, names: Vec<String>) -> Result<HashMap<String, String>, ReadError> {
        let found = self.get_parameters.invoke(names).await?;
        let found = found.parameters.into_iter();
        Ok(found.map(|one| (one.name, one.value)).collect())
    }
}

/// The URL of the service: `AWS_ENDPOINT_URL_SSM`, `AWS_ENDPOINT_URL`, or that of the region.
fn endpoint(aws: &SdkConfig, region: &str) -> String {
    let own = aws.service_config().and_then(|settings| {
        let key = ServiceConfigKey::builder()
            .service_id("ssm")
            .env("AWS_ENDPOINT_URL")
            .profile("endpoint_url")
            .build();
        settings.load_config(key.ok()?)
    });
    own.or_else(|| aws.endpoint_url().map(str::to_owned))
        .unwrap_or_else(|| {
            let suffix = if region.starts_with("cn-") { ".cn" } else { "" };
            format!("https://ssm.{region}.amazonaws.com{suffix}")
        })
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "a serializer takes its input by value"
)]
fn request(names: Vec<String>) -> Result<HttpRequest, BoxError> {
    let body = serde_json::json!({"Names": names, "WithDecryption": true});
    let request = http::Request::builder()
        .method(http::Method::POST)
        .uri("/")
        .header(http::header::CONTENT_TYPE, "application/x-amz-json-1.1")
        .header("x-amz-target", "AmazonSSM.GetParameters")
        .body(SdkBody::from(body.to_string()))?;
    Ok(request.try_into()?)
}

fn response(response: &HttpResponse) -> Result<Parameters, OrchestratorError<Refusal>> {
    let body = response.body().bytes().unwrap_or_default();
    if response.status().is_success() {
        // The parser's message may quote the answer.
        return serde_json::from_slice(body)
            .map_err(|_| OrchestratorError::response("the answer does not read".into()));
    }
    Err(OrchestratorError::operation(Refusal::read(body)))
}

impl Refusal {
    /// The code of an error of the JSON protocol: `__type`, of which what stands before a `#` is a
    /// namespace.
    fn read(body: &[u8]) -> Self {
        #[derive(Deserialize)]
        struct Body {
            #[serde(rename = "__type")]
            code: String,
        }
        let code = serde_json::from_slice::<Body>(body).ok();
        let code = code.as_ref().and_then(|body| body.code.rsplit('#').next());
        let mut metadata = ErrorMetadata::builder();
        if let Some(code) = code {
            metadata = metadata.code(code);
        }
        Self(metadata.build())
    }
}

impl ProvideErrorMetadata for Refusal {
    fn meta(&self) -> &ErrorMetadata {
        &self.0
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.code().unwrap_or("an error without a code"))
    }
}

impl Error for Refusal {}

impl From<SdkError<Refusal, HttpResponse>> for ReadError {
    fn from(error: SdkError<Refusal, HttpResponse>) -> Self {
        let code = error.as_service_error().and_then(|error| error.0.code());
        let cause = if let SdkError::TimeoutError(_) = error {
            "no answer in time; where many functions start together, see the quota of \
             GetParameters"
                .to_owned()
        } else {
            chain(&error)
        };
        Self {
            code: code.map(str::to_owned),
            cause,
        }
    }
}

/// An error's text with that of each cause.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.cause)
    }
}

impl Error for ReadError {}

#[cfg(test)]
mod tests;
