//! Numbers that JSON's readers do not keep: an integer of more than 64 bits becomes a float of about
//! the same size, as do decimals of more than 17 digits.

/// The most characters of a number that a message shows.
const SHOWN: usize = 40;

/// The first number of a JSON text that is another one once it is read.
pub(super) fn not_kept(text: &[u8]) -> Option<String> {
    let mut rest = text;
    while let Some((first, behind)) = rest.split_first() {
        rest = match first {
            b'"' => behind_string(behind),
            b'-' | b'0'..=b'9' => {
                let length = rest.iter().take_while(|byte| is_part(**byte)).count();
                let (number, behind) = rest.split_at(length);
                let number = String::from_utf8_lossy(number);
                if !is_kept(&number) {
                    return Some(number.chars().take(SHOWN).collect());
                }
                behind
            }
            _ => behind,
        };
    }
    None
}

/// What comes behind a string that has begun.
fn behind_string(mut rest: &[u8]) -> &[u8] {
    loop {
        rest = match rest {
            [] => return rest,
            [b'"', behind @ ..] => return behind,
            [b'\\', _, behind @ ..] | [_, behind @ ..] => behind,
        };
    }
}

const fn is_part(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')
}

/// Whether a number is the same one once it is read. What is none at all is for the parser to refuse.
fn is_kept(number: &str) -> bool {
    if number.parse::<i64>().is_ok() || number.parse::<u64>().is_ok() {
        return true;
    }
    match number.parse::<f64>() {
        Ok(float) => digits(number) == digits(&format!("{float:e}")),
        Err(_) => true,
    }
}

/// The digits of a number between its first and its last that are not 0, and the power of ten of
/// the last.
fn digits(number: &str) -> Option<(String, i64)> {
    let (mantissa, power) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (whole, decimals) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{}{decimals}", whole.trim_start_matches('-'));
    let kept = all.trim_end_matches('0');
    let zeros = i64::try_from(all.len() - kept.len()).ok()?;
    let kept = kept.trim_start_matches('0');
    if kept.is_empty() {
        return Some((String::new(), 0));
    }
    let power = power.parse::<i64>().ok()?;
    let decimals = i64::try_from(decimals.len()).ok()?;
    Some((
        kept.to_owned(),
        power.checked_add(zeros)?.checked_sub(decimals)?,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_found_nowhere() {
        for number in [
            "0",
            "-0",
            "-0.0",
            "0e9",
            "1",
            "-1.50",
            "1e300",
            "1E+2",
            "0.1",
            "3.14159",
            "0.30000000000000004",
            "9007199254740993",
            "18446744073709551615",
            "-9223372036854775808",
            "10000000000000000000000",
            "1.7976931348623157e308",
            "5e-324",
        ] {
            let text = format!("{{\"n\": [{number}]}}");
            assert_eq!(not_kept(text.as_bytes()), None, "{number}");
            let value: serde_json::Value = serde_json::from_str(number).unwrap();
            assert_eq!(digits(&value.to_string()), digits(number), "{number}");
        }
    }

    #[test]
    fn what_would_be_another_number_is_named() {
        for number in [
            "18446744073709551616",
            "-9223372036854775809",
            "12345678901234567890123",
            "1e400",
            "-1e400",
            "1e-400",
            "0.1000000000000000055511151231257827",
            "1e99999999999999999999",
        ] {
            let text = format!("{{\"\\\"7\": \"1e400\", \"n\": {number}}}");
            assert_eq!(not_kept(text.as_bytes()).as_deref(), Some(number));
        }
        let long = "7".repeat(100_000);
        assert_eq!(not_kept(long.as_bytes()).unwrap().len(), SHOWN);
    }

    #[test]
    fn what_is_no_json_is_left_to_the_parser() {
        for text in [
            "",
            "\"",
            "\"\\",
            "-",
            "1.2.3",
            "--1",
            "1e",
            "{\"a\": 1-1}",
            "\"1e400",
        ] {
            assert_eq!(not_kept(text.as_bytes()), None, "{text}");
        }
    }
}
