//! Answers of target systems, and the part of them that may be stored.

use agent::{Connection, Excerpt, kept, redacted};
use secrecy::ExposeSecret;
use serde_json::Value;

use crate::{Answered, NoAnswer};

/// The most bytes of an answer that are read: 1 MiB.
pub(crate) const MOST_READ: usize = 1024 * 1024;

/// The most bytes of an answer that are stored.
const MOST_KEPT: usize = 4 * 1024;

/// A complete answer.
pub struct Told {
    pub(crate) status: u16,
    /// The body without secrets: JSON, a text if it is not JSON, or null if empty.
    pub body: Value,
    /// True if the body is JSON or empty. A body over 1 MiB is not read to its end and counts as
    /// JSON.
    pub is_well_formed: bool,
    /// True if the body is larger than what is read.
    pub(crate) is_too_large: bool,
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
        let secrets = self.secrets.iter().map(ExposeSecret::expose_secret);
        Ok(Told {
            status,
            body: redacted(body, &secrets.collect::<Vec<_>>()),
            is_well_formed,
            is_too_large: !whole,
        })
    }
}

impl Told {
    /// Returns the excerpt that is stored: the members that the connection keeps. A body over 4 KiB
    /// is cut to the beginning of its text.
    #[must_use]
    pub fn excerpt(self, connection: &Connection) -> Excerpt {
        Excerpt {
            status: self.status,
            body: kept_part(self.body, connection),
        }
    }
}

/// Returns the stored part of a body: the members that the connection keeps, up to 4 KiB, else the
/// beginning of their text.
pub(crate) fn kept_part(value: Value, connection: &Connection) -> Value {
    let value = kept(value, &connection.keep);
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
