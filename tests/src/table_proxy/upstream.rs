//! The engine behind the proxy.

use std::sync::{Arc, LazyLock};

use axum::{
    body::Bytes,
    http::{HeaderMap, StatusCode, header},
};
use serde_json::Value;

use super::{Asked, fault::problem};

/// One client for all proxies, which run on one runtime.
static CLIENT: LazyLock<reqwest::Client> = LazyLock::new(|| {
    reqwest::Client::builder()
        .no_proxy()
        .build()
        .unwrap()
});

/// The engine; clones are the same one.
#[derive(Clone, Debug)]
pub struct Upstream(Arc<str>);

impl Upstream {
    #[must_use]
    pub fn new(url: &str) -> Self {
        Self(url.into())
    }

    /// Sends a request as it came. An engine that is gone answers 503.
    pub async fn pass_on(&self, asked: &Asked) -> (StatusCode, Bytes) {
        self.send(asked.headers.clone(), asked.body.clone())
            .await
    }

    /// Sends a request in the place of one that came.
    pub async fn pass_on_as(&self, asked: &Asked, request: &Value) -> (StatusCode, Bytes) {
        let body = request.to_string().into();
        self.send(asked.headers.clone(), body)
            .await
    }

    /// Sends a request in the place of one that came. The answer is JSON.
    pub async fn ask(&self, asked: &Asked, request: &Value) -> (StatusCode, Value) {
        let (status, answer) = self.pass_on_as(asked, request).await;
        (status, serde_json::from_slice(&answer).unwrap())
    }

    /// Sends a request of the proxy's own, which must succeed.
    pub async fn expect(&self, operation: &str, request: &Value) -> Value {
        let mut headers = HeaderMap::new();
        let kind = "application/x-amz-json-1.0"
            .parse()
            .unwrap();
        headers.insert(header::CONTENT_TYPE, kind);
        let authorization = "AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/\
                             aws4_request, SignedHeaders=host, Signature=0";
        headers.insert(header::AUTHORIZATION, authorization.parse().unwrap());
        headers.insert("x-amz-date", "20260101T000000Z".parse().unwrap());
        let target = format!("DynamoDB_20120810.{operation}");
        headers.insert("x-amz-target", target.parse().unwrap());
        let (status, answer) = self
            .send(headers, request.to_string().into())
            .await;
        assert!(status.is_success(), "{operation}: {answer:?}");
        serde_json::from_slice(&answer).unwrap()
    }

    async fn send(&self, headers: HeaderMap, body: Bytes) -> (StatusCode, Bytes) {
        let request = CLIENT
            .post(&*self.0)
            .headers(headers)
            .body(body);
        let answer = async {
            let answer = request.send().await?;
            Ok::<_, reqwest::Error>((answer.status(), answer.bytes().await?))
        };
        answer.await.unwrap_or_else(|error| {
            let gone = problem("ServiceUnavailable", &error.to_string(), Value::Null);
            (StatusCode::SERVICE_UNAVAILABLE, gone.into())
        })
    }
}
