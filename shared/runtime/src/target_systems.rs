//! The systems that the agent's actions call, as `TARGET_SYSTEMS` configures them: a JSON object
//! of names, each with a base URL, a secret, the header of its idempotency keys and the calls it
//! allows. Nothing else is ever called.

use std::collections::BTreeMap;

use model::Idempotency;
use secrecy::SecretString;
use serde::Deserialize;

use crate::config::{ConfigError, Environment};

const VARIABLE: &str = "TARGET_SYSTEMS";

/// The target systems by name.
#[derive(Clone, Debug, Default)]
pub struct TargetSystems(BTreeMap<String, TargetSystem>);

/// A target system.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TargetSystem {
    /// What paths are appended to: `https://billing.example.com/api`.
    pub base_url: String,
    /// Sent as the bearer token; only the worker needs it.
    #[serde(default)]
    pub secret: Option<SecretString>,
    /// The header of the idempotency key, where the system honours one: a call that is repeated
    /// with the same key then has no second effect.
    #[serde(default)]
    pub idempotency_header: Option<String>,
    /// The header by which the system says that an answer is the one that it gave to an earlier
    /// call with the same key, unless its value is `false`.
    #[serde(default)]
    pub replayed_header: Option<String>,
    /// Allowed calls: `POST /usage-batches/{id}/reprocess`.
    #[serde(default)]
    pub allow: Vec<AllowedCall>,
}

/// A method and a path template, in which `{name}` stands for any one segment.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct AllowedCall {
    method: String,
    /// `None` stands for any one segment.
    segments: Vec<Option<String>>,
}

impl TryFrom<String> for AllowedCall {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        const WRONG: &str = "no call such as \"POST /invoices/{id}/void\"";
        let (method, path) = text.split_once(' ').ok_or(WRONG)?;
        let segments: Vec<Option<String>> = path
            .strip_prefix('/')
            .ok_or(WRONG)?
            .split('/')
            .map(|segment| {
                let placeholder = segment.starts_with('{') && segment.ends_with('}');
                (!placeholder).then(|| segment.to_owned())
            })
            .collect();
        if !METHODS.contains(&method) || !segments.iter().flatten().all(|text| is_plain(text)) {
            return Err(WRONG);
        }
        Ok(Self {
            method: method.to_owned(),
            segments,
        })
    }
}

/// The methods that a call may have.
pub const METHODS: [&str; 5] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

impl TargetSystems {
    /// Reads `TARGET_SYSTEMS`; none when it is not set.
    pub fn read(environment: &Environment) -> Result<Self, ConfigError> {
        environment
            .optional(VARIABLE)
            .map_or_else(|| Ok(Self::default()), Self::parse)
    }

    /// Reads the JSON text of the variable. It has secrets in it, so errors say where something is
    /// wrong, and never what stands there.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        let malformed = |problem: String| ConfigError::Malformed {
            name: VARIABLE,
            problem,
        };
        let mut json = serde_json::Deserializer::from_str(text);
        let systems: BTreeMap<String, TargetSystem> = serde_path_to_error::deserialize(&mut json)
            .map_err(|error| malformed(place(&error)))?;
        if let Err(error) = json.end() {
            return Err(malformed(format!("no JSON from {} on", position(&error))));
        }
        for (name, system) in &systems {
            let known_scheme = ["http://", "https://"]
                .iter()
                .any(|scheme| system.base_url.starts_with(scheme));
            if !known_scheme || system.base_url.contains(['?', '#', '@']) {
                let problem = format!("wrong in the base URL of {name:?}");
                return Err(malformed(problem));
            }
            let mut headers = [&system.idempotency_header, &system.replayed_header]
                .into_iter()
                .flatten();
            if headers.any(|header| http::HeaderName::from_bytes(header.as_bytes()).is_err()) {
                return Err(malformed(format!("wrong in a header of {name:?}")));
            }
            if system.replayed_header.is_some() && system.idempotency_header.is_none() {
                let problem = format!("{name:?} has a replayedHeader and no idempotencyHeader");
                return Err(malformed(problem));
            }
        }
        Ok(Self(systems))
    }

    /// The system of that name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&TargetSystem> {
        self.0.get(name)
    }

    /// What the system of that name makes of a call that is sent twice. One that is not configured
    /// promises nothing.
    #[must_use]
    pub fn idempotency(&self, name: &str) -> Idempotency {
        self.get(name)
            .map_or(Idempotency::Unkeyed, TargetSystem::idempotency)
    }
}

