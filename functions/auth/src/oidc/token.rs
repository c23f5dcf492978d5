//! ID tokens: their signatures, and the claims that are verified (OpenID Connect Core 1.0,
//! 3.1.3.7).

use std::fmt;

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use openidconnect::{
    JsonWebKey,
    core::{CoreJsonWebKey, CoreJwsSigningAlgorithm},
};
use serde::{
    Deserialize, Deserializer,
    de::{Error as _, MapAccess, Visitor, value::StrDeserializer},
};
use serde_json::{Map, Value};
use shared::{endpoint::*, model::base::span};

/// Milliseconds by which the clocks of provider and service may differ.
const LEEWAY: i64 = span::MINUTE;

/// The most characters of a subject (OpenID Connect Core 1.0, 2).
const LONGEST_SUBJECT: usize = 255;

/// The last second of the year 9999.
const LAST_SECOND: i64 = 253_402_300_799;

/// Algorithms of signatures. None has a shared secret, which the table's readers could use.
const SIGNED_BY: [CoreJwsSigningAlgorithm; 9] = [
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha256,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha384,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha512,
    CoreJwsSigningAlgorithm::RsaSsaPssSha256,
    CoreJwsSigningAlgorithm::RsaSsaPssSha384,
    CoreJwsSigningAlgorithm::RsaSsaPssSha512,
    CoreJwsSigningAlgorithm::EcdsaP256Sha256,
    CoreJwsSigningAlgorithm::EcdsaP384Sha384,
    CoreJwsSigningAlgorithm::EdDsa,
];

/// The token that a sign-in accepts.
pub(super) struct Expected<'a> {
    pub(super) issuer: &'a str,
    pub(super) client_id: &'a str,
    pub(super) nonce: &'a str,
    pub(super) now: Timestamp,
}

/// The reason why an ID token does not verify.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TokenFault {
    /// None of the keys is the token's.
    UnknownKey,
    /// The part of this path is absent, or is not as it has to be.
    Part(&'static str),
}

impl fmt::Display for TokenFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownKey => {
                f.write_str("the ID token names a key that the provider does not show")
            }
            Self::Part(path) => write!(f, "`{path}` of the ID token is absent or does not verify"),
        }
    }
}

/// Verifies an ID token. Returns all of its claims.
pub(super) fn verified(
    token: &str,
    keys: &[Value],
    expected: &Expected<'_>,
) -> Result<Map<String, Value>, TokenFault> {
    let form = TokenFault::Part("form");
    let Some((message, signature)) = token.rsplit_once('.') else {
        return Err(form);
    };
    let Some((header, payload)) = message.split_once('.') else {
        return Err(form);
    };
    let header = members(header, "header")?;
    let signature = BASE64_URL_SAFE_NO_PAD.decode(signature);
    let signature = signature.map_err(|_| TokenFault::Part("signature"))?;
    check_signature(&header, message, &signature, keys)?;
    let claims = members(payload, "claims")?;
    check_claims(&claims, expected)?;
    Ok(claims)
}

fn check_signature(
    header: &Map<String, Value>,
    message: &str,
    signature: &[u8],
    keys: &[Value],
) -> Result<(), TokenFault> {
    // RFC 7515, 4.1.11: the service knows no extension.
    if header.contains_key("crit") {
        return Err(TokenFault::Part("header.crit"));
    }
    let algorithm = header
        .get("alg")
        .and_then(Value::as_str)
        .and_then(algorithm);
    let algorithm = algorithm.ok_or(TokenFault::Part("header.alg"))?;
    let kid = header
        .get("kid")
        .and_then(Value::as_str);
    let named = keys
        .iter()
        .filter(|key| kid.is_none() || key["kid"].as_str() == kid);
    let named: Vec<_> = named
        .filter_map(|key| CoreJsonWebKey::deserialize(key).ok())
        .collect();
    let fits = |key: &CoreJsonWebKey| {
        let verified = key.verify_signature(&algorithm, message.as_bytes(), signature);
        verified.is_ok()
    };
    if named.iter().any(fits) {
        return Ok(());
    }
    // Without a `kid`, it may be a key that the provider shows by now.
    let is_unknown = named.is_empty() || kid.is_none();
    Err(if is_unknown {
        TokenFault::UnknownKey
    } else {
        TokenFault::Part("signature")
    })
}

fn algorithm(name: &str) -> Option<CoreJwsSigningAlgorithm> {
    let name: StrDeserializer<'_, serde::de::value::Error> = StrDeserializer::new(name);
    let algorithm = CoreJwsSigningAlgorithm::deserialize(name).ok()?;
    SIGNED_BY
        .contains(&algorithm)
        .then_some(algorithm)
}

