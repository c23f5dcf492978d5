//! The session cookie, as express-session writes it: `connect.sid` is `s:` + sid + `.` + the
//! base64 HMAC-SHA256 of the sid without padding, percent-encoded as `encodeURIComponent` does.

use std::sync::Arc;

use ::http::{HeaderMap, HeaderValue, header};
use base64::{
    Engine,
    prelude::{BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD},
};
use hmac::Mac;
use model::base::Error;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use runtime::{
    config::{CookieScope, SigningSecrets},
    links::mac,
};

pub const NAME: &str = "connect.sid";

/// The most cookies of this name that a request has verified.
const MOST: usize = 8;

/// The beginning of the names of cookies of sign-ins by a provider. Each sign-in has its own, until
/// the provider sends the user back.
const PROVIDER: &str = "connect.oidc.";

/// The characters of a state that name its cookie.
const NAMED_BY: usize = 8;

/// Seconds of that cookie.
pub const PROVIDER_WITHIN: i64 = 600;

/// The characters that `encodeURIComponent` escapes (ECMA-262, 19.2.6).
const ENCODE_URI_COMPONENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')');

#[derive(Clone, Debug)]
pub struct SessionCookie {
    secrets: Arc<SigningSecrets>,
    scope: CookieScope,
}

impl SessionCookie {
    /// Signs with the first of these secrets, and verifies with all. Browsers send the cookie in
    /// `scope`.
    pub fn new(secrets: SigningSecrets, scope: CookieScope) -> Self {
        Self {
            secrets: Arc::new(secrets),
            scope,
        }
    }

    pub fn sign(&self, sid: &str) -> String {
        let signature = mac(&self.secrets.first, sid)
            .finalize()
            .into_bytes();
        let signature = BASE64_STANDARD_NO_PAD.encode(signature);
        utf8_percent_encode(&format!("s:{sid}.{signature}"), ENCODE_URI_COMPONENT).to_string()
    }

    /// Signatures of a path and a body, one with each secret, the newest first. `kind` keeps them
    /// apart from all other signatures.
    pub(super) fn fingerprints(&self, kind: &str, path: &str, sent: &[u8]) -> Vec<String> {
        let signed = |secret| {
            let signed = mac(secret, &format!("{kind}\n{path}\n"));
            BASE64_STANDARD_NO_PAD.encode(
                signed
                    .chain_update(sent)
                    .finalize()
                    .into_bytes(),
            )
        };
        self.secrets.all().map(signed).collect()
    }

    /// The session id of a cookie's value; `None` unless one of the secrets signed it.
    pub fn verify(&self, value: &str) -> Option<String> {
        let decoded = percent_decode_str(value)
            .decode_utf8()
            .ok()?;
        let (sid, signature) = decoded
            .strip_prefix("s:")?
            .rsplit_once('.')?;
        let signature = BASE64_STANDARD_NO_PAD
            .decode(signature)
            .ok()?;
        self.signed(sid, &signature)
            .then(|| sid.to_owned())
    }

    /// True if one of the secrets signed a text. `verify_slice` compares in constant time.
    fn signed(&self, text: &str, signature: &[u8]) -> bool {
        let fits = |secret| {
            mac(secret, text)
                .verify_slice(signature)
                .is_ok()
        };
        self.secrets.all().any(fits)
    }

    /// The session id of the first cookie that verifies; `None` without one. Another host of the
    /// domain may have set a cookie of our name, which browsers send, too.
    pub fn read(&self, headers: &HeaderMap) -> Option<String> {
        values(headers)
            .take(MOST)
            .find_map(|value| self.verify(value))
    }

    pub fn set(&self, sid: &str) -> Result<HeaderValue, Error> {
        self.header(&self.sign(sid), "")
    }

    /// Makes the client forget its session.
    pub fn clear(&self) -> Result<HeaderValue, Error> {
        self.header("", "; Max-Age=0")
    }

    /// The cookie of a sign-in by a provider, for ten minutes. The cookie signs `flow`, for the
    /// service to remember. `state` is the parameter that the provider returns, and names the
    /// cookie.
    pub fn set_flow(&self, state: &str, flow: &str) -> Result<HeaderValue, Error> {
        let flow = BASE64_URL_SAFE_NO_PAD.encode(flow);
        let signature = mac(&self.secrets.first, &signed_flow(&flow));
        let signature = BASE64_URL_SAFE_NO_PAD.encode(signature.finalize().into_bytes());
        let value = format!("{flow}.{signature}");
        self.flow_header(&flow_name(state), &value, PROVIDER_WITHIN)
    }

    /// Makes the browser forget the sign-in of a state, and no other one.
    pub fn clear_flow(&self, state: &str) -> Result<HeaderValue, Error> {
        self.flow_header(&flow_name(state), "", 0)
    }

