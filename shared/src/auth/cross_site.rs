//! Cross-site request forgery: a foreign page must not use a signed-in browser's cookie.

use http::{HeaderMap, Method, header};

use super::cookie;

/// Whether a request may carry a session cookie. An unsafe method with the cookie may not come
/// from another site: `Sec-Fetch-Site: cross-site` says so, and without that header (an older
/// browser) an `Origin` that is neither the request's own host nor one of `allowed` does.
#[must_use]
pub fn may_pass(method: &Method, headers: &HeaderMap, allowed: &[String]) -> bool {
    if method.is_safe() || cookie::value(headers).is_none() {
        return true;
    }
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    if let Some(site) = headers.get("sec-fetch-site") {
        return site != "cross-site";
    }
    let Some(origin) = headers.get(header::ORIGIN) else {
        return true;
    };
    let Ok(origin) = origin.to_str() else {
        return false;
    };
    let own = origin.split_once("://").map(|(_, host)| host);
    (own.is_some() && own == text(header::HOST)) || allowed.iter().any(|one| one == origin)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes(method: &Method, headers: &[(&'static str, &str)]) -> bool {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(*name, value.parse().unwrap());
        }
        may_pass(method, &map, &["https://app.example".to_owned()])
    }

    #[test]
    fn a_foreign_page_cannot_use_the_cookie() {
        let cookie = ("cookie", "connect.sid=x");
        let host = ("host", "api.example");
        assert!(!passes(
            &Method::POST,
            &[cookie, ("sec-fetch-site", "cross-site")]
        ));
        assert!(!passes(
            &Method::DELETE,
            &[cookie, host, ("origin", "https://evil.example")]
        ));
        assert!(!passes(&Method::POST, &[cookie, host, ("origin", "null")]));
    }

    #[test]
    fn our_own_pages_and_plain_clients_can() {
        let cookie = ("cookie", "connect.sid=x");
        let host = ("host", "api.example");
        assert!(passes(&Method::POST, &[cookie]));
        assert!(passes(
            &Method::POST,
            &[cookie, ("sec-fetch-site", "same-origin")]
        ));
        assert!(passes(
            &Method::POST,
            &[cookie, host, ("origin", "https://api.example")]
        ));
        assert!(passes(
            &Method::POST,
            &[cookie, host, ("origin", "https://app.example")]
        ));
        assert!(passes(
            &Method::GET,
            &[cookie, ("sec-fetch-site", "cross-site")]
        ));
        assert!(passes(&Method::POST, &[("sec-fetch-site", "cross-site")]));
    }
}