impl FromIterator<(String, TargetSystem)> for TargetSystems {
    fn from_iter<I: IntoIterator<Item = (String, TargetSystem)>>(systems: I) -> Self {
        Self(systems.into_iter().collect())
    }
}

impl TargetSystem {
    /// What it makes of a call that is sent twice: it honours keys if it has a header for them.
    #[must_use]
    pub const fn idempotency(&self) -> Idempotency {
        match self.idempotency_header {
            Some(_) => Idempotency::Keyed,
            None => Idempotency::Unkeyed,
        }
    }

    /// Whether an answer with these headers is the one that was given to an earlier call.
    #[must_use]
    pub fn is_replay(&self, headers: &http::HeaderMap) -> bool {
        let header = self.replayed_header.as_deref();
        let value = header.and_then(|name| headers.get(name));
        value.is_some_and(|value| !value.as_bytes().eq_ignore_ascii_case(b"false"))
    }

    /// Whether a call with a rendered path is allowed. The path has plain segments only: none is
    /// empty, a dot segment, or holds an encoded slash, and there is no query.
    #[must_use]
    pub fn allows(&self, method: &str, path: &str) -> bool {
        let Some(segments) = segments(path) else {
            return false;
        };
        self.allow.iter().any(|call| {
            call.method == method
                && call.segments.len() == segments.len()
                && call
                    .segments
                    .iter()
                    .zip(&segments)
                    .all(|(wanted, segment)| wanted.as_ref().is_none_or(|text| text == segment))
        })
    }
}

/// Where the variable is not as it should be. The text of the error itself quotes what stands there,
/// unless it is that nothing does.
fn place(error: &serde_path_to_error::Error<serde_json::Error>) -> String {
    let (path, cause) = (error.path(), error.inner());
    let at = position(cause);
    if !cause.is_data() {
        return format!("no JSON from {at} on");
    }
    let text = cause.to_string();
    match text
        .strip_prefix("missing field `")
        .and_then(|rest| rest.split_once('`'))
    {
        Some((field, _)) => format!("without {path}.{field} ({at})"),
        None => format!("not as it should be at {path} ({at})"),
    }
}

fn position(error: &serde_json::Error) -> String {
    format!("line {}, column {}", error.line(), error.column())
}

/// The segments of a rendered path; `None` when one of them is not plain.
fn segments(path: &str) -> Option<Vec<&str>> {
    let segments: Vec<&str> = path.strip_prefix('/')?.split('/').collect();
    segments
        .iter()
        .all(|segment| is_plain(segment))
        .then_some(segments)
}

