//! Answers of target systems, and the part of them that may be stored.

use std::time::Duration;

use agent::{Connection, Facts, Silence, TargetRead, answer, without};
use model::{JsonText, digest};
use reqwest::StatusCode;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use crate::{Answered, NoAnswer, Sending, Targets};

/// The most bytes of an answer that are read.
const MOST_READ: usize = 64 * 1024;

/// The most bytes of an answer that are stored.
const MOST_KEPT: usize = 4 * 1024;

/// A complete answer.
pub struct Told {
    status: u16,
    /// The body: JSON, a text if it is not JSON, or null if empty.
    pub body: Value,
    /// True if the body is JSON or empty. A body over 64 KiB is not read to its end and counts as
    /// JSON.
    pub is_well_formed: bool,
    secrets: Vec<SecretString>,
}

/// The result of a read.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// The status code.
    pub status: u16,
    /// True if the answer is complete JSON or empty.
    pub is_json: bool,
    /// The known facts: the read's facts after a 2xx, and always the status as `read.http`.
    pub facts: Facts,
    /// The answer without secrets and private members, up to 4 KiB: `{status, body}`.
    pub excerpt: JsonText,
    /// SHA-256 of the body without secrets and private members, in hexadecimal.
    pub hash: String,
}

impl Answered {
    /// Reads the body.
    pub async fn told(mut self) -> Result<Told, NoAnswer> {
        let status = self.response.status().as_u16();
        let mut bytes = Vec::new();
        let mut whole = true;
        while let Some(chunk) = self.response.chunk().await.map_err(NoAnswer::BrokenOff)? {
            let room = MOST_READ - bytes.len();
            bytes.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
            if chunk.len() > room {
                whole = false;
                break;
            }
        }
        let (body, is_well_formed) = if bytes.is_empty() {
            (Value::Null, true)
        } else {
            let text = || String::from_utf8_lossy(&bytes).into_owned();
            serde_json::from_slice(&bytes)
                .map_or_else(|_| (Value::String(text()), !whole), |value| (value, true))
        };
        Ok(Told {
            status,
            body,
            is_well_formed,
            secrets: self.secrets,
        })
    }
}

impl Told {
    /// Returns the storable answer `{status, body}`, without secrets and private members. A body
    /// over 4 KiB is cut to the beginning of its text.
    #[must_use]
    pub fn kept(self, connection: &Connection) -> JsonText {
        let status = self.status;
        answer(status, excerpt(self.shown(connection)))
    }

    /// Returns the body without secrets and private members.
    fn shown(self, connection: &Connection) -> Value {
        let secrets = self.secrets.iter().map(ExposeSecret::expose_secret);
        without(self.body, &connection.private, &secrets.collect::<Vec<_>>())
    }
}

impl Seen {
    /// Returns the read error, if the answer tells nothing about the record. Only an answer with
    /// facts, or a missing record, tells about it.
    #[must_use]
    pub fn silence(&self, read: &TargetRead) -> Option<Silence> {
        let says = |what: &str| format!("The target system answered {what} to {}.", read.name);
        match self.status {
            404 | 410 => None,
            200..300 if self.is_json => None,
            200..300 => Some(Silence::unclear(says("something else than JSON"))),
            trouble @ (408 | 425 | 500..) => Some(Silence::unclear(says(&trouble.to_string()))),
            other => Some(Silence::for_now(says(&other.to_string()))),
        }
    }
}

impl Targets {
    /// Reads the current state of a record. `connection` must be the one that the read names.
    pub async fn look(
        &self,
        connection: &Connection,
        read: &TargetRead,
        timeout: Duration,
    ) -> Result<Seen, NoAnswer> {
        let sending = Sending { key: None, timeout };
        let answered = self.send(connection, &read.call(), sending).await?;
        let told = answered.told().await?;
        let status = told.status;
        // A body that is not JSON, or that was cut, is a text.
        let is_json = !told.body.is_string();
        let shown = told.shown(connection);
        let is_success = StatusCode::from_u16(status).is_ok_and(|status| status.is_success());
        let mut facts: Facts = [(format!("{}.http", read.name), status.into())]
            .into_iter()
            .collect();
        if is_success {
            facts.extend(read.facts(&shown));
        }
        Ok(Seen {
            status,
            is_json,
            facts,
            hash: digest(&shown.to_string()),
            excerpt: answer(status, excerpt(shown)),
        })
    }
}

/// Returns the stored part of a body: all of it up to 4 KiB, else the beginning of its text.
fn excerpt(value: Value) -> Value {
    let mut text = match &value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    if text.len() <= MOST_KEPT {
        return value;
    }
    let end = (0..=MOST_KEPT)
        .rev()
        .find(|end| text.is_char_boundary(*end))
        .unwrap_or(0);
    text.truncate(end);
    Value::String(text)
}
