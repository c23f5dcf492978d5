//! What an answer tells, and what may be kept of it.

use std::time::Duration;

use model::{Connection, Facts, JsonText, Silence, TargetRead, answer, digest, without};
use reqwest::StatusCode;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;

use crate::{Answered, NoAnswer, Sending, Targets};

/// The most bytes of an answer that are read.
const MOST_READ: usize = 64 * 1024;

/// The most bytes of an answer that are kept.
const MOST_KEPT: usize = 4 * 1024;

/// An answer that came whole.
pub struct Told {
    status: u16,
    /// The body as JSON, or as a text where it is none; null where there is none.
    pub body: Value,
    /// Whether it is what a JSON API may answer: JSON or nothing. What goes on after 64 KiB is left
    /// unread, and taken for good.
    pub is_well_formed: bool,
    secrets: Vec<SecretString>,
}

/// What a read came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// The answer's status.
    pub status: u16,
    /// Whether the answer is JSON that came whole, or empty.
    pub is_json: bool,
    /// What is known now: the read's facts if it was answered 2xx, and as `read.http` the status.
    pub facts: Facts,
    /// The answer, without secrets and private members, up to 4 KiB: `{status, body}`.
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
    /// As it may be kept: `{status, body}`, all of a body up to 4 KiB, then the beginning of its text,
    /// without secrets and the connection's private members.
    #[must_use]
    pub fn kept(self, connection: &Connection) -> JsonText {
        let status = self.status;
        answer(status, excerpt(self.shown(connection)))
    }

    /// The body without secrets and the connection's private members.
    fn shown(self, connection: &Connection) -> Value {
        let secrets = self.secrets.iter().map(ExposeSecret::expose_secret);
        without(self.body, &connection.private, &secrets.collect::<Vec<_>>())
    }
}

impl Seen {
    /// Why it tells nothing of the record, if that is so: only an answer with facts, or that there is no
    /// such record, tells of it.
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
    /// Reads what a record is like now. The connection is the one that the read names.
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
        // What is no JSON, or of which only the beginning was read, is a text.
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

/// As much of a body as is kept: all of it up to 4 KiB, then the beginning of its text.
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
