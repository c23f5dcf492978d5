//! What the headers of a request say of what it writes: which version the record has to have
//! (`If-Match`), and by what the request is known again (`Idempotency-Key`).

use axum::extract::MatchedPath;
use http::{HeaderMap, HeaderValue, Method, header, request::Parts};
use model::{Code, Error, Fault, FaultCode};
use store::Expected;
use utoipa::openapi::{
    path::ParameterIn,
    schema::{ObjectBuilder, Type},
};

use super::operation::Description;

/// Names a request so that it can be sent again.
pub const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// Says of an answer that it is that of an earlier request with the same key.
pub const IDEMPOTENCY_REPLAYED: &str = "idempotency-replayed";

/// The most characters of a key.
const LONGEST_KEY: usize = 255;

/// The entity tags of `If-Match`, or `*`.
const TAGS: &str = r#"^\s*(\*|(W/)?"[^",]*"(\s*,\s*(W/)?"[^",]*")*)\s*$"#;

/// The key of a request that may be sent again; 400 for one that is none.
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

/// The versions that a request expects of the record in its path; 400 for what are no entity tags.
pub fn expected(parts: &Parts) -> Result<Expected, Error> {
    let route = parts.extensions.get::<MatchedPath>();
    let names_a_record = route.is_some_and(|route| names_a_record(route.as_str()));
    if !takes_if_match(&parts.method, names_a_record) {
        return Ok(Expected::Any);
    }
    let Some(value) = parts.headers.get(header::IF_MATCH) else {
        return Ok(Expected::Any);
    };
    versions(value).ok_or_else(|| {
        Error::invalid(Fault {
            pointer: "If-Match".to_owned(),
            code: FaultCode::Pattern,
            detail: "Send the ETag of the record as it was read, or `*`.".to_owned(),
        })
    })
}

/// Whether the path of an operation is that of a single record: it has the record's id, or the
/// organization has one of the kind.
pub(crate) fn names_a_record(path: &str) -> bool {
    path.contains('{') || path == "/api/concierge/policy"
}

fn takes_if_match(method: &Method, names_a_record: bool) -> bool {
    names_a_record && [Method::PATCH, Method::PUT, Method::DELETE].contains(method)
}

/// Weak tags match nothing, since they do not say that two records are the same (RFC 9110, 13.1.1).
fn versions(value: &HeaderValue) -> Option<Expected> {
    let value = value.to_str().ok()?.trim();
    if value == "*" {
        return Some(Expected::Any);
    }
    let mut versions = Vec::new();
    for tag in value.split(',').map(str::trim) {
        let strong = tag.strip_prefix("W/");
        let opaque = strong.unwrap_or(tag).strip_prefix('"')?.strip_suffix('"')?;
        if opaque.contains('"') {
            return None;
        }
        if strong.is_none() {
            versions.extend(opaque.parse::<i64>());
        }
    }
    Some(Expected::Versions(versions))
}

/// Describes the headers that an operation of somebody who is known takes.
pub(crate) fn describe(description: &mut Description) {
    let text = || ObjectBuilder::new().schema_type(Type::String);
    if description.method() == Method::POST {
        let key = text()
            .min_length(Some(1))
            .max_length(Some(LONGEST_KEY))
            .pattern(Some("^[ -~]+$"));
        description.parameter(ParameterIn::Header, "Idempotency-Key", false, key.into());
        description.problems(&[Code::RequestUnderWay, Code::IdempotencyKeyReused]);
        description.may_be_repeated();
    }
    if takes_if_match(description.method(), description.names_a_record()) {
        let tags = text().pattern(Some(TAGS));
        description.parameter(ParameterIn::Header, "If-Match", false, tags.into());
        description.problems(&[Code::PreconditionFailed]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: &str) -> Option<Expected> {
        versions(&HeaderValue::from_str(value).unwrap())
    }

    #[test]
    fn strong_tags_name_versions_and_others_none() {
        let some = |versions: &[i64]| Some(Expected::Versions(versions.to_vec()));
        assert_eq!(read("*"), Some(Expected::Any));
        assert_eq!(read("\"7\""), some(&[7]));
        assert_eq!(read(" \"7\" ,\"9\""), some(&[7, 9]));
        assert_eq!(read("W/\"7\""), some(&[]));
        assert_eq!(read("\"abc\", \"7\""), some(&[7]));
        assert_eq!(read("\"\""), some(&[]));
        for none in ["", "7", "\"7", "7\"", "\"7\" \"8\"", "*, \"7\"", "\"7\","] {
            assert_eq!(read(none), None, "{none}");
        }
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
