//! Error codes of answers, and the removal of private members and secrets.

use serde_json::Value;

use super::words::plain_text;

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

/// Removes members of these names at any depth, and replaces secrets in texts. If members are
/// private, a body that is not JSON becomes null, since their place in it is unknown.
#[must_use]
pub fn without(answer: Value, private: &[super::KeyName], secrets: &[&str]) -> Value {
    match answer {
        Value::String(_) if !private.is_empty() => Value::Null,
        answer => walk(answer, private, secrets),
    }
}

fn walk(answer: Value, private: &[super::KeyName], secrets: &[&str]) -> Value {
    let redacted = |text: String| {
        let secrets = secrets.iter().filter(|secret| !secret.is_empty());
        secrets.fold(text, |text, secret| text.replace(secret, "…"))
    };
    match answer {
        Value::Object(members) => members
            .into_iter()
            .filter(|(name, _)| !private.iter().any(|one| **one == **name))
            .map(|(name, value)| (redacted(name), walk(value, private, secrets)))
            .collect(),
        Value::Array(elements) => elements
            .into_iter()
            .map(|value| walk(value, private, secrets))
            .collect(),
        Value::String(text) => Value::String(redacted(text)),
        Value::Number(number) => {
            let text = number.to_string();
            let shown = redacted(text.clone());
            if shown == text {
                Value::Number(number)
            } else {
                Value::String(shown)
            }
        }
        other => other,
    }
}
