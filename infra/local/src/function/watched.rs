//! Functions behind Lambda's invoke URL, such as that of `cargo lambda watch`.

use bytes::Bytes;
use http::header;
use reqwest::Client;
use serde::Deserialize;

use crate::lambda::EXIT_ERROR;

use super::error::InvocationError;

/// The functions behind an invoke URL.
#[derive(Debug)]
pub(super) struct Watched {
    url: String,
    http: Client,
}

/// An error in Lambda's format.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FunctionError {
    error_type: String,
    error_message: String,
}

impl Watched {
    pub(super) fn at(invoke_url: &str) -> reqwest::Result<Self> {
        Ok(Self {
            url: format!("{invoke_url}/2015-03-31/functions"),
            // The URL is on this machine, so no proxy applies.
            http: Client::builder().no_proxy().build()?,
        })
    }

    /// Sends an event to a function and returns its answer.
    pub(super) async fn invoke(
        &self,
        function: &str,
        event: Bytes,
    ) -> Result<Bytes, InvocationError> {
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
        let failed = !status.is_success()
            || response
                .headers()
                .contains_key("x-amz-function-error");
        let body = response
            .bytes()
            .await
            .map_err(no_answer)?;
        if failed {
            return Err(InvocationError::of(function, status.as_u16(), &body));
        }
        Ok(body)
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
                problem: format!("status {status}: {}", String::from_utf8_lossy(body)),
            },
        }
    }
}
