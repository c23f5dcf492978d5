//! Error codes of answers, and the part of an answer that may be stored.

use serde_json::{Map, Value};

use super::{KeyName, words::plain_text};

plain_text! {
    /// The position of an error's code in an answer: a JSON pointer (RFC 6901).
    ErrorCode, "^(/([^/~]|~[01])*)+$", 200, "/error/code", is_pointer,
    "a JSON pointer such as \"/error/code\"";
}

impl Default for ErrorCode {
    fn default() -> Self {
        Self("/code".to_owned())
    }
}

fn is_pointer(text: &str) -> bool {
    let mut escapes = text.split('~').skip(1);
    text.starts_with('/') && escapes.all(|rest| rest.starts_with(['0', '1']))
}

impl ErrorCode {
    /// Returns the code of an answer: a text, or a number as text. None if there is none.
    #[must_use]
    pub fn of(&self, answer: &Value) -> Option<String> {
        match answer.pointer(self)? {
            Value::String(code) => Some(code.clone()),
            Value::Number(code) => Some(code.to_string()),
            _ => None,
        }
    }
}

/// Replaces secrets in texts, names and numbers.
#[must_use]
pub fn redacted(answer: Value, secrets: &[&str]) -> Value {
    let hide = |text: String| {
        let secrets = secrets.iter().filter(|secret| !secret.is_empty());
        secrets.fold(text, |text, secret| text.replace(secret, "…"))
    };
    match answer {
        Value::Object(members) => members
            .into_iter()
            .map(|(name, value)| (hide(name), redacted(value, secrets)))
            .collect(),
        Value::Array(elements) => elements
            .into_iter()
            .map(|value| redacted(value, secrets))
            .collect(),
        Value::String(text) => Value::String(hide(text)),
        Value::Number(number) => {
            let text = number.to_string();
            let shown = hide(text.clone());
            if shown == text {
                Value::Number(number)
            } else {
                Value::String(shown)
            }
        }
        other => other,
    }
}

/// Returns the part of an answer that may be stored: the texts, numbers and booleans of members with
/// these names, at any depth. Null for a body that is not JSON, since its members have no names.
#[must_use]
pub fn kept(answer: Value, keep: &[KeyName]) -> Value {
    part(answer, keep, false).unwrap_or_default()
}

fn part(value: Value, keep: &[KeyName], is_named: bool) -> Option<Value> {
    match value {
        Value::Object(members) => {
            let members = members.into_iter().filter_map(|(name, value)| {
                let is_named = keep.iter().any(|one| **one == *name);
                Some((name, part(value, keep, is_named)?))
            });
            let members: Map<String, Value> = members.collect();
            (!members.is_empty()).then_some(Value::Object(members))
        }
        Value::Array(elements) => {
            let elements = elements.into_iter();
            let elements: Vec<Value> = elements
                .filter_map(|value| part(value, keep, is_named))
                .collect();
            (!elements.is_empty()).then_some(Value::Array(elements))
        }
        value => is_named.then_some(value),
    }
}
