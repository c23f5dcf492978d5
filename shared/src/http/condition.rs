//! The headers that put a request under a condition. `If-Match` names the allowed versions of the
//! record, and `If-None-Match` the excluded ones. `Idempotency-Key` makes a request one that is
//! done at most once.

use ::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header, request::Parts};
use axum::{
    body::Body,
    extract::{FromRequestParts, MatchedPath, Request},
    middleware::Next,
    response::Response,
};
use model::base::{Code, Error, Fault, FaultCode, input::string};
use store::base::{Preconditions, Versions};
use utoipa::openapi::path::ParameterIn;

use crate::{
    Problem,
    http::{
        operation::{Argument, Description},
        problem::invalid,
    },
};

use super::problem::fault;

/// The header with a request's key, for repeats.
pub const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// The header of a response to a replay.
pub const IDEMPOTENCY_REPLAYED: &str = "idempotency-replayed";

/// The longest key, in characters.
const LONGEST_KEY: usize = 255;

/// The headers with conditions on versions, and how they are written.
const CONDITIONS: [(HeaderName, &str); 2] = [
    (header::IF_MATCH, "If-Match"),
    (header::IF_NONE_MATCH, "If-None-Match"),
];

/// The form of both conditions: entity tags, or `*`.
const TAGS: &str = r#"^\s*(\*|[\s,]*(W/)?"[^"]*"(\s*,\s*((W/)?"[^"]*")?)*)\s*$"#;

/// Marks a write of one record, hidden by its method or path. It takes conditions. Stands before
/// the caller.
#[derive(Clone, Copy, Debug)]
pub struct Conditional;

impl<S: Send + Sync> FromRequestParts<S> for Conditional {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        parts.extensions.insert(Self);
        Ok(Self)
    }
}

impl Argument for Conditional {
    fn describe(description: &mut Description) {
        describe_conditions(description);
    }
}

/// The idempotency key of a `POST`. 400 for a malformed one.
pub fn idempotency_key(method: &Method, headers: &HeaderMap) -> Result<Option<String>, Error> {
    let sent = headers.get(IDEMPOTENCY_KEY);
    let Some(value) = sent.filter(|_| method == Method::POST) else {
        return Ok(None);
    };
    let bytes = value.as_bytes();
    let is_one = (1..=LONGEST_KEY).contains(&bytes.len())
        && bytes
            .iter()
            .all(|byte| (b' '..=b'~').contains(byte));
    match value.to_str() {
        Ok(key) if is_one => Ok(Some(key.to_owned())),
        _ => {
            let detail = format!("Send 1 to {LONGEST_KEY} printable ASCII characters.");
            Err(invalid("Idempotency-Key", FaultCode::Pattern, detail))
        }
    }
}

/// The conditions of a write. 400 for a malformed one, and for any where the operation judges none.
pub(crate) fn of_write(parts: &Parts) -> Result<Preconditions, Error> {
    let route = parts.extensions.get::<MatchedPath>();
    let names_a_record = route.is_some_and(|route| route.as_str().contains('{'));
    let is_marked = parts
        .extensions
        .get::<Conditional>()
        .is_some();
    if is_marked || takes_conditions(&parts.method, names_a_record) {
        return read(&parts.headers).map_err(Error::Invalid);
    }
    none(parts).map(|()| Preconditions::default())
}

fn takes_conditions(method: &Method, names_a_record: bool) -> bool {
    names_a_record && [Method::PATCH, Method::PUT, Method::DELETE].contains(method)
}

/// The conditions that headers name, or a fault for each malformed one.
fn read(headers: &HeaderMap) -> Result<Preconditions, Vec<Fault>> {
    let mut faults = Vec::new();
    let mut read = |(name, title): (HeaderName, &str)| {
        let sent = sent(headers, &name)?;
        let versions = versions(&sent);
        if versions.is_none() {
            let detail = "Send the ETag of the record as it was read, or `*`.";
            faults.push(fault(title, FaultCode::Pattern, detail));
        }
        versions
    };
    let [if_match, if_none_match] = CONDITIONS.map(&mut read);
    let conditions = Preconditions {
        if_match,
        if_none_match,
    };
    faults
        .is_empty()
        .then_some(conditions)
        .ok_or(faults)
}

/// A fault for each condition, of an operation that judges none.
fn takes_none(headers: &HeaderMap) -> Result<(), Vec<Fault>> {
    let mut faults = Vec::new();
    for (name, title) in CONDITIONS {
        if headers.contains_key(name) {
            let detail = format!("This operation judges no `{title}`. Leave it out.");
            faults.push(fault(title, FaultCode::UnknownParameter, detail));
        }
    }
    faults
        .is_empty()
        .then_some(())
        .ok_or(faults)
}

/// 400 for conditions on a request whose operation takes no caller, unless it is a read.
pub(crate) fn none(parts: &Parts) -> Result<(), Error> {
    if parts.method.is_safe() {
        return Ok(());
    }
    takes_none(&parts.headers).map_err(Error::Invalid)
}

