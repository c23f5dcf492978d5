//! Protection against cross-site request forgery: a foreign page must not use a signed-in browser's
//! cookie, nor sign a browser in to another account.

use ::http::{HeaderMap, Method, header, request::Parts};
use axum::extract::{FromRef, FromRequestParts};
use model::base::Code;

use crate::{
    App, Problem,
    auth::SessionCookie,
    http::operation::{Argument, Description},
    problem::Cause,
};

/// The most characters of an origin that a message shows.
const LONGEST_ORIGIN: usize = 200;

/// Returns `true` for a request that may use the session of its cookie. With an unsafe method it
/// has to [come from our own pages](is_ours). A request whose cookie does not verify passes here,
/// and gets 401 from the operation.
pub fn may_pass(
    method: &Method,
    headers: &HeaderMap,
    cookie: &SessionCookie,
    allowed: &[String],
) -> bool {
    method.is_safe() || is_ours(headers, allowed) || cookie.read(headers).is_none()
}

/// Returns `true` for a request from a page of the service's own host, from an origin that is
/// `allowed`, or from no page at all.
///
/// `Origin` decides first, since a page cannot forge it. Any other origin is foreign, also `null`.
/// Without `Origin`, `Sec-Fetch-Site: cross-site` marks a foreign page. A client that sends neither
/// is no browser. `Sec-Fetch-Site` alone is not enough: an allowed origin may be of another site,
/// and a foreign one of the same site.
pub fn is_ours(headers: &HeaderMap, allowed: &[String]) -> bool {
    let Some(origin) = headers.get(header::ORIGIN) else {
        let site = headers.get("sec-fetch-site");
        return site.is_none_or(|site| site != "cross-site");
    };
    let Ok(origin) = origin.to_str() else {
        return false;
    };
    allowed
        .iter()
        .any(|allowed_origin| allowed_origin == origin)
        || is_own_host(origin, headers)
}

/// Returns `true` for an origin whose host and port are those of `Host`, as the client sent them.
///
/// An origin of plain http is foreign to a request over https, as `X-Forwarded-Proto` of the
/// gateway tells: anyone on the way may have written that page. The opposite is fine: a proxy may
/// speak https to the browser and http to the service.
///
/// No other header names the host. Behind a proxy that changes `Host`, the public origin has to be
/// allowed.
fn is_own_host(origin: &str, headers: &HeaderMap) -> bool {
    let text = |name| headers.get(name)?.to_str().ok();
    let (Some((scheme, authority)), Some(host)) = (origin.split_once("://"), text("host")) else {
        return false;
    };
    let over_https = text("x-forwarded-proto") == Some("https");
    // A browser leaves out the default port; other clients may send it.
    let default_port = match scheme {
        "https" => ":443",
        "http" if !over_https => ":80",
        _ => return false,
    };
    let named = |text: &str| -> String {
        let text = text
            .strip_suffix(default_port)
            .unwrap_or(text);
        text.to_ascii_lowercase()
    };
    named(authority) == named(host)
}

/// The reason why a request from a foreign page is refused.
pub fn refused(headers: &HeaderMap) -> Cause {
    let sent = headers.get(header::ORIGIN);
    let origin = sent.and_then(|origin| origin.to_str().ok());
    let origin = origin.map(|origin| {
        origin
            .chars()
            .take(LONGEST_ORIGIN)
            .collect()
    });
    Cause::CrossSite { origin }
}

/// An argument of an operation that begins a session, and so has no caller. 403 for a foreign page,
/// with a cookie or without. Otherwise the page could sign a browser in to an account of its own,
/// and read there what the browser's owner writes.
#[derive(Clone, Copy, Debug)]
pub struct OwnPage;

impl<S: Send + Sync> FromRequestParts<S> for OwnPage
where
    App: FromRef<S>,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let is_ours = is_ours(&parts.headers, &App::from_ref(state).allowed_origins);
        let refused = || refused(&parts.headers).into();
        is_ours
            .then_some(Self)
            .ok_or_else(refused)
    }
}