    fn flow_header(&self, name: &str, value: &str, seconds: i64) -> Result<HeaderValue, Error> {
        let secure = match self.scope {
            CookieScope::PlainHttp => "",
            CookieScope::SameSite | CookieScope::AnySite => "; Secure",
        };
        let scope = format!("Path=/api/auth/oidc; Max-Age={seconds}; HttpOnly; SameSite=Lax");
        written(format!("{name}={value}; {scope}{secure}"))
    }

    /// The sign-in of a state; `None` without its cookie, and for one that does not verify.
    pub fn read_flow(&self, headers: &HeaderMap, state: &str) -> Option<String> {
        let name = flow_name(state);
        let value = cookies(headers).find_map(|(sent, value)| (sent == name).then_some(value))?;
        self.flow(value)
    }

    /// All sign-ins by providers that the browser has begun.
    pub fn flows(&self, headers: &HeaderMap) -> Vec<String> {
        let of_flows = cookies(headers).filter(|(name, _)| name.starts_with(PROVIDER));
        of_flows
            .filter_map(|(_, value)| self.flow(value))
            .collect()
    }

    fn flow(&self, value: &str) -> Option<String> {
        let (flow, signature) = value.split_once('.')?;
        let signature = BASE64_URL_SAFE_NO_PAD
            .decode(signature)
            .ok()?;
        let is_ours = self.signed(&signed_flow(flow), &signature);
        is_ours.then(|| {
            String::from_utf8(
                BASE64_URL_SAFE_NO_PAD
                    .decode(flow)
                    .ok()?,
            )
            .ok()
        })?
    }

    /// A number for a text, which only the secrets tell. The oldest secret makes it: a new one
    /// leaves it as it is.
    pub fn number_of(&self, text: &str) -> u64 {
        let oldest = self
            .secrets
            .all()
            .last()
            .unwrap_or(&self.secrets.first);
        let signed = mac(oldest, &format!("number\n{text}")).finalize();
        let bytes = signed.into_bytes();
        bytes
            .first_chunk()
            .copied()
            .map_or(0, u64::from_be_bytes)
    }

    fn header(&self, value: &str, more: &str) -> Result<HeaderValue, Error> {
        let scope = match self.scope {
            CookieScope::PlainHttp => "SameSite=Lax",
            CookieScope::SameSite => "SameSite=Lax; Secure",
            CookieScope::AnySite => "SameSite=None; Secure; Partitioned",
        };
        written(format!("{NAME}={value}; Path=/; HttpOnly; {scope}{more}"))
    }
}

fn written(cookie: String) -> Result<HeaderValue, Error> {
    HeaderValue::try_from(cookie).map_err(|error| Error::internal("writing a cookie", error))
}

/// The signed text of a sign-in by a provider. No session id begins with `oidc`.
fn signed_flow(flow: &str) -> String {
    format!("oidc\n{flow}")
}

/// The name of the cookie of a state. Characters that no state of ours has are left out.
fn flow_name(state: &str) -> String {
    let is_plain =
        |character: &char| character.is_ascii_alphanumeric() || ['-', '_'].contains(character);
    let beginning: String = state
        .chars()
        .take(NAMED_BY)
        .filter(is_plain)
        .collect();
    format!("{PROVIDER}{beginning}")
}

/// True if a request has a cookie of our name, whoever signed it.
pub fn is_sent(headers: &HeaderMap) -> bool {
    values(headers).next().is_some()
}

/// The values of the cookies of our name, as sent.
fn values(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    cookies(headers).filter_map(|(name, value)| (name == NAME).then_some(value))
}