/// Replaces an answer by 304 without a body if the client has it: `If-None-Match` of a read names
/// its entity tag, or is `*` (RFC 9110, 13.1.2). A malformed header is no condition.
pub(crate) async fn not_modified(request: Request, next: Next) -> Response {
    let is_read = [Method::GET, Method::HEAD].contains(request.method());
    let if_none_match = sent(request.headers(), &header::IF_NONE_MATCH);
    let mut response = next.run(request).await;
    let Some(if_none_match) =
        if_none_match.filter(|_| is_read && response.status() == StatusCode::OK)
    else {
        return response;
    };
    let tag = response.headers().get(header::ETAG);
    let current = tag.and_then(|tag| tags(tag.as_bytes()));
    let is_known = match (tags(&if_none_match), current) {
        (Some(Tags::Any), Some(_)) => true,
        (Some(Tags::These(sent_tags)), Some(Tags::These(current))) => current
            .iter()
            .any(|tag| sent_tags.contains(tag)),
        _ => false,
    };
    if is_known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        *response.body_mut() = Body::empty();
        response
            .headers_mut()
            .remove(header::CONTENT_TYPE);
        response
            .headers_mut()
            .remove(header::CONTENT_LENGTH);
    }
    response
}

/// The value of a header. Several lines of a list are one (RFC 9110, 5.3).
fn sent(headers: &HeaderMap, name: &HeaderName) -> Option<Vec<u8>> {
    let lines = headers
        .get_all(name)
        .iter()
        .map(HeaderValue::as_bytes);
    let lines: Vec<&[u8]> = lines.collect();
    (!lines.is_empty()).then(|| lines.join(&b", "[..]))
}

/// The versions of entity tags; `None` for a malformed list.
fn versions(value: &[u8]) -> Option<Versions> {
    Some(match tags(value)? {
        Tags::Any => Versions::Any,
        Tags::These(tags) => Versions::These(
            tags.into_iter()
                .filter_map(version)
                .collect(),
        ),
    })
}

/// Entity tags of a header, without their quotes.
enum Tags<'a> {
    /// `*`
    Any,
    These(Vec<&'a [u8]>),
}

/// The entity tags of a header (RFC 9110, 8.8.3 and 5.6.1); `None` for a malformed list, and for
/// one without any. `W/"7"` is the same tag as `"7"`.
///
/// RFC 9110, 13.1.1, wants strong comparison for If-Match, by which a weak tag never matches. We
/// set that aside: nginx and `CloudFront` make a strong tag weak when they compress the response.
/// Clients with that tag would get 412 forever. Comparing the numbers is safe, since the number
/// names one state of the record, whatever its encoding.
fn tags(value: &[u8]) -> Option<Tags<'_>> {
    let mut rest = value.trim_ascii();
    if rest == b"*" {
        return Some(Tags::Any);
    }
    let mut tags = Vec::new();
    loop {
        // Empty elements are ignored.
        while let Some(after) = rest.strip_prefix(b",") {
            rest = after.trim_ascii_start();
        }
        if rest.is_empty() {
            return (!tags.is_empty()).then_some(Tags::These(tags));
        }
        let opaque = rest.strip_prefix(b"W/").unwrap_or(rest);
        let opaque = opaque.strip_prefix(b"\"")?;
        let end = opaque
            .iter()
            .position(|letter| *letter == b'"')?;
        tags.push(opaque.get(..end)?);
        rest = opaque
            .get(end + 1..)?
            .trim_ascii_start();
        if !rest.is_empty() && !rest.starts_with(b",") {
            return None;
        }
    }
}

/// The version that a tag names. None has one in another form than its own tag, or no number.
fn version(opaque: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(opaque).ok()?;
    let version = text.parse::<i64>().ok()?;
    (version.to_string() == text).then_some(version)
}

/// Describes the headers that an operation with a caller takes.
pub(crate) fn describe(description: &mut Description) {
    if description.method == Method::POST {
        let key = string()
            .min_length(Some(1))
            .max_length(Some(LONGEST_KEY));
        let key = key.pattern(Some("^[ -~]+$"));
        let about = "Makes a retry safe: a second request with this key changes nothing and \
                     returns what the first one made.";
        let name = "Idempotency-Key";
        description.parameter(ParameterIn::Header, name, false, key.into(), about);
        description.problems(&[Code::RequestUnderWay, Code::IdempotencyKeyReused]);
        description.may_be_repeated = true;
    }
    if takes_conditions(&description.method, description.names_a_record) {
        describe_conditions(description);
    }
}

