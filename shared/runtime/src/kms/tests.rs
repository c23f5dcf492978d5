use std::sync::Mutex;

use aws_sdk_dynamodb::config::{Credentials, Region, SharedCredentialsProvider};
use aws_smithy_runtime_api::client::{
    http::{
        HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
    },
    orchestrator::{HttpRequest, HttpResponse},
    runtime_components::RuntimeComponents,
};
use tokio::time::{Instant, sleep, timeout};

use crate::config::Environment;

use super::*;

/// Time that Lambda gives a start.
const LAMBDA: Duration = Duration::from_secs(10);

/// Latency of an answer.
const LATENCY: Duration = Duration::from_millis(20);

/// A double of the service: it refuses for a time, and then always gives the same answer.
#[derive(Clone, Debug)]
struct Double {
    ready: Instant,
    answer: String,
    /// Operations with the bodies of their requests.
    asked: Arc<Mutex<Vec<(String, Value)>>>,
}

impl Double {
    fn answering(answer: impl Into<String>) -> Self {
        Self {
            ready: Instant::now(),
            answer: answer.into(),
            asked: Arc::default(),
        }
    }

    fn decrypting(text: &str) -> Self {
        Self::answering(json!({"Plaintext": base64::encode(text)}).to_string())
    }

    fn take(&self) -> Vec<(String, Value)> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }

    fn aws(&self) -> SdkConfig {
        let credentials = Credentials::new("test", "test", None, None, "test");
        SdkConfig::builder()
            .behavior_version(BehaviorVersion::latest())
            .region(Region::from_static("us-east-1"))
            .credentials_provider(SharedCredentialsProvider::new(credentials))
            .http_client(self.clone())
            .build()
    }
}

impl HttpConnector for Double {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let double = self.clone();
        let target = request
            .headers()
            .get("x-amz-target")
            .unwrap()
            .to_owned();
        let body = serde_json::from_slice(request.body().bytes().unwrap()).unwrap();
        double
            .asked
            .lock()
            .unwrap()
            .push((target, body));
        HttpConnectorFuture::new(async move {
            sleep(LATENCY).await;
            let refusal = r#"{"__type": "ThrottlingException", "message": "Rate exceeded"}"#;
            let is_ready = Instant::now() >= double.ready;
            let body = if is_ready {
                double.answer
            } else {
                refusal.to_owned()
            };
            let status: u16 = if body.contains("__type") { 400 } else { 200 };
            Ok(HttpResponse::new(status.try_into().unwrap(), body.into()))
        })
    }
}

impl HttpClient for Double {
    fn http_connector(
        &self,
        _: &HttpConnectorSettings,
        _: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(self.clone())
    }
}

fn environment() -> Environment {
    with_ciphertexts(&["ENCRYPTED_SESSION_SECRETS"])
}

fn with_ciphertexts(names: &[&str]) -> Environment {
    let names = names
        .iter()
        .map(|name| (*name, "Y2lwaGVydGV4dA=="));
    Environment::of(&names.collect::<Vec<_>>())
}

