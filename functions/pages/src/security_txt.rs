//! `GET /.well-known/security.txt`, by RFC 9116.

use axum::{
    http::header,
    response::{IntoResponse, Response},
};
use shared::{clock::Clock, endpoint::*, model::base::span};

/// The time after which an answer is stale, in milliseconds.
const EXPIRES: i64 = 180 * span::DAY;

/// Returns the contact for reports of vulnerabilities. 404 in a deployment that names none.
pub(crate) fn page(contact: Option<String>, clock: &Clock) -> Result<Response, Problem> {
    let contact = contact.ok_or(Error::NotFound("file"))?;
    let expires = clock.now().start_of_day().plus(EXPIRES);
    let text = format!("Contact: {contact}\nExpires: {expires}\nPreferred-Languages: en\n");
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response())
}
