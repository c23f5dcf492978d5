//! Preferences of a client: the header `Prefer` (RFC 7240), and the handling of bodies by it.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use ::http::{Extensions, HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::{extract::Request, middleware::Next, response::Response};
use model::base::input::MemberHandling;

const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");

/// The preference for faults of members that an operation does not read.
pub(super) const STRICT: &str = "handling=strict";

/// The header of an answer to a request with a strictly read body, and its description.
pub(super) const APPLIED: (&str, &str) = (
    "Preference-Applied",
    "`handling=strict` if the request preferred it and its body was read",
);

/// The preference for strict handling in a request. Set once its body was read so.
#[derive(Clone, Debug, Default)]
pub(crate) struct StrictHandling(Arc<AtomicBool>);

impl StrictHandling {
    /// Returns the handling of the body that is read now.
    pub(super) fn of_body(extensions: &Extensions) -> MemberHandling {
        let Some(Self(is_applied)) = extensions.get() else {
            return MemberHandling::Lenient;
        };
        is_applied.store(true, Ordering::Relaxed);
        MemberHandling::Strict
    }
}

/// Returns the preferences of a request by their names in lower case. One without a value has an
/// empty one.
pub fn preferences(headers: &HeaderMap) -> impl Iterator<Item = (String, &str)> {
    let values = headers.get_all("prefer").iter();
    let values = values.map(|value| value.to_str().unwrap_or_default());
    values
        .flat_map(|value| value.split([',', ';']))
        .map(|preference| {
            let (name, value) = preference
                .split_once('=')
                .unwrap_or((preference, ""));
            let value = value.trim().trim_matches('"');
            (name.trim().to_ascii_lowercase(), value)
        })
}

/// Returns true if the first preference for a handling asks for the strict one.
fn is_strict(headers: &HeaderMap) -> bool {
    preferences(headers)
        .find(|(name, _)| name == "handling")
        .is_some_and(|(_, value)| value.eq_ignore_ascii_case("strict"))
}

/// Passes the preference for strict handling to the body. Names it in a success, and in a 400, if a
/// body was read.
pub(crate) async fn strictly(mut request: Request, next: Next) -> Response {
    if !is_strict(request.headers()) {
        return next.run(request).await;
    }
    let strict = StrictHandling::default();
    request
        .extensions_mut()
        .insert(strict.clone());
    let mut response = next.run(request).await;
    let status = response.status();
    let is_described = status.is_success() || status == StatusCode::BAD_REQUEST;
    if is_described && strict.0.load(Ordering::Relaxed) {
        response
            .headers_mut()
            .insert(PREFERENCE_APPLIED, HeaderValue::from_static(STRICT));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_preference_for_a_handling_counts() {
        for (prefer, expected) in [
            ("handling=strict", true),
            ("Handling=\"strict\"", true),
            ("respond-async, handling=strict", true),
            ("wait=5; handling=strict", true),
            ("handling=lenient, handling=strict", false),
            ("handling=lenient", false),
            ("handling", false),
            ("strict", false),
            ("", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert("prefer", prefer.parse().unwrap());
            assert_eq!(is_strict(&headers), expected, "{prefer}");
        }
        assert!(!is_strict(&HeaderMap::new()));
    }
}
