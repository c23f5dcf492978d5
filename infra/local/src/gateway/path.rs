//! Paths as API Gateway hands them over.

use percent_encoding::percent_decode_str;

/// Returns the path of an event, by the path that a client sent. API Gateway decodes it, ends it at
/// a question mark, and decodes it again. `None` for a path that it refuses.
pub fn handed_over(sent: &str) -> Option<String> {
    let once = decoded(sent)?;
    let path = once
        .split('?')
        .next()
        .unwrap_or_default();
    decoded(path)
}

/// Returns a text without its escapes; none if a `%` begins no escape.
fn decoded(text: &str) -> Option<String> {
    let mut after = text.split('%').skip(1);
    let is_escape = |rest: &str| {
        rest.len() >= 2
            && rest
                .bytes()
                .take(2)
                .all(|byte| byte.is_ascii_hexdigit())
    };
    let decoded = percent_decode_str(text).decode_utf8_lossy();
    after
        .all(is_escape)
        .then(|| decoded.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Recorded at AWS in July 2026.
    #[test]
    fn a_path_is_handed_over_as_api_gateway_does() {
        for (sent, path) in [
            ("/capture/plain", Some("/capture/plain")),
            ("/capture/space%20value", Some("/capture/space value")),
            ("/capture/question%3Fvalue", Some("/capture/question")),
            ("/capture/percent%25done", None),
            ("/capture/hash%23value", Some("/capture/hash#value")),
            ("/capture/slash%2Fvalue", Some("/capture/slash/value")),
            (
                "/capture/unicode-%CE%BB-%E4%B8%96%E7%95%8C",
                Some("/capture/unicode-λ-世界"),
            ),
            ("/capture/literal%252Fvalue", Some("/capture/literal/value")),
            ("/capture/literal%253Fvalue", Some("/capture/literal?value")),
            ("/capture/literal%2525value", Some("/capture/literal%value")),
        ] {
            assert_eq!(handed_over(sent).as_deref(), path, "{sent}");
        }
        for refused in ["/a%", "/a%2", "/a%zz", "/%25%"] {
            assert_eq!(handed_over(refused), None, "{refused}");
        }
    }
}
