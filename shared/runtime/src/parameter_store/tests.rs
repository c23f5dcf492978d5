use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use aws_config::{BehaviorVersion, Region, SdkConfig};
use aws_credential_types::{Credentials, provider::SharedCredentialsProvider};
use aws_smithy_runtime_api::client::{
    http::{
        HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpConnector,
    },
    orchestrator::{HttpRequest, HttpResponse},
    runtime_components::RuntimeComponents,
};
use futures::future::join_all;
use tokio::time::{Instant, sleep, timeout};

use crate::config::Environment;

/// Requests that the double answers per second; it refuses the rest.
const QUOTA: usize = 40;

/// Time that Lambda gives a start, and then the first request.
const LAMBDA: [Duration; 2] = [Duration::from_secs(10); 2];

/// Latency of an answer.
const LATENCY: Duration = Duration::from_millis(20);

/// A double of Parameter Store with one parameter.
#[derive(Clone, Debug)]
struct Double {
    began: Instant,
    asked: Arc<Mutex<Asked>>,
    answer: &'static str,
}

#[derive(Debug, Default)]
struct Asked {
    second: u64,
    in_second: usize,
    refused: usize,
}

impl Double {
    fn answering(answer: &'static str) -> Self {
        Self {
            began: Instant::now(),
            asked: Arc::default(),
            answer,
        }
    }

    fn judge(&self) -> (u16, &'static str) {
        let mut asked = self.asked.lock().unwrap();
        let second = self.began.elapsed().as_secs();
        if asked.second != second {
            (asked.second, asked.in_second) = (second, 0);
        }
        if asked.in_second < QUOTA {
            asked.in_second += 1;
            return (200, self.answer);
        }
        asked.refused += 1;
        let refusal = r#"{"__type": "ThrottlingException", "message": "Rate exceeded"}"#;
        (400, refusal)
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
    fn call(&self, _: HttpRequest) -> HttpConnectorFuture {
        let double = self.clone();
        HttpConnectorFuture::new(async move {
            sleep(LATENCY).await;
            let (status, body) = double.judge();
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
    let parameter = ("SESSION_SECRETS_PARAMETER", "/workdesk/session-secrets");
    [parameter]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into_iter()
        .collect()
}

/// Starts a function as Lambda does. Returns the time until it could serve; none if it never could.
async fn starts(aws: SdkConfig, since: Instant) -> Option<Duration> {
    for time in LAMBDA {
        let start = environment().with_secrets(&aws);
        if let Ok(Ok(environment)) = timeout(time, start).await {
            assert_eq!(environment.optional("SESSION_SECRETS"), Some("hush"));
            return Some(since.elapsed());
        }
    }
    None
}

const FOUND: &str = r#"{"Parameters": [{"Name": "/workdesk/session-secrets", "Value": "hush"}]}"#;

/// Starts as many functions as the template's gateway admits at once. The clock jumps ahead while
/// all tasks wait.
#[tokio::test(start_paused = true)]
async fn four_hundred_functions_that_start_at_once_all_get_their_secrets() {
    let double = Double::answering(FOUND);
    let started = join_all((0..400).map(|_| starts(double.aws(), double.began))).await;
    let last = started.into_iter().map(Option::unwrap).max().unwrap();
    let refused = double.asked.lock().unwrap().refused;
    println!("the last of 400 after {last:?}; {refused} requests were refused");
    assert!(refused > 400, "the quota was not felt");
    assert!(last < Duration::from_secs(15), "{last:?}");
}

#[tokio::test(start_paused = true)]
async fn one_that_starts_alone_does_not_wait() {
    let double = Double::answering(FOUND);
    let after = starts(double.aws(), double.began).await;
    assert!(after.unwrap() <= 2 * LATENCY, "{after:?}");
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_read_is_named_without_a_value() {
    for (answer, says) in [
        (
            r#"{"InvalidParameters": ["/workdesk/session-secrets"]}"#,
            "does not exist",
        ),
        (r#"{"Parameters": [{"Name": 1, "Value": "hush"}]}"#, ""),
        (r#"{"Parameters": [{"Value": "hush""#, ""),
    ] {
        let aws = Double::answering(answer).aws();
        let error = environment().with_secrets(&aws).await.unwrap_err();
        let text = format!("{error} {error:?}");
        assert!(text.contains("/workdesk/session-secrets"), "{text}");
        assert!(text.contains(says), "{text}");
        assert!(!text.contains("hush"), "{text}");
    }
}