impl Argument for OwnPage {
    fn describe(description: &mut Description) {
        description.problems(&[Code::CrossSite]);
    }
}

#[cfg(test)]
mod tests {
    use runtime::config::{CookieScope, SigningSecrets};

    use super::*;

    const ALLOWED: &str = "https://app.example";
    const API: (&str, &str) = ("host", "api.example");

    fn map(headers: &[(&'static str, &str)]) -> HeaderMap {
        let named =
            |(name, value): &(&'static str, &str)| (name.parse().unwrap(), value.parse().unwrap());
        headers.iter().map(named).collect()
    }

    fn ours(headers: &[(&'static str, &str)]) -> bool {
        is_ours(&map(headers), &[ALLOWED.to_owned()])
    }

    #[test]
    fn the_origin_decides_before_sec_fetch_site() {
        for site in ["same-origin", "same-site", "cross-site", "none"] {
            let site = ("sec-fetch-site", site);
            assert!(ours(&[API, site, ("origin", ALLOWED)]));
            assert!(ours(&[API, site, ("origin", "https://api.example")]));
            let foreign = "https://evil.example https://api.example.evil.example https://app.example:8443 \
                           http://app.example null api.example ";
            for foreign in foreign.split(' ') {
                assert!(!ours(&[API, site, ("origin", foreign)]), "{foreign}");
            }
        }
    }

    #[test]
    fn without_an_origin_sec_fetch_site_decides() {
        assert!(!ours(&[API, ("sec-fetch-site", "cross-site")]));
        for site in ["same-origin", "same-site", "none"] {
            assert!(ours(&[API, ("sec-fetch-site", site)]), "{site}");
        }
        assert!(ours(&[API]));
    }

    #[test]
    fn our_own_host_is_that_of_the_host_header() {
        for (origin, host, proto, expected) in [
            ("https://api.example", "api.example", "https", true),
            ("https://api.example", "API.example:443", "https", true),
            ("https://api.example:443", "api.example", "https", true),
            ("https://api.example:8443", "api.example", "https", false),
            ("https://api.example", "api.example:8443", "https", false),
            ("https://a.example:8443", "a.example:8443", "https", true),
            // A page that came over plain http.
            ("http://api.example", "api.example", "https", false),
            ("http://api.example:443", "api.example:443", "https", false),
            ("http://localhost:9000", "localhost:9000", "http", true),
            ("http://localhost", "localhost:80", "http", true),
            ("http://localhost:443", "localhost", "http", false),
            // A proxy with a certificate before a service without.
            ("https://localhost:5173", "localhost:5173", "http", true),
            ("ftp://api.example", "api.example", "http", false),
        ] {
            let headers = [
                ("host", host),
                ("origin", origin),
                ("x-forwarded-proto", proto),
            ];
            assert_eq!(ours(&headers), expected, "{origin} to {host} over {proto}");
        }
        assert!(!ours(&[("origin", "https://api.example")]));
    }

    #[test]
    fn only_a_request_that_could_use_a_session_is_refused() {
        let secrets = SigningSecrets::new(["a secret".to_owned()]).unwrap();
        let cookie = SessionCookie::new(secrets, CookieScope::SameSite);
        let signed = format!("connect.sid={}", cookie.sign("sid"));
        let foreign = ("origin", "https://evil.example");
        let signed = ("cookie", &*signed);
        let forged = ("cookie", "connect.sid=s%3Asid.x");
        for (method, headers, passes) in [
            (Method::POST, &[API, foreign, signed][..], false),
            (Method::GET, &[API, foreign, signed], true),
            (Method::POST, &[API, signed], true),
            (Method::POST, &[API, foreign], true),
            (Method::POST, &[API, foreign, forged], true),
        ] {
            let result = may_pass(&method, &map(headers), &cookie, &[]);
            assert_eq!(result, passes, "{method} {headers:?}");
        }
    }
}
