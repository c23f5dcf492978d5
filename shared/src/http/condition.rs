//! The headers that put a write under a condition: `If-Match` names the versions that the record may
//! have, and `Idempotency-Key` makes a request one that is done at most once.

use axum::{
    body::Body,
    extract::{FromRequestParts, MatchedPath, Request},
    middleware::Next,
    response::Response,
};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header, request::Parts};
use model::{Code, Error, Fault, FaultCode};
use utoipa::openapi::{
    path::ParameterIn,
    schema::{ObjectBuilder, Type},
};

use super::operation::{Argument, Description};
use crate::Problem;

/// The header that names a request, so that it can be sent again.
pub const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// The header of a response to a replay.
pub const IDEMPOTENCY_REPLAYED: &str = "idempotency-replayed";

/// The longest key, in characters.
const LONGEST_KEY: usize = 255;

/// The form of `If-Match`: entity tags, or `*`.
const TAGS: &str = r#"^\s*(\*|(W/)?"[^",]*"(\s*,\s*(W/)?"[^",]*")*)\s*$"#;

/// `If-Match` of an operation whose path has no id, since the organization has one such record. An
/// operation with an id in its path takes the header without this argument.
#[derive(Debug)]
pub struct IfMatch(pub(crate) Option<Vec<i64>>);

impl<S: Send + Sync> FromRequestParts<S> for IfMatch {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        Ok(Self(if_match(&parts.headers)?))
    }
}

impl Argument for IfMatch {
    fn describe(description: &mut Description) {
        describe_if_match(description);
    }
}

/// The idempotency key of a `POST`. 400 for a malformed one.
pub fn idempotency_key(method: &Method, headers: &HeaderMap) -> Result<Option<String>, Error> {
    if method != Method::POST {
        return Ok(None);
    }
    let Some(value) = headers.get(IDEMPOTENCY_KEY) else {
        return Ok(None);
    };
    let bytes = value.as_bytes();
    let is_one = (1..=LONGEST_KEY).contains(&bytes.len())
        && bytes.iter().all(|byte| (b' '..=b'~').contains(byte));
    match value.to_str() {
        Ok(key) if is_one => Ok(Some(key.to_owned())),
        _ => Err(Error::invalid(Fault {
            pointer: "Idempotency-Key".to_owned(),
            code: FaultCode::Pattern,
            detail: format!("Send 1 to {LONGEST_KEY} printable ASCII characters."),
        })),
    }
}

/// The versions that `If-Match` allows, of an operation that takes it for the id in its path. `None`
/// allows any.
pub(crate) fn if_match_of_path(parts: &Parts) -> Result<Option<Vec<i64>>, Error> {
    let route = parts.extensions.get::<MatchedPath>();
    let names_a_record = route.is_some_and(|route| route.as_str().contains('{'));
    if takes_if_match(&parts.method, names_a_record) {
        if_match(&parts.headers)
    } else {
        Ok(None)
    }
}

fn takes_if_match(method: &Method, names_a_record: bool) -> bool {
    names_a_record && [Method::PATCH, Method::PUT, Method::DELETE].contains(method)
}

/// The versions that `If-Match` allows; `None` allows any. 400 for a malformed header.
fn if_match(headers: &HeaderMap) -> Result<Option<Vec<i64>>, Error> {
    let Some(value) = headers.get(header::IF_MATCH) else {
        return Ok(None);
    };
    if is_asterisk(value) {
        return Ok(None);
    }
    versions(value).map(Some).ok_or_else(|| {
        Error::invalid(Fault {
            pointer: "If-Match".to_owned(),
            code: FaultCode::Pattern,
            detail: "Send the ETag of the record as it was read, or `*`.".to_owned(),
        })
    })
}

fn is_asterisk(value: &HeaderValue) -> bool {
    value.to_str().is_ok_and(|value| value.trim() == "*")
}

