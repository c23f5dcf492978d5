//! Responses from functions' answers of payload version 2.0, as by API Gateway.

use std::collections::BTreeMap;

use axum::{body::Body, response::Response};
use base64::{Engine, prelude::BASE64_STANDARD};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use serde::Deserialize;

/// The answer of a function.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    status_code: u16,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    #[serde(default)]
    multi_value_headers: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    cookies: Vec<String>,
    #[serde(default)]
    body: Option<String>,
    #[serde(default)]
    is_base64_encoded: bool,
}

/// Returns the response of an answer; none if the answer cannot be read.
pub(super) fn read(answer: &[u8]) -> Option<Response> {
    let answer: Answer = serde_json::from_slice(answer).ok()?;
    let mut headers = HeaderMap::new();
    let single = answer
        .headers
        .iter()
        .filter(|(name, _)| {
            !answer
                .multi_value_headers
                .contains_key(*name)
        });
    let multiple = answer
        .multi_value_headers
        .iter()
        .flat_map(|(name, values)| {
            values
                .iter()
                .map(move |value| (name, value))
        });
    for (name, value) in single.chain(multiple) {
        headers.append(name.parse::<HeaderName>().ok()?, value.parse().ok()?);
    }
    for cookie in &answer.cookies {
        headers.append(header::SET_COOKIE, HeaderValue::try_from(cookie).ok()?);
    }
    // The HTTP server sets these itself.
    headers.remove(header::CONTENT_LENGTH);
    headers.remove(header::TRANSFER_ENCODING);
    let body = answer.body.unwrap_or_default();
    let mut response = Response::new(if answer.is_base64_encoded {
        Body::from(BASE64_STANDARD.decode(body).ok()?)
    } else {
        Body::from(body)
    });
    *response.status_mut() = StatusCode::from_u16(answer.status_code).ok()?;
    *response.headers_mut() = headers;
    Some(response)
}
