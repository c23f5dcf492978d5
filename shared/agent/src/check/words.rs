//! Values in sentences.

use serde_json::Value;

/// Returns a value for a sentence: a text in backticks, or `empty`.
pub(crate) fn quoted_value(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        other => other.to_string(),
    }
}

/// Returns a text in backticks, so that its end is seen; `empty` for an empty one.
pub fn quoted(text: &str) -> String {
    if text.is_empty() {
        return "empty".to_owned();
    }
    format!("`{}`", text.replace('`', "'"))
}

/// Returns values in words: `` `draft` or `open` ``.
pub(super) fn any(values: &[Value]) -> String {
    let values: Vec<String> = values
        .iter()
        .map(quoted_value)
        .collect();
    values.join(" or ")
}