/// Replaces an answer by 304 without a body if the client has the record at that version: `If-None-Match` of
/// a `GET` names it, or is `*` (RFC 9110, 13.1.2). A malformed header is no condition.
pub(crate) async fn not_modified(request: Request, next: Next) -> Response {
    let is_read = request.method() == Method::GET;
    let known = request.headers().get(header::IF_NONE_MATCH).cloned();
    let mut response = next.run(request).await;
    let Some(known) = known.filter(|_| is_read && response.status() == StatusCode::OK) else {
        return response;
    };
    let current = response.headers().get(header::ETAG).and_then(versions);
    let is_any = is_asterisk(&known);
    let known = versions(&known).unwrap_or_default();
    if current.is_some_and(|current| is_any || current.iter().any(|one| known.contains(one))) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        *response.body_mut() = Body::empty();
        response.headers_mut().remove(header::CONTENT_TYPE);
        response.headers_mut().remove(header::CONTENT_LENGTH);
    }
    response
}

/// The versions of entity tags. `W/"7"` names the same version as `"7"`.
///
/// RFC 9110, 13.1.1, wants strong comparison, by which a weak tag never matches. We set that aside:
/// nginx and `CloudFront` make a strong tag weak when they compress the response, and a client that
/// sends it back would get 412 forever. Comparing the numbers is safe, since the number names one
/// state of the record, whatever its encoding.
fn versions(value: &HeaderValue) -> Option<Vec<i64>> {
    let mut versions = Vec::new();
    for tag in value.to_str().ok()?.split(',').map(str::trim) {
        let opaque = tag.strip_prefix("W/").unwrap_or(tag);
        let opaque = opaque.strip_prefix('"')?.strip_suffix('"')?;
        if opaque.contains('"') {
            return None;
        }
        // No record has a version that is no number.
        versions.extend(opaque.parse::<i64>());
    }
    Some(versions)
}

/// Describes the headers that an operation with a caller takes.
pub(crate) fn describe(description: &mut Description) {
    if description.method() == Method::POST {
        let key = ObjectBuilder::new()
            .schema_type(Type::String)
            .min_length(Some(1))
            .max_length(Some(LONGEST_KEY))
            .pattern(Some("^[ -~]+$"));
        let about = "Makes a retry safe: a second request with this key changes nothing and \
                     returns what the first one made.";
        description.parameter(
            ParameterIn::Header,
            "Idempotency-Key",
            false,
            key.into(),
            about,
        );
        description.problems(&[Code::RequestUnderWay, Code::IdempotencyKeyReused]);
        description.may_be_repeated();
    }
    if takes_if_match(description.method(), description.names_a_record()) {
        describe_if_match(description);
    }
}

fn describe_if_match(description: &mut Description) {
    let tags = ObjectBuilder::new()
        .schema_type(Type::String)
        .pattern(Some(TAGS));
    let about = "The `ETag` of the record as it was read; 412 if it has changed since. `*` for any \
                 version. A weak tag, `W/\"7\"`, counts as `\"7\"`.";
    description.parameter(ParameterIn::Header, "If-Match", false, tags.into(), about);
    description.problems(&[Code::PreconditionFailed]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: &str) -> Result<Option<Vec<i64>>, Error> {
        let value = HeaderValue::from_str(value).unwrap();
        if_match(&HeaderMap::from_iter([(header::IF_MATCH, value)]))
    }

    #[test]
    fn tags_name_versions_strong_or_weak() {
        for any in ["*", " * "] {
            assert_eq!(read(any).unwrap(), None, "{any}");
        }
        for (tags, versions) in [
            ("\"7\"", &[7][..]),
            ("W/\"7\"", &[7]),
            (" \"7\" ,\"9\"", &[7, 9]),
            ("W/\"7\", \"9\"", &[7, 9]),
            ("\"abc\", \"7\"", &[7]),
            ("W/\"abc\"", &[]),
            ("\"\"", &[]),
        ] {
            assert_eq!(read(tags).unwrap().as_deref(), Some(versions), "{tags}");
        }
        for none in [
            "",
            "7",
            "W/7",
            "w/\"7\"",
            "\"7",
            "7\"",
            "\"7\" \"8\"",
            "*, \"7\"",
            "\"7\",",
        ] {
            read(none).unwrap_err();
        }
        assert_eq!(if_match(&HeaderMap::new()).unwrap(), None);
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
        for none in [b"".as_slice(), too_long.as_bytes(), "ä".as_bytes(), b"a\tb"] {
            key(none).unwrap_err();
        }
        let mut headers = HeaderMap::new();
        headers.insert(IDEMPOTENCY_KEY, HeaderValue::from_static("key"));
        assert_eq!(idempotency_key(&Method::PATCH, &headers).unwrap(), None);
    }
}