fn check_claims(claims: &Map<String, Value>, expected: &Expected<'_>) -> Result<(), TokenFault> {
    let check = |is_right: bool, path| {
        is_right
            .then_some(())
            .ok_or(TokenFault::Part(path))
    };
    let stated = |name: &str| {
        claims
            .get(name)
            .filter(|claim| !claim.is_null())
    };
    check(
        stated("iss").is_some_and(|iss| iss == expected.issuer),
        "claims.iss",
    )?;
    let is_for_us = match stated("aud") {
        Some(Value::Array(audiences)) => audiences
            .iter()
            .any(|audience| audience == expected.client_id),
        audience => audience.is_some_and(|audience| audience == expected.client_id),
    };
    check(is_for_us, "claims.aud")?;
    let azp = stated("azp");
    check(
        azp.is_none_or(|azp| azp == expected.client_id),
        "claims.azp",
    )?;
    check(
        stated("nonce").is_some_and(|nonce| nonce == expected.nonce),
        "claims.nonce",
    )?;
    let since = |claim: &Value| Some(expected.now.since(instant(claim)?));
    let ended = stated("exp").and_then(since);
    check(ended.is_some_and(|ended| ended < LEEWAY), "claims.exp")?;
    let has_begun = |claim| since(claim).is_some_and(|begun| begun >= -LEEWAY);
    check(stated("nbf").is_none_or(has_begun), "claims.nbf")?;
    check(subject(claims).is_some(), "claims.sub")
}

/// Returns the subject of claims: 1 to 255 characters. Some providers send a number.
pub(super) fn subject(claims: &Map<String, Value>) -> Option<String> {
    let subject = match claims.get("sub")? {
        Value::String(subject) => subject.clone(),
        Value::Number(subject) => subject.to_string(),
        _ => return None,
    };
    let length = subject.chars().count();
    let is_right = length <= LONGEST_SUBJECT && !subject.trim().is_empty();
    is_right.then_some(subject)
}

/// Returns the instant of a claim: seconds as a number, possibly with a fraction, or as the text of
/// one.
pub(super) fn instant(claim: &Value) -> Option<Timestamp> {
    let seconds = match claim {
        Value::Number(seconds) => seconds.to_string(),
        Value::String(seconds) => seconds.clone(),
        _ => return None,
    };
    let whole = seconds.split('.').next()?;
    let whole: i64 = whole.parse().ok()?;
    let is_instant = (0..=LAST_SECOND).contains(&whole);
    is_instant.then(|| Timestamp::from_millis(whole * span::SECOND))
}

/// Reads the members of a part of a token.
fn members(part: &str, path: &'static str) -> Result<Map<String, Value>, TokenFault> {
    let fault = || TokenFault::Part(path);
    let json = BASE64_URL_SAFE_NO_PAD.decode(part);
    let json = json.map_err(|_| fault())?;
    let members: Members = serde_json::from_slice(&json).map_err(|_| fault())?;
    Ok(members.0)
}

/// The members of an object, each of which has a name of its own (RFC 7519, 4).
struct Members(Map<String, Value>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Members, A::Error> {
        let mut members = Map::new();
        while let Some((name, value)) = access.next_entry::<String, Value>()? {
            if members.insert(name, value).is_some() {
                return Err(A::Error::custom("a member is there twice"));
            }
        }
        Ok(Members(members))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn instants_are_seconds_in_numbers_and_texts() {
        let at = |millis| Some(Timestamp::from_millis(millis));
        for (claim, expected) in [
            (json!(1_768_478_400), at(1_768_478_400_000)),
            (json!(1_768_478_400.75), at(1_768_478_400_000)),
            (json!("1768478400"), at(1_768_478_400_000)),
            (json!("2026-01-15T12:00:00Z"), None),
            (json!(-1), None),
            (json!(1e300), None),
            (json!(true), None),
            (json!(null), None),
        ] {
            assert_eq!(instant(&claim), expected, "{claim}");
        }
    }

    #[test]
    fn subjects_have_1_to_255_characters() {
        let of = |sub: Value| subject(json!({"sub": sub}).as_object().unwrap());
        assert_eq!(of(json!("a|b")).as_deref(), Some("a|b"));
        assert_eq!(of(json!(17)).as_deref(), Some("17"));
        assert!(of(json!("a".repeat(255))).is_some());
        for wrong in [
            json!(""),
            json!(" "),
            json!("a".repeat(256)),
            json!(null),
            json!(["a"]),
        ] {
            assert_eq!(of(wrong.clone()), None, "{wrong}");
        }
    }

    #[test]
    fn a_member_that_is_there_twice_is_a_fault() {
        let part = |json: &str| members(&BASE64_URL_SAFE_NO_PAD.encode(json), "claims");
        assert!(part(r#"{"sub": "a", "updated_at": "today"}"#).is_ok());
        let twice = part(r#"{"sub": "a", "sub": "b"}"#);
        assert_eq!(twice, Err(TokenFault::Part("claims")));
    }
}
