//! Invocations of the functions that `cargo lambda watch` runs.

use std::time::Duration;

use bytes::Bytes;
use futures::{FutureExt, future::BoxFuture};
use http::header;
use reqwest::Client;
use serde::Deserialize;
use serde_json::Value;
use tokio::time::timeout;

use crate::lambda::EXIT_ERROR;

/// The functions behind Lambda's invoke URL.
#[derive(Clone, Debug)]
pub struct Functions {
    url: String,
    http: Client,
}

/// An invocation gave no result.
#[derive(Debug, thiserror::Error)]
pub enum InvocationError {
    /// There was no answer.
    #[error("{function} gave no answer: {source}")]
    NoAnswer {
        /// Name of the function.
        function: String,
        /// Error of the HTTP client.
        source: reqwest::Error,
    },
    /// The function's process ended; it restarts by itself.
    #[error("the process of {function} has ended: {message}")]
    Ended {
        /// Name of the function.
        function: String,
        /// Exit status or signal.
        message: String,
    },
    /// The function exceeded its time.
    #[error("{function} did not answer within {within:?}")]
    TimedOut {
        /// Name of the function.
        function: String,
        /// Time limit.
        within: Duration,
    },
    /// The function failed or does not exist.
    #[error("{function} failed with status {status}: {body}")]
    Failed {
        /// Name of the function.
        function: String,
        /// HTTP status of the answer.
        status: u16,
        /// Error of the function.
        body: String,
    },
}

/// A running invocation.
pub type Invocation = BoxFuture<'static, Result<Bytes, InvocationError>>;

/// An error in Lambda's format.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FunctionError {
    error_type: String,
    error_message: String,
}

impl Functions {
    /// Returns the functions behind `invoke_url`.
    pub fn new(invoke_url: &str) -> Result<Self, reqwest::Error> {
        Ok(Self {
            url: format!("{invoke_url}/2015-03-31/functions"),
            // The URL is on this machine, so no proxy applies.
            http: Client::builder().no_proxy().build()?,
        })
    }

    /// Sends an event to a function and returns its result.
    pub async fn invoke(
        &self,
        function: &str,
        event: Bytes,
        within: Duration,
    ) -> Result<Bytes, InvocationError> {
        timeout(within, self.wait_for(function, event))
            .await
            .unwrap_or_else(|_| {
                Err(InvocationError::TimedOut {
                    function: function.to_owned(),
                    within,
                })
            })
    }

    async fn wait_for(&self, function: &str, event: Bytes) -> Result<Bytes, InvocationError> {
        let no_answer = |source| InvocationError::NoAnswer {
            function: function.to_owned(),
            source,
        };
        let response = self
            .http
            .post(format!("{}/{function}/invocations", self.url))
            .header(header::CONTENT_TYPE, "application/json")
            .body(event)
            .send()
            .await
            .map_err(no_answer)?;
        let status = response.status();
        let failed =
            !status.is_success() || response.headers().contains_key("x-amz-function-error");
        let body = response.bytes().await.map_err(no_answer)?;
        if failed {
            return Err(InvocationError::of(function, status.as_u16(), &body));
        }
        Ok(body)
    }

    /// Returns a closure that invokes one function, for the mapping and the schedule.
    pub fn invoker(
        &self,
        function: &'static str,
        within: Duration,
    ) -> impl Fn(Value) -> Invocation + Clone + Send + Sync + use<> {
        let functions = self.clone();
        move |event| {
            let functions = functions.clone();
            async move {
                let event = event.to_string().into();
                functions.invoke(function, event, within).await
            }
            .boxed()
        }
    }
}

impl InvocationError {
    fn of(function: &str, status: u16, body: &[u8]) -> Self {
        let function = function.to_owned();
        match serde_json::from_slice::<FunctionError>(body) {
            Ok(error) if error.error_type == EXIT_ERROR => Self::Ended {
                function,
                message: error.error_message,
            },
            _ => Self::Failed {
                function,
                status,
                body: String::from_utf8_lossy(body).into_owned(),
            },
        }
    }
}
