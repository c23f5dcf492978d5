//! Invocations of the function, as `cargo lambda watch` hands them out.

use std::time::Duration;

use bytes::Bytes;
use futures::{FutureExt, future::BoxFuture};
use http::{HeaderMap, HeaderName, StatusCode};
use reqwest::Client;
use serde_json::json;

use crate::lambda::MAX_PAYLOAD;

/// Header with the id of an invocation.
pub(super) const REQUEST_ID: HeaderName = HeaderName::from_static("lambda-runtime-aws-request-id");

/// Pause after an answer without an invocation.
const PAUSE: Duration = Duration::from_millis(100);

/// An event for the function.
#[derive(Clone, Debug)]
pub(super) struct Invocation {
    pub(super) id: String,
    /// Headers for the runtime.
    pub(super) headers: HeaderMap,
    pub(super) event: Bytes,
}

/// The function's answer to an event.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    /// Result.
    Result(Bytes),
    /// Error, as JSON.
    Error(Bytes),
    /// Number of bytes of a result that is larger than Lambda accepts.
    TooLarge(usize),
}

/// Client of the runtime API of `cargo lambda watch`: takes invocations and sends answers.
pub(super) struct Invocations {
    http: Client,
    url: String,
    /// Open request for the next invocation. It is never cancelled, since its invocation would be
    /// lost.
    requested: Option<BoxFuture<'static, reqwest::Result<Invocation>>>,
}

impl Invocations {
    /// Returns the invocations of a runtime API; its address may begin with `http://`.
    pub(super) fn of(runtime_api: &str) -> reqwest::Result<Self> {
        let base = runtime_api.trim_start_matches("http://");
        Ok(Self {
            // No timeout: the next invocation may be days away.
            http: Client::builder().no_proxy().build()?,
            url: format!("http://{base}/2018-06-01/runtime/invocation"),
            requested: None,
        })
    }

    /// Waits for the next invocation. The future may be dropped and called again without loss.
    pub(super) async fn next(&mut self) -> reqwest::Result<Invocation> {
        let question = self.requested.get_or_insert_with(|| {
            let http = self.http.clone();
            let url = format!("{}/next", self.url);
            async move { ask(&http, &url).await }.boxed()
        });
        let invocation = question.await;
        self.requested = None;
        invocation
    }

    /// Sends the function's answer.
    pub(super) async fn answer(&self, id: &str, answer: Answer) -> reqwest::Result<()> {
        match answer {
            Answer::Result(result) => self.post(id, "response", result).await,
            Answer::Error(error) => self.post(id, "error", error).await,
            Answer::TooLarge(bytes) => {
                let message = format!("the answer has {bytes} bytes, more than {MAX_PAYLOAD}");
                self.fail(id, "Function.ResponseSizeTooLarge", &message)
                    .await
            }
        }
    }

    /// Sends an error of the execution environment.
    pub(super) async fn fail(&self, id: &str, kind: &str, message: &str) -> reqwest::Result<()> {
        let error = json!({"errorType": kind, "errorMessage": message});
        self.post(id, "error", error.to_string().into())
            .await
    }

    /// Posts an answer. Ignores the status: if it is an error, the caller has given up.
    async fn post(&self, id: &str, kind: &str, body: Bytes) -> reqwest::Result<()> {
        let url = format!("{}/{id}/{kind}", self.url);
        self.http
            .post(url)
            .body(body)
            .send()
            .await?;
        Ok(())
    }
}

async fn ask(http: &Client, url: &str) -> reqwest::Result<Invocation> {
    loop {
        let response = http.get(url).send().await?;
        let headers = response.headers().clone();
        let id = headers
            .get(REQUEST_ID)
            .and_then(|id| id.to_str().ok());
        if let (StatusCode::OK, Some(id)) = (response.status(), id) {
            return Ok(Invocation {
                id: id.to_owned(),
                event: response.bytes().await?,
                headers,
            });
        }
        tokio::time::sleep(PAUSE).await;
    }
}
