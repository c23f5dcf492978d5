//! AWS Key Management Service: encrypts and decrypts secrets of up to 4,096 bytes.
//!
//! The key never leaves the service. Each ciphertext belongs to an encryption context: pairs of
//! names and values without which it does not decrypt.
//!
//! Workdesk calls two operations. The crate `aws-sdk-kms` has 50 of them and would take long to
//! build. This client is made of the same parts as the SDK's own.

use std::{error::Error, sync::Arc, time::Duration};

use aws_runtime::{
    auth::{
        SigV4OperationSigningConfig,
        sigv4::{SCHEME_ID, SigV4AuthScheme},
    },
    retries::classifiers::AwsErrorCodeClassifier,
};
use aws_smithy_runtime::client::{
    orchestrator::operation::Operation,
    retries::classifiers::{HttpStatusCodeClassifier, TransientErrorClassifier},
};
use aws_smithy_runtime_api::{
    box_error::BoxError,
    client::{
        auth::{
            AuthSchemeOptionResolverParams, SharedAuthScheme,
            static_resolver::StaticAuthSchemeOptionResolver,
        },
        behavior_version::BehaviorVersion,
        orchestrator::{HttpRequest, HttpResponse, OrchestratorError},
        result::SdkError,
        runtime_components::RuntimeComponentsBuilder,
        runtime_plugin::StaticRuntimePlugin,
    },
};
use aws_smithy_types::{
    base64,
    body::SdkBody,
    config_bag::Layer,
    error::metadata::{ErrorMetadata, ProvideErrorMetadata},
    retry::RetryConfig,
    timeout::TimeoutConfig,
};
use aws_types::{SdkConfig, SigningName, region::SigningRegion, service_config::ServiceConfigKey};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{aws, config_error::ConfigError};

/// Time limit of a decryption at start. Lambda gives a start ten seconds. If that fails, Lambda
/// starts again within the time of the first request, also ten seconds.
const START_TIMEOUT: Duration = Duration::from_millis(8_500);

/// More attempts than fit into [`START_TIMEOUT`].
const START_ATTEMPTS: u32 = 100;

/// Longest pause between two attempts at start; half of it is usual.
const START_BACKOFF: Duration = Duration::from_secs(2);

/// An encryption context: what a ciphertext belongs to. It stands in plain text in AWS's logs.
pub type Context<'a> = &'a [(&'a str, &'a str)];

/// A client of the key management service. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Kms {
    decrypt: Arc<Operation<Value, Blob, Refusal>>,
    encrypt: Arc<Operation<Value, Blob, Refusal>>,
}

/// A failed operation. Its text has an error code or a cause, and never a request or an answer,
/// which may hold secrets.
#[derive(Debug, thiserror::Error)]
#[error("{cause}")]
pub struct KmsError {
    /// Error code of the service, such as `ThrottlingException`.
    pub code: Option<String>,
    cause: String,
}

/// A value of an answer in base64.
#[derive(Clone, Debug)]
struct Blob(SecretString);

/// An error response, by its code alone.
#[derive(Debug, thiserror::Error)]
#[error("{}", .0.code().unwrap_or("an error without a code"))]
struct Refusal(ErrorMetadata);

impl Kms {
    /// A client with the SDK's usual retries and time limits. Fails if no region or no credentials
    /// are configured.
    pub fn new(aws: &SdkConfig) -> Result<Self, ConfigError> {
        let retries = aws.retry_config().cloned();
        let retries = retries.unwrap_or_else(RetryConfig::standard);
        let timeouts = aws.timeout_config().cloned();
        Self::with(aws, &retries, &timeouts.unwrap_or_else(aws::timeouts))
    }

    /// A client for a cold start, which retries for [`START_TIMEOUT`].
    pub(crate) fn at_start(aws: &SdkConfig) -> Result<Self, ConfigError> {
        let retries = RetryConfig::standard()
            .with_max_attempts(START_ATTEMPTS)
            .with_max_backoff(START_BACKOFF);
        let timeouts = aws::timeouts()
            .to_builder()
            .operation_timeout(START_TIMEOUT)
            .build();
        Self::with(aws, &retries, &timeouts)
    }

    fn with(
        aws: &SdkConfig,
        retries: &RetryConfig,
        timeouts: &TimeoutConfig,
    ) -> Result<Self, ConfigError> {
        let operation = |name, answer| operation(aws, retries, timeouts, name, answer);
        Ok(Self {
            decrypt: operation("Decrypt", "Plaintext")?.into(),
            encrypt: operation("Encrypt", "CiphertextBlob")?.into(),
        })
    }

    /// Encrypts a text of 1 to 4,096 bytes with a key. Returns the ciphertext in base64. Fails if
    /// the service refused the request, or did not answer in time.
    pub async fn encrypt(
        &self,
        key: &str,
        text: &impl ExposeSecret<str>,
        context: Context<'_>,
    ) -> Result<String, KmsError> {
        let request = json!({
            "KeyId": key,
            "Plaintext": base64::encode(text.expose_secret()),
            "EncryptionContext": pairs(context),
        });
        let Blob(ciphertext) = self.encrypt.invoke(request).await?;
        Ok(ciphertext.expose_secret().to_owned())
    }