fn describe_conditions(description: &mut Description) {
    let if_match = "The `ETag` of the record as it was read; 412 if it has changed since. `*` for any \
                    version. A weak tag, `W/\"7\"`, counts as `\"7\"`.";
    let if_none_match = "412 if the record has this `ETag`, or if there is one at all for `*`.";
    for ((_, title), about) in CONDITIONS
        .into_iter()
        .zip([if_match, if_none_match])
    {
        let tags = string().pattern(Some(TAGS));
        description.parameter(ParameterIn::Header, title, false, tags.into(), about);
    }
    description.problems(&[Code::PreconditionFailed]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_name_versions_strong_or_weak() {
        for any in ["*", " * "] {
            assert_eq!(versions(any.as_bytes()), Some(Versions::Any), "{any}");
        }
        for (tags, named) in [
            ("\"7\"", &[7][..]),
            ("W/\"7\"", &[7]),
            (" \"7\" ,\"9\"", &[7, 9]),
            ("W/\"7\", \"9\"", &[7, 9]),
            ("\"abc\", \"7\"", &[7]),
            ("\"a,b\", \"7\"", &[7]),
            ("\"a, \",\"7\"", &[7]),
            ("W/\"abc\"", &[]),
            ("\"\"", &[]),
            ("\"7\",", &[7]),
            (", ,\"7\",, \"8\" ,", &[7, 8]),
            ("\"+7\", \"07\", \"7 \", \"-0\"", &[]),
            ("\"*\"", &[]),
            ("\"\u{e9}\", \"7\"", &[7]),
        ] {
            let expected = Versions::These(named.to_vec());
            assert_eq!(versions(tags.as_bytes()), Some(expected), "{tags}");
        }
        let malformed = r#"|,|7|W/7|W/|w/"7"|"7|7"|"7" "8"|"7""8"|*, "7"|"7", *"#;
        for value in malformed.split('|') {
            assert_eq!(versions(value.as_bytes()), None, "{value}");
        }
    }

    /// Builds lists of tags as RFC 9110 writes them, and reads them again.
    #[test]
    fn any_list_of_tags_is_read() {
        let mut seed: u64 = 11;
        let mut below = |most: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005);
            seed = seed.wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(seed >> 33).unwrap() % most
        };
        // Letters of a tag, commas and what looks like tags or white space elsewhere among them.
        let letters: Vec<u8> = (b'#'..=b'~')
            .chain(0x80..=0xff)
            .chain([b'!'])
            .collect();
        for _ in 0..20_000 {
            let mut list = Vec::new();
            let mut expected = Vec::new();
            let count = 1 + below(4);
            for _ in 0..count {
                for _ in 0..below(3) {
                    list.extend([&b","[..], b" ,", b"\t,"][below(3)]);
                }
                list.extend([&b""[..], b" ", b"\t "][below(3)]);
                list.extend([&b""[..], b"W/"][below(2)]);
                let opaque: Vec<u8> = match below(3) {
                    0 => below(1_000).to_string().into_bytes(),
                    _ => (0..below(6))
                        .map(|_| letters[below(letters.len())])
                        .collect(),
                };
                let text = String::from_utf8_lossy(&opaque);
                let number = text.parse::<i64>().ok();
                expected.extend(number.filter(|number| number.to_string() == text));
                list.push(b'"');
                list.extend(opaque);
                list.extend(b"\"");
                list.extend([&b""[..], b" "][below(2)]);
                list.push(b',');
            }
            if below(2) == 0 {
                list.pop();
            }
            let read = versions(&list);
            let shown = String::from_utf8_lossy(&list);
            assert_eq!(read, Some(Versions::These(expected)), "{shown}");
            // HTTP's own form of a header takes it as well.
            HeaderValue::from_bytes(&list).unwrap();
        }
    }

    #[test]
    fn lines_of_a_header_are_one_list() {
        let mut headers = HeaderMap::new();
        assert_eq!(read(&headers).unwrap(), Preconditions::default());
        for tag in ["\"1\"", "\"2\","] {
            headers.append(header::IF_MATCH, HeaderValue::from_static(tag));
        }
        headers.insert(header::IF_NONE_MATCH, HeaderValue::from_static("*"));
        let conditions = read(&headers).unwrap();
        assert_eq!(conditions.if_match, Some(Versions::These(vec![1, 2])));
        assert_eq!(conditions.if_none_match, Some(Versions::Any));
        headers.insert(header::IF_NONE_MATCH, HeaderValue::from_static("1"));
        let [fault] = read(&headers)
            .unwrap_err()
            .try_into()
            .unwrap();
        assert_eq!(fault.pointer, "If-None-Match");
        let refused = takes_none(&headers).unwrap_err();
        let refused: Vec<&str> = refused
            .iter()
            .map(|fault| &*fault.pointer)
            .collect();
        assert_eq!(refused, ["If-Match", "If-None-Match"]);
    }

    #[test]
    fn a_key_is_printable_and_not_too_long() {
        let key = |text: &[u8]| {
            let mut headers = HeaderMap::new();
            headers.insert(IDEMPOTENCY_KEY, HeaderValue::from_bytes(text).unwrap());
            idempotency_key(&Method::POST, &headers)
        };
        assert_eq!(key(b"a b~").unwrap().as_deref(), Some("a b~"));
        let longest = "k".repeat(255);
        assert_eq!(key(longest.as_bytes()).unwrap(), Some(longest.clone()));
        let too_long = "k".repeat(256);
        for invalid in [b"".as_slice(), too_long.as_bytes(), "ä".as_bytes(), b"a\tb"] {
            key(invalid).unwrap_err();
        }
        let mut headers = HeaderMap::new();
        headers.insert(IDEMPOTENCY_KEY, HeaderValue::from_static("key"));
        assert_eq!(idempotency_key(&Method::PATCH, &headers).unwrap(), None);
    }
}
