//! Responses of target systems, and the part of them that may be stored.

use std::error::Error;

use agent::{
    action::{BodyForm, Response},
    connection::{Connection, Excerpt, Replays, kept, redacted},
};
use reqwest::header::RETRY_AFTER;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

/// The most bytes of a response that are read: 1 MiB.
pub(crate) const MOST_READ: usize = 1024 * 1024;

/// The most bytes of a response that are stored.
const MOST_KEPT: usize = 4 * 1024;

/// A response whose head has arrived.
pub struct ResponseHead {
    /// The response. The body must arrive within the timeout of the call.
    pub response: reqwest::Response,
    /// Secrets to remove from the body before storage: the connection's secret, and the header
    /// value derived from it.
    pub secrets: Vec<SecretString>,
}

impl ResponseHead {
    /// Reads at most 1 MiB of the body, and removes the secrets from it. `connection` is the
    /// connection of the call.
    pub async fn read(mut self, connection: &Connection) -> Response {
        let status = self.response.status().as_u16();
        let header = |name: &str| {
            self.response
                .headers()
                .get(name)?
                .to_str()
                .ok()
        };
        let is_replay = connection.is_replay(
            connection
                .replayed_header()
                .and_then(header),
        );
        let retry_after = header(RETRY_AFTER.as_str()).map(str::to_owned);
        let (bytes, mut form) = self.bytes().await;
        let body = if bytes.is_empty() || matches!(form, BodyForm::Broken(_)) {
            Value::Null
        } else {
            serde_json::from_slice(&bytes).unwrap_or_else(|_| {
                if form == BodyForm::Json {
                    form = BodyForm::Text;
                }
                Value::String(String::from_utf8_lossy(&bytes).into_owned())
            })
        };
        let secrets = self
            .secrets
            .iter()
            .map(ExposeSecret::expose_secret);
        let body = redacted(body, &secrets.collect::<Vec<_>>());
        Response {
            status,
            code: connection.error_code.of(&body),
            excerpt: Excerpt {
                status,
                body: kept_part(body.clone(), connection),
            },
            body,
            form,
            is_replay,
            refuses_repeats: connection.replays() == Some(Replays::None),
            retry_after,
        }
    }

    /// Returns the first mebibyte of the body, with the form of a complete one that is JSON.
    async fn bytes(&mut self) -> (Vec<u8>, BodyForm) {
        let mut bytes = Vec::new();
        loop {
            match self.response.chunk().await {
                Ok(Some(chunk)) => {
                    let room = MOST_READ - bytes.len();
                    bytes.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
                    if chunk.len() > room {
                        return (bytes, BodyForm::TooLarge);
                    }
                }
                Ok(None) => return (bytes, BodyForm::Json),
                Err(error) => return (bytes, BodyForm::Broken(broken_off(&error))),
            }
        }
    }
}

/// Returns the problem of a call that ended without a complete response. The error's own text is
/// not used, since it contains the URL.
pub fn broken_off(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "The target system did not answer in time.".to_owned();
    }
    let cause = error
        .source()
        .map(ToString::to_string)
        .unwrap_or_default();
    format!("The connection broke before the answer was complete: {cause}.")
}

/// Returns the stored part of a body: the members that the connection keeps, up to 4 KiB, else the
/// beginning of their text.
fn kept_part(value: Value, connection: &Connection) -> Value {
    let value = kept(value, &connection.keep);
    let mut text = match &value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    if text.len() <= MOST_KEPT {
        return value;
    }
    text.truncate(text.floor_char_boundary(MOST_KEPT));
    Value::String(text)
}
