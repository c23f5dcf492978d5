//! Allowed calls: a method and a path template, in which `{name}` matches any one segment.

use model::plain_text;

/// The methods that a call may have.
pub const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

plain_text! {
    /// A call that may be sent.
    AllowedCall, r"^(GET|POST|PUT|PATCH|DELETE) (/(\{[a-zA-Z0-9_]+\}|[A-Za-z0-9._~:@-]+))+$", 200,
    "POST /invoices/{id}/void", is_call,
    "a method and a path such as \"POST /invoices/{id}/void\"";

    /// A path below a connection's base URL.
    CallPath, "^(/[A-Za-z0-9._~:@-]+)+$", 200, "/v1/balance", is_path,
    "a path of plain segments, without a query";
}

fn is_placeholder(segment: &str) -> bool {
    let name = segment
        .strip_prefix('{')
        .and_then(|rest| rest.strip_suffix('}'));
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    name.is_some_and(|name| !name.is_empty() && name.bytes().all(is_plain))
}

fn is_literal(segment: &str) -> bool {
    is_plain(segment) && !segment.contains('%')
}

fn is_call(text: &str) -> bool {
    let Some((method, path)) = text.split_once(' ') else {
        return false;
    };
    let is_part = |segment: &str| is_placeholder(segment) || is_literal(segment);
    METHODS.contains(&method) && has_segments(path, is_part)
}

fn is_path(path: &str) -> bool {
    has_segments(path, is_literal)
}

fn has_segments(path: &str, fit: impl Fn(&str) -> bool) -> bool {
    let rest = path.strip_prefix('/');
    rest.is_some_and(|rest| rest.split('/').all(fit))
}

impl AllowedCall {
    fn fits(&self, method: &str, segments: &[&str]) -> bool {
        let (own, path) = self.split_once(' ').unwrap_or_default();
        let wanted: Vec<&str> = path.split('/').skip(1).collect();
        let fits = |(wanted, segment): (&&str, &&str)| is_placeholder(wanted) || wanted == segment;
        own == method && wanted.len() == segments.len() && wanted.iter().zip(segments).all(fits)
    }

    pub(super) fn is_get(&self) -> bool {
        self.starts_with("GET ")
    }

    /// Returns the path of a GET without a placeholder.
    pub(super) fn as_plain_get(&self) -> Option<&str> {
        let path = self.strip_prefix("GET ")?;
        is_path(path).then_some(path)
    }
}

/// True if a call matches the method and the path, which has plain segments only.
pub(super) fn allows(calls: &[AllowedCall], method: &str, path: &str) -> bool {
    let segments: Option<Vec<&str>> = path
        .strip_prefix('/')
        .map(|path| path.split('/').collect());
    segments.is_some_and(|segments| {
        segments
            .iter()
            .all(|segment| is_plain(segment))
            && calls
                .iter()
                .any(|call| call.fits(method, &segments))
    })
}

/// True if every reader decodes a segment alike: unreserved characters and percent-encoded bytes,
/// and not only dots. The bytes decode to neither a slash nor a control character.
fn is_plain(segment: &str) -> bool {
    let bytes = decoded(segment).unwrap_or_default();
    let misleads = |byte: &u8| matches!(byte, b'/' | b'\\' | b'%') || byte.is_ascii_control();
    !bytes.iter().all(|byte| *byte == b'.') && !bytes.iter().any(misleads)
}

/// Returns the bytes of a segment; none for another character, or for a `%` that encodes nothing.
fn decoded(segment: &str) -> Option<Vec<u8>> {
    let mut decoded = Vec::with_capacity(segment.len());
    let mut bytes = segment.bytes();
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => {
                let mut digit = || char::from(bytes.next()?).to_digit(16);
                u8::try_from(digit()? * 16 + digit()?).ok()?
            }
            _ if byte.is_ascii_alphanumeric() || b"-._~:@".contains(&byte) => byte,
            _ => return None,
        });
    }
    Some(decoded)
}