/// The cookies of a request, by name and value.
fn cookies(headers: &HeaderMap) -> impl Iterator<Item = (&str, &str)> {
    let sent = headers.get_all(header::COOKIE).iter();
    // One by one, as bytes: other cookies of the host may be no ASCII.
    let each = sent.flat_map(|header| {
        header
            .as_bytes()
            .split(|byte| *byte == b';')
    });
    each.filter_map(|cookie| {
        std::str::from_utf8(cookie)
            .ok()?
            .trim()
            .split_once('=')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SID: &str = "abcdefghijklmnopqrstuvwxyz012345";
    const SIGNED: &str =
        "s%3Aabcdefghijklmnopqrstuvwxyz012345.2T3g1YIBqofc0ViEUEt59cUq%2Ba6Wlfi59xfb4RQsxSQ";

    fn cookie(secrets: &[&str]) -> SessionCookie {
        let secrets = secrets.iter().map(ToString::to_string);
        SessionCookie::new(SigningSecrets::new(secrets).unwrap(), CookieScope::SameSite)
    }

    #[test]
    fn a_cookie_is_that_of_express_session() {
        assert_eq!(cookie(&["keyboard cat"]).sign(SID), SIGNED);
        assert_eq!(
            cookie(&["keyboard cat"])
                .verify(SIGNED)
                .unwrap(),
            SID
        );
    }

    #[test]
    fn every_secret_verifies_and_the_first_signs() {
        let rotated = cookie(&["new", "keyboard cat"]);
        assert_eq!(rotated.verify(SIGNED).unwrap(), SID);
        assert_ne!(rotated.sign(SID), SIGNED);
    }

    #[test]
    fn a_forged_cookie_does_not_verify() {
        let cookie = cookie(&["keyboard cat"]);
        let replaced = ["s%3A j%3A", "xSQ xSR", "abc abd", "xSQ xS", "xSQ xSQ%3D"];
        let replaced = replaced.map(|both| both.split_once(' ').unwrap());
        let forged = replaced.map(|(part, by)| SIGNED.replace(part, by));
        let malformed = ["", "s%3A", "s%3A.", SID, "s%3A%FF.%FF"].map(str::to_owned);
        for value in forged.iter().chain(&malformed) {
            assert_eq!(cookie.verify(value), None, "{value}");
        }
    }

    #[test]
    fn set_and_clear_have_the_same_scope() {
        let secrets = SigningSecrets::new(["keyboard cat".to_owned()]).unwrap();
        for (scope, attributes) in [
            (CookieScope::PlainHttp, "SameSite=Lax"),
            (CookieScope::SameSite, "SameSite=Lax; Secure"),
            (CookieScope::AnySite, "SameSite=None; Secure; Partitioned"),
        ] {
            let cookie = SessionCookie::new(secrets.clone(), scope);
            let attributes = format!("Path=/; HttpOnly; {attributes}");
            let set = format!("connect.sid={SIGNED}; {attributes}");
            assert_eq!(cookie.set(SID).unwrap(), set);
            let clear = format!("connect.sid=; {attributes}; Max-Age=0");
            assert_eq!(cookie.clear().unwrap(), clear);
        }
    }

    #[test]
    fn a_flow_opens_as_it_was_signed_and_in_its_own_cookie() {
        let ours = cookie(&["new", "keyboard cat"]);
        let others = cookie(&["another"]);
        let state = "1a2b3c4d5e";
        let set = cookie(&["keyboard cat"]).set_flow(state, "{\"a\": 1}");
        let set = set.unwrap();
        let set = set.to_str().unwrap();
        assert!(set.starts_with("connect.oidc.1a2b3c4d="), "{set}");
        let ends = "; Path=/api/auth/oidc; Max-Age=600; HttpOnly; SameSite=Lax; Secure";
        let value = set.strip_suffix(ends).unwrap();
        let read = |cookie: &SessionCookie, value: &str| {
            let value = HeaderValue::from_str(value).unwrap();
            cookie.read_flow(&HeaderMap::from_iter([(header::COOKIE, value)]), state)
        };
        assert_eq!(read(&ours, value).unwrap(), "{\"a\": 1}");
        assert_eq!(read(&others, value), None);
        for forged in [
            &value.replace("oidc", "sid"),
            &value.replace('.', ""),
            &format!("{value}A"),
            "connect.oidc.1a2b3c4d=.",
            &value.replace("1a2b3c4d", "other123"),
        ] {
            assert_eq!(read(&ours, forged), None, "{forged}");
        }
        assert_eq!(ours.verify(value.split_once('=').unwrap().1), None);
    }

    #[test]
    fn a_new_secret_does_not_change_the_number_of_a_name() {
        let number = |secrets: &[&str]| cookie(secrets).number_of("ada");
        assert_eq!(number(&["old"]), number(&["new", "old"]));
        assert_ne!(number(&["old"]), number(&["new"]));
        assert_ne!(number(&["old"]), cookie(&["old"]).number_of("mia"));
    }

    #[test]
    fn the_first_cookie_that_verifies_counts() {
        let cookie = cookie(&["secret"]);
        let signed = |sid| cookie.sign(sid);
        let sent = [
            // A cookie that is no ASCII does not hide ours.
            b"a=\xff\xfe; b=\xc3\xa4; connect.sid=x; c=\x80".to_vec(),
            format!("connect.sid=; connect.sid={}", signed("first")).into_bytes(),
            format!("connect.sid={}", signed("second")).into_bytes(),
        ];
        let mut headers = HeaderMap::new();
        assert!(!is_sent(&headers));
        for sent in sent {
            headers.append(header::COOKIE, HeaderValue::from_bytes(&sent).unwrap());
        }
        assert!(is_sent(&headers));
        assert_eq!(cookie.read(&headers).unwrap(), "first");
    }

    #[test]
    fn few_cookies_are_verified() {
        let cookie = cookie(&["secret"]);
        let sent = |others: usize| {
            let signed = cookie.sign(SID);
            let sent = format!("{}connect.sid={signed}", "connect.sid=x; ".repeat(others));
            let headers =
                HeaderMap::from_iter([(header::COOKIE, HeaderValue::try_from(sent).unwrap())]);
            cookie.read(&headers)
        };
        assert_eq!(sent(MOST - 1).unwrap(), SID);
        assert_eq!(sent(MOST), None);
    }
}
