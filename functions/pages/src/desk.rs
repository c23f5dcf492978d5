//! `GET /`
//! `GET /desk/{file}`
//!
//! The desk: a client of the API for people.

use axum::{
    http::header::{self, HeaderName},
    response::{IntoResponse, Response},
};
use shared::endpoint::*;

use crate::file::{CURRENT, File, served};

const FILES: &[File] = &include!(concat!(env!("OUT_DIR"), "/desk.rs"));

/// HTML of the page, with the names of its files.
const PAGE: &str = include_str!(concat!(env!("OUT_DIR"), "/desk.html"));

/// Entity tag of the page.
const TAG: &str = concat!("\"", env!("DESK_DIGEST"), "\"");

/// Content security policy: the page loads its own files and calls its own host, and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// Permissions policy: neither the page nor what it could embed asks for a device.
const DEVICES: &str = "camera=(), display-capture=(), geolocation=(), microphone=(), midi=(), \
    payment=(), usb=()";

/// Opener policy: no other site's page holds on to the desk's window. The tab of a sign-in provider,
/// which the desk opens, stays known to it.
const OPENER: &str = "same-origin-allow-popups";

/// Serves the desk's page.
pub(crate) async fn page() -> impl IntoResponse {
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("permissions-policy"), DEVICES),
        (
            HeaderName::from_static("cross-origin-opener-policy"),
            OPENER,
        ),
        (header::CACHE_CONTROL, CURRENT),
        (header::ETAG, TAG),
    ];
    (headers, PAGE)
}

/// Serves a file of the desk. 404 for any other name.
pub(crate) async fn file(Path(name): Path<String>) -> Result<Response, Problem> {
    served(FILES, &name)
}
