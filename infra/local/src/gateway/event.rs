//! Events of payload version 2.0 from requests, as by API Gateway.

use std::{collections::BTreeMap, net::SocketAddr};

use base64::{Engine, prelude::BASE64_STANDARD};
use bytes::Bytes;
use chrono::DateTime;
use http::{HeaderMap, HeaderName, HeaderValue, header, request::Parts};
use serde_json::{Map, Value, json};
use shared::{model::base::Timestamp, random};

use super::{path::handed_over, routes::Found};

/// Headers of the connection, which are not part of the event.
const HOP_BY_HOP: [HeaderName; 5] = [
    header::CONNECTION,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

/// The gateway's own data about a request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context<'a> {
    pub(super) route: &'a Found<'a>,
    pub(super) client: SocketAddr,
    pub(super) request_id: &'a str,
    pub(super) at: Timestamp,
}

/// Returns the event of a request. None if its path cannot be handed over.
pub(super) fn of(request: &Parts, body: &Bytes, context: &Context<'_>) -> Option<Value> {
    let host = text(&request.headers, &header::HOST);
    let path = handed_over(request.uri.path())?;
    let query = request.uri.query().unwrap_or("");
    let mut event = json!({
        "version": "2.0",
        "routeKey": context.route.key,
        "rawPath": path,
        "rawQueryString": query,
        "headers": headers(&request.headers, body.len(), context.client),
        "requestContext": {
            "accountId": "123456789012",
            "apiId": "local",
            "domainName": host,
            "domainPrefix": host.split('.').next(),
            "http": {
                "method": request.method.as_str(),
                "path": path,
                "protocol": format!("{:?}", request.version),
                "sourceIp": context.client.ip(),
                "userAgent": text(&request.headers, &header::USER_AGENT),
            },
            "requestId": context.request_id,
            "routeKey": context.route.key,
            "stage": "$default",
            "time": common_log_time(context.at),
            "timeEpoch": context.at.millis(),
        },
        "isBase64Encoded": false,
    });
    let cookies = cookies(&request.headers);
    if !cookies.is_empty() {
        event["cookies"] = json!(cookies);
    }
    if !query.is_empty() {
        event["queryStringParameters"] = json!(parameters(query));
    }
    if !context.route.parameters.is_empty() {
        let named = context.route.parameters.iter().cloned();
        event["pathParameters"] = json!(named.collect::<BTreeMap<_, _>>());
    }
    if !body.is_empty() {
        let content_type = text(&request.headers, &header::CONTENT_TYPE);
        match std::str::from_utf8(body) {
            Ok(body) if is_text(&content_type) => event["body"] = json!(body),
            _ => {
                event["body"] = json!(BASE64_STANDARD.encode(body));
                event["isBase64Encoded"] = json!(true);
            }
        }
    }
    Some(event)
}

/// Returns the headers of the event: names in lower case, values of one name joined by commas.
fn headers(sent: &HeaderMap, length: usize, client: SocketAddr) -> Map<String, Value> {
    let mut joined: BTreeMap<String, String> = BTreeMap::new();
    for (name, value) in sent {
        if HOP_BY_HOP.contains(name) || name == header::COOKIE {
            continue;
        }
        let value = String::from_utf8_lossy(value.as_bytes());
        joined
            .entry(name.to_string())
            .and_modify(|values| *values = format!("{values},{value}"))
            .or_insert_with(|| value.into_owned());
    }
    joined.insert("content-length".into(), length.to_string());
    joined.insert("x-forwarded-for".into(), client.ip().to_string());
    joined.insert("x-forwarded-port".into(), port(sent).to_owned());
    joined.insert("x-forwarded-proto".into(), "http".into());
    joined
        .entry("x-amzn-trace-id".into())
        .or_insert_with(trace);
    joined
        .into_iter()
        .map(|(name, value)| (name, json!(value)))
        .collect()
}

/// Returns the port in `Host`; 80 if there is none.
fn port(sent: &HeaderMap) -> &str {
    sent.get(header::HOST)
        .and_then(|host| host.to_str().ok())
        .and_then(|host| host.rsplit_once(':'))
        .map_or("80", |(_, port)| port)
}

/// Returns a new trace header.
fn trace() -> String {
    let id = hex::encode(random::bytes::<16>());
    let (first, second) = id.split_at(8);
    format!("Root=1-{first}-{second}")
}

fn cookies(sent: &HeaderMap) -> Vec<String> {
    sent.get_all(header::COOKIE)
        .iter()
        .flat_map(|header| {
            header
                .as_bytes()
                .split(|&letter| letter == b';')
        })
        .map(|cookie| {
            String::from_utf8_lossy(cookie)
                .trim()
                .to_owned()
        })
        .filter(|cookie| !cookie.is_empty())
        .collect()
}

/// Returns the decoded query parameters, values of one name joined by commas.
fn parameters(query: &str) -> BTreeMap<String, String> {
    let mut joined: BTreeMap<String, String> = BTreeMap::new();
    for (name, value) in form_urlencoded::parse(query.as_bytes()) {
        joined
            .entry(name.into_owned())
            .and_modify(|values| *values = format!("{values},{value}"))
            .or_insert_with(|| value.into_owned());
    }
    joined
}

/// Returns true if API Gateway passes a body of this type on without base64.
fn is_text(content_type: &str) -> bool {
    let kind = content_type
        .split(';')
        .next()
        .unwrap_or("")
        .trim();
    kind.starts_with("text/")
        || matches!(
            kind,
            "application/json" | "application/xml" | "application/javascript"
        )
}

fn text(headers: &HeaderMap, name: &HeaderName) -> String {
    let value = headers
        .get(name)
        .map(HeaderValue::as_bytes);
    String::from_utf8_lossy(value.unwrap_or_default()).into_owned()
}

/// Formats an instant as in web server logs: `15/Jan/2026:12:00:00 +0000`.
fn common_log_time(at: Timestamp) -> String {
    DateTime::from_timestamp_millis(at.millis())
        .unwrap_or_default()
        .format("%d/%b/%Y:%H:%M:%S %z")
        .to_string()
}