    /// Decrypts a ciphertext in base64 with the key that encrypted it. Fails if the ciphertext does
    /// not belong to the context, or the service refused the request, or did not answer in time.
    pub async fn decrypt(
        &self,
        ciphertext: &str,
        context: Context<'_>,
    ) -> Result<SecretString, KmsError> {
        let request = json!({
            "CiphertextBlob": ciphertext,
            "EncryptionContext": pairs(context),
        });
        let Blob(text) = self.decrypt.invoke(request).await?;
        let text = base64::decode(text.expose_secret()).ok();
        let text = text.and_then(|text| String::from_utf8(text).ok());
        text.map(SecretString::from)
            .ok_or_else(|| KmsError {
                code: None,
                cause: "the plaintext is no text".to_owned(),
            })
    }
}

impl KmsError {
    /// True if the ciphertext is damaged, or belongs to another context or key.
    pub fn is_wrong_ciphertext(&self) -> bool {
        let wrong = ["InvalidCiphertextException", "IncorrectKeyException"];
        self.code
            .as_deref()
            .is_some_and(|code| wrong.contains(&code))
    }
}

fn pairs(context: Context<'_>) -> Map<String, Value> {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).into());
    context.iter().map(owned).collect()
}

/// Builds the operation of that name. Its result is the member `answer`.
fn operation(
    aws: &SdkConfig,
    retries: &RetryConfig,
    timeouts: &TimeoutConfig,
    name: &'static str,
    answer: &'static str,
) -> Result<Operation<Value, Blob, Refusal>, ConfigError> {
    let no_region = ConfigError::Missing("AWS_REGION", "the region of the key");
    let region = aws.region().ok_or(no_region)?;
    let no_credentials = ConfigError::Missing("AWS_ACCESS_KEY_ID", "the credentials");
    let credentials = aws
        .credentials_provider()
        .ok_or(no_credentials)?;

    let mut settings = Layer::new("KMS");
    settings.store_put(AuthSchemeOptionResolverParams::new(()));
    settings.store_put(SigV4OperationSigningConfig {
        region: Some(SigningRegion::from(region.clone())),
        name: Some(SigningName::from_static("kms")),
        ..SigV4OperationSigningConfig::default()
    });
    let scheme = StaticAuthSchemeOptionResolver::new(vec![SCHEME_ID]);
    let mut parts = RuntimeComponentsBuilder::new("KMS")
        .with_auth_scheme_option_resolver(Some(scheme))
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

    Ok(Operation::builder()
        .service_name("kms")
        .operation_name(name)
        .behavior_version(BehaviorVersion::latest())
        .endpoint_url(&endpoint(aws, region.as_ref()))
        .standard_retry(retries)
        .timeout_config(timeouts.clone())
        .serializer(move |body| request(name, &body))
        .deserializer(move |response| response_of(response, answer))
        .runtime_plugin(plugin)
        .build())
}

/// The URL of the service: `AWS_ENDPOINT_URL_KMS`, `AWS_ENDPOINT_URL`, or that of the region.
fn endpoint(aws: &SdkConfig, region: &str) -> String {
    let own = aws
        .service_config()
        .and_then(|settings| {
            let key = ServiceConfigKey::builder()
                .service_id("kms")
                .env("AWS_ENDPOINT_URL")
                .profile("endpoint_url")
                .build();
            settings.load_config(key.ok()?)
        });
    own.or_else(|| aws.endpoint_url().map(str::to_owned))
        .unwrap_or_else(|| {
            let suffix = if region.starts_with("cn-") { ".cn" } else { "" };
            format!("https://kms.{region}.amazonaws.com{suffix}")
        })
}

fn request(operation: &str, body: &Value) -> Result<HttpRequest, BoxError> {
    let request = http::Request::builder()
        .method(http::Method::POST)
        .uri("/")
        .header(http::header::CONTENT_TYPE, "application/x-amz-json-1.1")
        .header("x-amz-target", format!("TrentService.{operation}"))
        .body(SdkBody::from(body.to_string()))?;
    Ok(request.try_into()?)
}

fn response_of(response: &HttpResponse, member: &str) -> Result<Blob, OrchestratorError<Refusal>> {
    let body = response
        .body()
        .bytes()
        .unwrap_or_default();
    if !response.status().is_success() {
        return Err(OrchestratorError::operation(Refusal::read(body)));
    }
    // The parser's message may quote the answer.
    let answer = serde_json::from_slice::<Value>(body).ok();
    let value = answer.and_then(|mut answer| match answer.get_mut(member)?.take() {
        Value::String(value) => Some(Blob(value.into())),
        _ => None,
    });
    value.ok_or_else(|| OrchestratorError::response("the answer does not read".into()))
}

impl Refusal {
    /// The code of an error of the JSON protocol: `__type`, without the namespace before a `#`.
    fn read(body: &[u8]) -> Self {
        #[derive(Deserialize)]
        struct Body {
            #[serde(rename = "__type")]
            code: String,
        }
        let code = serde_json::from_slice::<Body>(body).ok();
        let code = code
            .as_ref()
            .and_then(|body| body.code.rsplit('#').next());
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

impl From<SdkError<Refusal, HttpResponse>> for KmsError {
    fn from(error: SdkError<Refusal, HttpResponse>) -> Self {
        let code = error
            .as_service_error()
            .and_then(|error| error.0.code());
        let cause = match error {
            SdkError::TimeoutError(_) => "no answer in time".to_owned(),
            _ => chain(&error),
        };
        let code = code.map(str::to_owned);
        Self { code, cause }
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

#[cfg(test)]
mod tests;
