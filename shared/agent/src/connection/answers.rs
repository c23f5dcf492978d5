//! Error codes of answers, and the part of an answer that may be stored.

use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};
use model::plain_text;
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use crate::connection::KeyName;

plain_text! {
    /// The position of an error's code in an answer: a JSON pointer (RFC 6901).
    ErrorCode, "^(/([^/~]|~[01])*)+$", 200, "/error/code", is_pointer,
    "a JSON pointer such as \"/error/code\"";

    /// The position of a value that names the account, in an answer: a JSON pointer (RFC 6901).
    AccountPointer, "^(/([^/~]|~[01])*)+$", 200, "/id", is_pointer,
    "a JSON pointer such as \"/id\"";
}

impl Default for ErrorCode {
    fn default() -> Self {
        Self("/code".to_owned())
    }
}

/// True for a JSON pointer (RFC 6901) to a member.
pub fn is_pointer(text: &str) -> bool {
    let mut escapes = text.split('~').skip(1);
    text.starts_with('/') && escapes.all(|rest| rest.starts_with(['0', '1']))
}

impl ErrorCode {
    /// Returns the code of an answer: a text, or a number as text. None if there is none.
    pub fn of(&self, answer: &Value) -> Option<String> {
        match answer.pointer(self)? {
            Value::String(code) => Some(code.clone()),
            Value::Number(code) => Some(code.to_string()),
            _ => None,
        }
    }
}

/// Replaces secrets in texts, names and numbers. A text with a secret in another encoding is hidden
/// whole.
pub fn redacted(answer: Value, secrets: &[&str]) -> Value {
    let secrets = secrets
        .iter()
        .filter(|secret| !secret.is_empty());
    let secrets: Vec<Hidden> = secrets
        .map(|secret| Hidden::of(secret))
        .collect();
    hidden(answer, &secrets)
}

fn hidden(answer: Value, secrets: &[Hidden]) -> Value {
    let hide = |text: String| {
        secrets
            .iter()
            .fold(text, |text, secret| secret.hide(&text))
    };
    let hide_member = |(name, value)| (hide(name), hidden(value, secrets));
    let hide_element = |value| hidden(value, secrets);
    match answer {
        Value::Object(members) => members
            .into_iter()
            .map(hide_member)
            .collect(),
        Value::Array(elements) => elements
            .into_iter()
            .map(hide_element)
            .collect(),
        Value::String(text) => Value::String(hide(text)),
        Value::Number(number) => {
            let text = number.to_string();
            match hide(text.clone()) {
                shown if shown == text => Value::Number(number),
                shown => Value::String(shown),
            }
        }
        other => other,
    }
}

/// A secret, and its encodings in lower case.
struct Hidden<'a> {
    secret: &'a str,
    /// Base64 at each of its three alignments, and hexadecimal. Empty for a short secret, whose
    /// encodings stand in other texts by chance.
    encodings: Vec<String>,
}

impl<'a> Hidden<'a> {
    /// The fewest characters of a secret that is hidden in other encodings and cases.
    const LONG: usize = 8;

    fn of(secret: &'a str) -> Self {
        let mut encodings = Vec::new();
        if secret.len() >= Self::LONG {
            encodings.push(hex::encode(secret));
            // The characters at both ends depend on the neighbours of the secret.
            encodings.extend([0, 1, 2].map(|before| {
                let encoded =
                    STANDARD_NO_PAD.encode([&[0; 2][..before], secret.as_bytes()].concat());
                let begin = [0, 2, 3][before];
                let end = encoded.len() - usize::from(!(before + secret.len()).is_multiple_of(3));
                encoded[begin..end].to_ascii_lowercase()
            }));
        }
        Self { secret, encodings }
    }

    fn hide(&self, text: &str) -> String {
        let text = text.replace(self.secret, "…");
        if self.encodings.is_empty() {
            return text;
        }
        let decoded = percent_decode_str(&text).decode_utf8_lossy();
        // A form encodes a space as a plus sign.
        let spaced = text.replace('+', " ");
        let of_form = percent_decode_str(&spaced).decode_utf8_lossy();
        let standard = decoded
            .replace('-', "+")
            .replace('_', "/");
        let secret = self.secret.to_ascii_lowercase();
        let plain = [&*decoded, &*of_form].map(str::to_ascii_lowercase);
        let encoded = standard.to_ascii_lowercase();
        let is_there = plain
            .iter()
            .any(|text| text.contains(&secret))
            || self
                .encodings
                .iter()
                .any(|encoding| encoded.contains(encoding));
        if is_there { "…".to_owned() } else { text }
    }
}

/// Returns the part of an answer that may be stored: the texts, numbers and booleans of members
/// with these names, at any depth. Null for a body that is not JSON, since its members have no
/// names.
pub fn kept(answer: Value, keep: &[KeyName]) -> Value {
    part(answer, keep, false).unwrap_or_default()
}

fn part(value: Value, keep: &[KeyName], is_named: bool) -> Option<Value> {
    match value {
        Value::Object(members) => {
            let members = members
                .into_iter()
                .filter_map(|(name, value)| {
                    let is_named = keep.iter().any(|kept| **kept == *name);
                    Some((name, part(value, keep, is_named)?))
                });
            let members: Map<String, Value> = members.collect();
            (!members.is_empty()).then_some(Value::Object(members))
        }
        Value::Array(elements) => {
            let elements = elements.into_iter();
            let elements = elements.filter_map(|value| part(value, keep, is_named));
            let elements: Vec<Value> = elements.collect();
            (!elements.is_empty()).then_some(Value::Array(elements))
        }
        value => is_named.then_some(value),
    }
}
