//! Numbers that a JSON reader changes. An integer of more than 64 bits becomes a float of about the
//! same size. A decimal number of more than 17 digits loses digits.

use super::field::{escaped, shortened};

/// An object or array around a number.
enum Level<'a> {
    /// An object, with the key of the current member as it is written.
    Object(&'a [u8]),
    /// An array, with the position of the current element.
    Array(usize),
}

/// Finds the first number in a JSON text that parsing would change. Returns the JSON pointer to it,
/// and its first characters.
pub(super) fn not_kept(text: &[u8]) -> Option<(String, String)> {
    let mut levels = Vec::new();
    let mut rest = text;
    while let Some((first, behind)) = rest.split_first() {
        rest = behind;
        match first {
            b'{' => levels.push(Level::Object(&[])),
            b'[' => levels.push(Level::Array(0)),
            b'}' | b']' => {
                levels.pop();
            }
            b',' => {
                if let Some(Level::Array(at)) = levels.last_mut() {
                    *at += 1;
                }
            }
            b'"' => {
                let (string, behind) = split_string(behind);
                // The last string before a member's value is its key.
                if let Some(Level::Object(key)) = levels.last_mut() {
                    *key = string;
                }
                rest = behind;
            }
            b'-' | b'0'..=b'9' => {
                let length = behind
                    .iter()
                    .take_while(|byte| is_part(**byte))
                    .count();
                let (more, behind) = behind.split_at(length);
                let number = format!("{}{}", char::from(*first), String::from_utf8_lossy(more));
                if !is_kept(&number) {
                    return Some((pointer(&levels), shortened(&number)));
                }
                rest = behind;
            }
            _ => {}
        }
    }
    None
}

/// Splits a text that begins inside a string into the string and the rest after its closing quote.
fn split_string(text: &[u8]) -> (&[u8], &[u8]) {
    let mut is_escaped = false;
    let end = text.iter().position(|byte| {
        let is_end = *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
        is_end
    });
    let (string, behind) = text.split_at(end.unwrap_or(text.len()));
    (string, behind.get(1..).unwrap_or_default())
}

/// The JSON pointer (RFC 6901) of the current value.
fn pointer(levels: &[Level<'_>]) -> String {
    let names = levels.iter().map(|level| match level {
        Level::Object(key) => {
            let quoted = [b"\"", *key, b"\""].concat();
            let key: String = serde_json::from_slice(&quoted).unwrap_or_default();
            escaped(&key)
        }
        Level::Array(at) => at.to_string(),
    });
    names
        .flat_map(|name| ["/".to_owned(), name])
        .collect()
}

const fn is_part(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')
}

/// Returns true if a number stays the same when it is read, or is not a number at all.
fn is_kept(number: &str) -> bool {
    if number.parse::<i64>().is_ok() || number.parse::<u64>().is_ok() {
        return true;
    }
    match number.parse::<f64>() {
        Ok(float) => digits(number) == digits(&format!("{float:e}")),
        Err(_) => true,
    }
}

/// Returns the digits of a number without leading and trailing zeros, and the power of ten of the
/// last one.
fn digits(number: &str) -> Option<(String, i64)> {
    let (mantissa, power) = number
        .split_once(['e', 'E'])
        .unwrap_or((number, "0"));
    let (whole, decimals) = mantissa
        .split_once('.')
        .unwrap_or((mantissa, ""));
    let digits = format!("{}{decimals}", whole.trim_start_matches('-'));
    let kept = digits.trim_end_matches('0');
    let zeros = i64::try_from(digits.len() - kept.len()).ok()?;
    let kept = kept.trim_start_matches('0');
    if kept.is_empty() {
        return Some((String::new(), 0));
    }
    let power = power.parse::<i64>().ok()?;
    let decimals = i64::try_from(decimals.len()).ok()?;
    Some((
        kept.to_owned(),
        power
            .checked_add(zeros)?
            .checked_sub(decimals)?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_found_nowhere() {
        let numbers = "0 -0 -0.0 0e9 1 -1.50 1e300 1E+2 0.1 3.14159 0.30000000000000004 \
                       9007199254740993 18446744073709551615 -9223372036854775808 \
                       10000000000000000000000 1.7976931348623157e308 5e-324";
        for number in numbers.split(' ') {
            let text = format!("{{\"n\": [{number}]}}");
            assert_eq!(not_kept(text.as_bytes()), None, "{number}");
            let value: serde_json::Value = serde_json::from_str(number).unwrap();
            assert_eq!(digits(&value.to_string()), digits(number), "{number}");
        }
    }

    #[test]
    fn a_number_that_would_change_is_named_with_its_place() {
        let numbers = "18446744073709551616 -9223372036854775809 12345678901234567890123 1e400 -1e400 \
                       1e-400 0.1000000000000000055511151231257827 1e99999999999999999999";
        for number in numbers.split(' ') {
            let text = format!("{{\"\\\"7\": \"1e400\", \"n\": {number}}}");
            let rejected = not_kept(text.as_bytes());
            assert_eq!(rejected, Some(("/n".to_owned(), number.to_owned())));
        }
        let (pointer, shown) = not_kept("7".repeat(100_000).as_bytes()).unwrap();
        assert_eq!((pointer.as_str(), shown.chars().count()), ("", 41));
    }

    #[test]
    fn the_pointer_follows_objects_and_arrays() {
        let number = "99999999999999999999";
        for (text, pointer) in [
            ("[1, [2, #]]", "/1/1"),
            (r#"{"a": "x", "b": {"c": [], "d": #}}"#, "/b/d"),
            (r#"{"a": [{"b": 1}, {"b": #}]}"#, "/a/1/b"),
            (r#"{"a/b~c": {"\u0064\"": #}}"#, "/a~1b~0c/d\""),
            (r#"{"a": {"b": 1}, "c": #}"#, "/c"),
        ] {
            let text = text.replace('#', number);
            let (rejected_at, _) = not_kept(text.as_bytes()).unwrap();
            assert_eq!(rejected_at, pointer, "{text}");
        }
    }

    #[test]
    fn what_is_no_json_is_left_to_the_parser() {
        let texts = "|\"|\"\\|-|1.2.3|--1|1e|{\"a\": 1-1}|\"1e400";
        for text in texts.split('|') {
            assert_eq!(not_kept(text.as_bytes()), None, "{text}");
        }
    }
}
