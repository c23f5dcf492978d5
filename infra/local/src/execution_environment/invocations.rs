//! The invocations that `cargo lambda watch` has for the function.

use std::time::Duration;

use bytes::Bytes;
use futures::{FutureExt, future::BoxFuture};
use http::{HeaderMap, HeaderName, StatusCode};
use reqwest::Client;
use serde_json::json;

use crate::function::MAX_PAYLOAD;

/// Names an invocation.
pub(super) const REQUEST_ID: HeaderName = HeaderName::from_static("lambda-runtime-aws-request-id");

/// Pause after an answer that held no invocation.
const PAUSE: Duration = Duration::from_millis(100);

/// An event that waits for the function's answer.
#[derive(Clone, Debug)]
pub(super) struct Invocation {
    pub(super) id: String,
    /// What the runtime is told beside the event.
    pub(super) headers: HeaderMap,
    pub(super) event: Bytes,
}

/// What a function says to an event.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    /// Its result.
    Result(Bytes),
    /// Its error, as JSON.
    Error(Bytes),
    /// Its result has more bytes than Lambda takes.
    TooLarge(usize),
}

/// Where invocations come from and their answers go.
pub(super) struct Invocations {
    http: Client,
    url: String,
    /// The question for the next one. It is never taken back: what came for it would be lost.
    asked: Option<BoxFuture<'static, reqwest::Result<Invocation>>>,
}

impl Invocations {
    /// Those behind a runtime API, with or without `http://`.
    pub(super) fn of(runtime_api: &str) -> reqwest::Result<Self> {
        let base = runtime_api.trim_start_matches("http://");
        Ok(Self {
            // The next invocation may be days away: no answer is too late.
            http: Client::builder().no_proxy().build()?,
            url: format!("http://{base}/2018-06-01/runtime/invocation"),
            asked: None,
        })
    }

    /// The next one, however long it takes. May be dropped and asked again.
    pub(super) async fn next(&mut self) -> reqwest::Result<Invocation> {
        let question = self.asked.get_or_insert_with(|| {
            let (http, url) = (self.http.clone(), format!("{}/next", self.url));
            async move { ask(&http, &url).await }.boxed()
        });
        let invocation = question.await;
        self.asked = None;
        invocation
    }

    /// Passes on what the function said.
    pub(super) async fn answer(&self, id: &str, answer: Answer) -> reqwest::Result<()> {
        match answer {
            Answer::Result(result) => self.post(id, "response", result).await,
            Answer::Error(error) => self.post(id, "error", error).await,
            Answer::TooLarge(bytes) => {
                let what = format!("an answer of {bytes} bytes; {MAX_PAYLOAD} is the most");
                self.fail(id, "Function.ResponseSizeTooLarge", &what).await
            }
        }
    }

    /// Answers with an error of the execution environment.
    pub(super) async fn fail(&self, id: &str, kind: &str, message: &str) -> reqwest::Result<()> {
        let error = json!({"errorType": kind, "errorMessage": message});
        self.post(id, "error", error.to_string().into()).await
    }

    /// Whoever invoked may have given up, which the status then says: nothing is to be done.
    async fn post(&self, id: &str, what: &str, body: Bytes) -> reqwest::Result<()> {
        let url = format!("{}/{id}/{what}", self.url);
        self.http.post(url).body(body).send().await?;
        Ok(())
    }
}

async fn ask(http: &Client, url: &str) -> reqwest::Result<Invocation> {
    loop {
        let response = http.get(url).send().await?;
        let headers = response.headers().clone();
        let id = headers.get(REQUEST_ID).and_then(|id| id.to_str().ok());
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
