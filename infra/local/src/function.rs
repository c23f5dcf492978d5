//! Invoking a function that `cargo lambda watch` runs.

use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

/// A function behind Lambda's invoke address.
#[derive(Debug, Clone)]
pub struct Function {
    name: String,
    url: String,
    http: reqwest::Client,
}

/// Why an invocation gave no result.
#[derive(Debug, thiserror::Error)]
pub enum InvocationError {
    /// No answer came, or not in time.
    #[error("{function} gave no answer: {source}")]
    NoAnswer {
        /// Name of the function.
        function: String,
        /// What the HTTP client said.
        source: reqwest::Error,
    },
    /// The function failed, or is not there.
    #[error("{function} answered {status}: {body}")]
    Failed {
        /// Name of the function.
        function: String,
        /// HTTP status of the answer.
        status: u16,
        /// The error as the function described it.
        body: String,
    },
}

impl Function {
    /// The function `name` behind `invoke_url`. An invocation that takes longer than `timeout` has failed.
    pub fn new(invoke_url: &str, name: &str, timeout: Duration) -> Result<Self, reqwest::Error> {
        Ok(Self {
            name: name.to_owned(),
            url: format!("{invoke_url}/2015-03-31/functions/{name}/invocations"),
            // The address is on this machine, whatever proxy leads off it.
            http: reqwest::Client::builder()
                .no_proxy()
                .timeout(timeout)
                .build()?,
        })
    }

    /// Sends an event and gives the function's result.
    pub async fn invoke(&self, event: &Value) -> Result<Bytes, InvocationError> {
        let no_answer = |source| InvocationError::NoAnswer {
            function: self.name.clone(),
            source,
        };
        let response = self
            .http
            .post(&self.url)
            .json(event)
            .send()
            .await
            .map_err(no_answer)?;
        let status = response.status();
        let failed =
            !status.is_success() || response.headers().contains_key("x-amz-function-error");
        let body = response.bytes().await.map_err(no_answer)?;
        if failed {
            return Err(InvocationError::Failed {
                function: self.name.clone(),
                status: status.as_u16(),
                body: String::from_utf8_lossy(&body).into_owned(),
            });
        }
        Ok(body)
    }

    /// This function as the mapping and the schedule invoke it.
    pub fn invoker(&self) -> impl Fn(Value) -> Invocation + Clone + Send + Sync + use<> {
        let function = self.clone();
        move |event| {
            let function = function.clone();
            async move {
                let answer = function.invoke(&event).await;
                answer.map_err(|error| error.to_string())
            }
            .boxed()
        }
    }
}

/// An invocation under way: the function's answer, or why there is none.
pub type Invocation = BoxFuture<'static, Result<Bytes, String>>;