/// Whether a segment is what it looks like to everybody who reads it: unreserved characters and
/// percent-encoded bytes, which decode to neither a slash nor a control character, and no dots
/// only.
fn is_plain(segment: &str) -> bool {
    let decoded: Vec<u8> = percent_encoding::percent_decode_str(segment).collect();
    let mut bytes = segment.bytes();
    let mut well_formed = true;
    while let Some(byte) = bytes.next() {
        well_formed &= match byte {
            b'%' => [bytes.next(), bytes.next()]
                .iter()
                .all(|digit| digit.is_some_and(|digit| digit.is_ascii_hexdigit())),
            _ => byte.is_ascii_alphanumeric() || b"-._~:@".contains(&byte),
        };
    }
    well_formed
        && !segment.is_empty()
        && !decoded.iter().all(|byte| *byte == b'.')
        && !decoded
            .iter()
            .any(|byte| matches!(byte, b'/' | b'\\' | b'%') || byte.is_ascii_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn billing() -> TargetSystems {
        TargetSystems::parse(
            r#"{"billing": {"baseUrl": "http://127.0.0.1:1", "secret": "hush",
                "idempotencyHeader": "Idempotency-Key",
                "allow": ["POST /usage-batches/{id}/reprocess", "GET /customers/{id}"]}}"#,
        )
        .unwrap()
    }

    #[test]
    fn only_listed_methods_and_paths_are_allowed() {
        let systems = billing();
        let system = systems.get("billing").unwrap();
        assert!(system.allows("POST", "/usage-batches/ub_1/reprocess"));
        assert!(system.allows("GET", "/customers/a%20b"));
        for (method, path) in [
            ("GET", "/usage-batches/ub_1/reprocess"),
            ("POST", "/usage-batches/ub_1"),
            ("POST", "/usage-batches/ub_1/reprocess/"),
            ("POST", "/usage-batches//reprocess"),
            ("POST", "/usage-batches/../reprocess"),
            ("POST", "/usage-batches/%2e%2E/reprocess"),
            ("POST", "/usage-batches/./reprocess"),
            ("POST", "/usage-batches/a%2Fb/reprocess"),
            ("POST", "/usage-batches/a%5cb/reprocess"),
            ("POST", "/usage-batches/a%252fb/reprocess"),
            ("POST", "/usage-batches/a%00b/reprocess"),
            ("POST", "/usage-batches/a%0/reprocess"),
            ("POST", "/usage-batches/ub_1/reprocess?all=1"),
            ("POST", "/usage-batches/a?b/reprocess"),
            ("POST", "/usage-batches/a#b/reprocess"),
            ("POST", "/usage-batches/a\\b/reprocess"),
            ("POST", "/usage-batches/ä/reprocess"),
            ("POST", "usage-batches/ub_1/reprocess"),
            ("post", "/usage-batches/ub_1/reprocess"),
            ("GET", "//evil.example/customers/1"),
        ] {
            assert!(!system.allows(method, path), "{method} {path}");
        }
    }

    #[test]
    fn only_a_system_with_a_header_for_keys_honours_them() {
        let systems = TargetSystems::parse(
            r#"{"keyed": {"baseUrl": "http://x", "idempotencyHeader": "Idempotency-Key"},
                "unkeyed": {"baseUrl": "http://x"}}"#,
        )
        .unwrap();
        for (name, idempotency) in [
            ("keyed", Idempotency::Keyed),
            ("unkeyed", Idempotency::Unkeyed),
            ("nobody", Idempotency::Unkeyed),
        ] {
            assert_eq!(systems.idempotency(name), idempotency, "{name}");
        }
    }

    #[test]
    fn a_malformed_setting_is_named() {
        for text in [
            "",
            "[]",
            r#"{"billing": {}}"#,
            r#"{"billing": {"baseUrl": "ftp://x"}}"#,
            r#"{"billing": {"baseUrl": "http://user@x"}}"#,
            r#"{"billing": {"baseUrl": "http://x", "idempotencyHeader": "a b"}}"#,
            r#"{"billing": {"baseUrl": "http://x", "idempotencyHeader": "a", "replayedHeader": "b c"}}"#,
            r#"{"billing": {"baseUrl": "http://x", "replayedHeader": "a"}}"#,
            r#"{"billing": {"baseUrl": "http://x", "allow": ["SEND /x"]}}"#,
            r#"{"billing": {"baseUrl": "http://x", "allow": ["GET x"]}}"#,
            r#"{"billing": {"baseUrl": "http://x", "allow": ["GET /x/../y"]}}"#,
            r#"{"billing": {"baseUrl": "http://x", "secert": "typo"}}"#,
        ] {
            let error = TargetSystems::parse(text).unwrap_err().to_string();
            assert!(error.contains("TARGET_SYSTEMS"), "{error}");
        }
    }

    /// Whatever is in the wrong place may be a secret.
    #[test]
    fn an_error_says_where_and_never_what() {
        for (text, place) in [
            (r#""hush""#, "line 1"),
            (r#"["hush"]"#, "line 1"),
            ("hush", "line 1"),
            (r#"{"billing": "hush"}"#, "billing"),
            (r#"{"billing": {"secret": "hush"}}"#, "billing.baseUrl"),
            (r#"{"billing": {"baseUrl": "hush"}}"#, "billing"),
            (
                r#"{"billing": {"baseUrl": "http://x", "secret": ["hush"]}}"#,
                "billing.secret",
            ),
            (
                r#"{"billing": {"baseUrl": "http://x", "secret": 4711}}"#,
                "billing.secret",
            ),
            (
                r#"{"billing": {"baseUrl": "http://x", "idempotencyHeader": "hush hush"}}"#,
                "billing",
            ),
            (
                r#"{"billing": {"baseUrl": "http://x", "allow": ["hush"]}}"#,
                "billing.allow[0]",
            ),
            (
                r#"{"billing": {"baseUrl": "http://x", "allow": "hush"}}"#,
                "billing.allow",
            ),
            (
                "{\"billing\": {\"baseUrl\": \"http://x\",\n \"secert\": \"hush\"}}",
                "line 2",
            ),
            (r#"{"billing": {"baseUrl": "http://x"}} hush"#, "column 38"),
        ] {
            let error = TargetSystems::parse(text).unwrap_err().to_string();
            assert!(error.contains(place), "{text}: {error}");
            for value in ["hush", "4711"] {
                assert!(!error.contains(value), "{error}");
            }
        }
    }

    #[test]
    fn secrets_are_not_shown() {
        assert!(!format!("{:?}", billing()).contains("hush"));
    }
}
