//! Snapshots of answers.

use serde::Serialize;
use serde_json::{Value, json};

/// The most columns of a line with a whole object or list.
const COLUMNS: usize = 88;

/// Members that differ in each run, as they stand before their values.
const RANDOM: [&str; 2] = ["\"token\": ", "\"writeId\": "];

/// Asserts that a value is that of its snapshot: of a text, or of a file beside the test.
#[macro_export]
macro_rules! snapshot {
    ($value:expr $(, @$text:literal)?) => {
        ::insta::assert_snapshot!($crate::support::shown(&$value) $(, @$text)?)
    };
}

/// Returns a value as JSON with short objects on one line. Texts that differ in each run are
/// numbered, so that equal ones stay equal.
pub fn shown(value: &(impl Serialize + ?Sized)) -> String {
    laid_out(&json!(value), "", 0, &mut Vec::new())
}

/// Lays out a value with the name of its member before it.
fn laid_out(value: &Value, name: &str, indent: usize, random: &mut Vec<String>) -> String {
    let (parts, open, close): (Vec<String>, _, _) = match value {
        Value::Object(members) => {
            let parts = members.iter().map(|(name, value)| {
                let name = format!("{}: ", json!(name));
                laid_out(value, &name, indent + 2, random)
            });
            (parts.collect(), '{', '}')
        }
        Value::Array(list) => {
            let parts = list
                .iter()
                .map(|value| laid_out(value, "", indent + 2, random));
            (parts.collect(), '[', ']')
        }
        Value::String(_) if RANDOM.contains(&name) => return format!("{name}\"[random]\""),
        Value::String(text) => return format!("{name}{}", json!(without_random(text, random))),
        other => return format!("{name}{other}"),
    };
    let line = format!("{name}{open}{}{close}", parts.join(", "));
    if indent + line.len() <= COLUMNS && !line.contains('\n') {
        return line;
    }
    let margin = " ".repeat(indent);
    let lines = parts.join(&format!(",\n{margin}  "));
    format!("{name}{open}\n{margin}  {lines}\n{margin}{close}")
}

/// Numbers a text of random digits: a hash, an id or a secret. Replaces a port.
fn without_random(text: &str, random: &mut Vec<String>) -> String {
    const LOCAL: &str = "http://127.0.0.1:";
    if let Some(rest) = text.strip_prefix(LOCAL) {
        let path = rest.trim_start_matches(|sign: char| sign.is_ascii_digit());
        return format!("{LOCAL}[port]{path}");
    }
    let digits = text
        .rsplit(['_', '-'])
        .next()
        .unwrap_or(text);
    let is_random = digits.len() >= 16
        && digits.contains(|sign: char| sign.is_ascii_digit())
        && digits
            .chars()
            .all(|sign| sign.is_ascii_alphanumeric());
    if !is_random {
        return text.to_owned();
    }
    let place = random
        .iter()
        .position(|known| known == text);
    let place = place.unwrap_or_else(|| {
        random.push(text.to_owned());
        random.len() - 1
    });
    format!("[{} random digits, {}]", digits.len(), place + 1)
}
