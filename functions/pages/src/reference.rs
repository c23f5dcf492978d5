//! `GET /api/docs`
//! `GET /api/docs/{file}`
//!
//! The page that shows the document.

use axum::{
    http::{HeaderMap, header},
    response::{IntoResponse, Response},
};
use shared::{auth::cookie, endpoint::*};

use crate::file::{File, served};

const FILES: &[File] = &include!(concat!(env!("OUT_DIR"), "/reference.rs"));

const PAGE: &str = include_str!(concat!(env!("OUT_DIR"), "/reference.html"));

/// Placeholder in the page for whether the browser sent a session cookie.
const SESSION: &str = "{{session}}";

/// Content security policy: the page loads its own scripts and styles and calls its own host.
/// Inline scripts and styles, and `eval`, are forbidden. Swagger UI needs one exception: its style
/// sheet has icons in `data:` URLs.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

/// Serves the page that shows the OpenAPI document and lets a signed-in user try its operations.
pub(crate) async fn page(headers: HeaderMap) -> Response {
    // With a cookie the page asks for the session, which may have ended; without one it need not
    // ask.
    let session = if cookie::is_sent(&headers) {
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

/// Serves a file of the reference page. 404 for any other name.
pub(crate) async fn file(Path(name): Path<String>) -> Result<Response, Problem> {
    served(FILES, &name)
}