#[tokio::test(start_paused = true)]
async fn a_start_decrypts_each_ciphertext_by_one_request_for_its_purpose() {
    let double = Double::decrypting("SESSION_SECRETS=hush,older\nPROXY_SECRETS=quiet\n");
    let started = environment()
        .with_secrets(&double.aws())
        .await
        .unwrap();
    assert_eq!(started.list("SESSION_SECRETS"), ["hush", "older"]);
    assert_eq!(started.optional("PROXY_SECRETS"), Some("quiet"));
    let asked = |purpose: &str| {
        let context = json!({"purpose": purpose});
        let body = json!({"CiphertextBlob": "Y2lwaGVydGV4dA==", "EncryptionContext": context});
        ("TrentService.Decrypt".to_owned(), body)
    };
    assert_eq!(double.take(), [asked("session")]);
    for (name, text, purpose) in [
        ("ENCRYPTED_WEBHOOK_SECRETS", "WEBHOOK_SECRETS=a", "webhook"),
        ("ENCRYPTED_CHECK_SECRETS", "CHECK_PASSWORD=a", "check"),
        ("ENCRYPTED_MAIL_SECRETS", "MAIL_URL=a", "mail"),
    ] {
        let double = Double::decrypting(text);
        let started = with_ciphertexts(&[name])
            .with_secrets(&double.aws())
            .await;
        let (variable, _) = text.split_once('=').unwrap();
        assert_eq!(started.unwrap().optional(variable), Some("a"));
        assert_eq!(double.take(), [asked(purpose)]);
    }
    // The secrets of one purpose are none of another's.
    let two = with_ciphertexts(&["ENCRYPTED_SESSION_SECRETS", "ENCRYPTED_WEBHOOK_SECRETS"]);
    let refused = two
        .with_secrets(&double.aws())
        .await
        .unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("ENCRYPTED_WEBHOOK_SECRETS")
    );
    double.take();
    // Without a ciphertext there is nothing to ask for.
    let plain = Environment::of(&[("SESSION_SECRETS", "given")]);
    let started = plain
        .with_secrets(&double.aws())
        .await
        .unwrap();
    assert_eq!(started.optional("SESSION_SECRETS"), Some("given"));
    assert_eq!(double.take(), []);
}

/// The clock jumps ahead while all tasks wait.
#[tokio::test(start_paused = true)]
async fn a_start_outlasts_seconds_of_refusals_and_ends_in_time() {
    let mut double = Double::decrypting("SESSION_SECRETS=hush");
    double.ready = Instant::now() + Duration::from_secs(6);
    let started = timeout(LAMBDA, environment().with_secrets(&double.aws())).await;
    let started = started.unwrap().unwrap();
    assert_eq!(started.optional("SESSION_SECRETS"), Some("hush"));
    assert!(double.take().len() > 3);
    double.ready = Instant::now() + 2 * LAMBDA;
    let failed = timeout(LAMBDA, environment().with_secrets(&double.aws())).await;
    let error = failed.unwrap().unwrap_err().to_string();
    assert!(error.contains("ENCRYPTED_SESSION_SECRETS"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn what_does_not_decrypt_is_named_without_a_value() {
    let no_lines = Double::decrypting("hush");
    let another = Double::decrypting("PATH=hush");
    let no_text = Double::answering(json!({"Plaintext": "/w=="}).to_string());
    let no_json = Double::answering(r#"{"Plaintext": "hush"#);
    let refused = Double::answering(r#"{"__type": "x#InvalidCiphertextException"}"#);
    for (double, says) in [
        (no_lines, "SESSION_SECRETS=…"),
        (another, "SESSION_SECRETS=…"),
        (no_text, "no text"),
        // It asks again until the time is over.
        (no_json, "no answer in time"),
        (refused, "InvalidCiphertextException"),
    ] {
        let error = environment()
            .with_secrets(&double.aws())
            .await
            .unwrap_err();
        let text = format!("{error} {error:?}");
        for (part, is_there) in [
            ("ENCRYPTED_SESSION_SECRETS", true),
            (says, true),
            ("hush", false),
        ] {
            assert_eq!(text.contains(part), is_there, "{text}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_text_is_encrypted_with_the_key_for_its_context() {
    let double = Double::answering(json!({"CiphertextBlob": "c2VhbGVk"}).to_string());
    let kms = Kms::new(&double.aws()).unwrap();
    let secret = SecretString::from("hush");
    let context = &[("organization", "1"), ("connection", "billing")];
    let sealed = kms
        .encrypt("arn:key", &secret, context)
        .await
        .unwrap();
    assert_eq!(sealed, "c2VhbGVk");
    let body = json!({
        "KeyId": "arn:key", "Plaintext": "aHVzaA==",
        "EncryptionContext": {"organization": "1", "connection": "billing"},
    });
    assert_eq!(double.take(), [("TrentService.Encrypt".to_owned(), body)]);
}
