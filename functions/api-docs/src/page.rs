//! `GET /api/docs`

use axum::response::{IntoResponse, Response};
use http::{HeaderMap, header};
use shared::auth::cookie;

/// The page, with the names of its files.
const PAGE: &str = include_str!(concat!(env!("OUT_DIR"), "/index.html"));

/// Where the page says whether the browser has a session.
const SESSION: &str = "{{session}}";

/// What the page may do: load its own scripts and styles, and ask its own host. No script or style
/// stands in the page, and none is made from text. The viewer forces one exception: its style sheet
/// draws its icons from `data:` addresses.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

/// Shows the OpenAPI document, and lets whoever is signed in try its operations.
pub async fn page(headers: HeaderMap) -> Response {
    // Whether the cookie is worth anything shows when the page asks; without one it need not.
    let session = if cookie::value(&headers).is_some() {
        "perhaps"
    } else {
        "none"
    };
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    (headers, PAGE.replace(SESSION, session)).into_response()
}
