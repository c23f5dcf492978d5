//! Values of answers: their comparison, and their words in sentences.

use serde_json::{Number, Value};

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
pub(crate) fn any(values: &[Value]) -> String {
    let values: Vec<String> = values
        .iter()
        .map(quoted_value)
        .collect();
    values.join(" or ")
}

pub(crate) fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The largest size of a decimal number whose neighbours differ from it: 2^53 - 1. A larger one may
/// stand for another number, such as another id of more digits.
const MOST_EXACT: f64 = 9_007_199_254_740_991.0;

/// Returns a number as its value tells: `5000.0` and `5e3` are the integer 5000. None for a rounded
/// number, and for one beyond the table's range.
pub(crate) fn exact(number: &Number) -> Option<Number> {
    if number.is_i64() || number.is_u64() {
        return Some(number.clone());
    }
    let value = number.as_f64()?;
    if value.fract() == 0.0 && value.abs() <= MOST_EXACT {
        // The display of a whole number has no fraction.
        let whole: Result<i64, _> = value.to_string().parse();
        return whole.ok().map(Number::from);
    }
    let is_stored = (1e-120..=MOST_EXACT).contains(&value.abs());
    is_stored.then(|| number.clone())
}

/// Compares values. Numbers are equal by value: systems write 5 as 5.0 too. A rounded number equals
/// nothing.
pub(crate) fn same(value: &Value, other: &Value) -> bool {
    match (value, other) {
        (Value::Number(number), Value::Number(other)) => {
            let number = exact(number);
            let other = exact(other);
            number.is_some() && number == other
        }
        _ => value == other,
    }
}
