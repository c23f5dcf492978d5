//! Requests and responses of a double.

use std::collections::BTreeMap;

use axum::{
    body::{Body, Bytes},
    extract::Request,
    http::{HeaderMap, StatusCode},
    response::Response,
};
use futures::stream;
use serde_json::Value;

/// A request to a double.
#[derive(Clone, Debug)]
pub struct Asked {
    pub method: String,
    /// The segments of the path, decoded.
    pub path: Vec<String>,
    pub query: BTreeMap<String, String>,
    pub headers: HeaderMap,
    pub body: String,
}

impl Asked {
    pub async fn of(request: Request) -> Self {
        let (head, body) = request.into_parts();
        let body = axum::body::to_bytes(body, 1 << 20)
            .await
            .unwrap();
        let segments = head.uri.path().split('/').skip(1);
        Self {
            method: head.method.to_string(),
            path: segments.map(decoded).collect(),
            query: pairs(head.uri.query().unwrap_or_default()),
            headers: head.headers,
            body: String::from_utf8(body.to_vec()).unwrap(),
        }
    }

    /// A number of the query, or the usual one.
    pub fn number(&self, name: &str, usual: usize) -> usize {
        let number = self
            .query
            .get(name)
            .and_then(|text| text.parse().ok());
        number.unwrap_or(usual)
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Method and path, as a test compares them.
    pub fn line(&self) -> String {
        format!("{} /{}", self.method, self.path.join("/"))
    }

    /// The method, and the segments after the prefix. None if the path has another prefix.
    pub fn below<'a>(&'a self, prefix: &[&'a str]) -> Option<(&'a str, Vec<&'a str>)> {
        let path: Vec<&str> = self
            .path
            .iter()
            .map(String::as_str)
            .collect();
        let rest = path.strip_prefix(prefix)?;
        Some((self.method.as_str(), rest.to_vec()))
    }

    /// The members of a form. Nested members keep their brackets.
    pub fn form(&self) -> BTreeMap<String, String> {
        pairs(&self.body)
    }
}

fn decoded(text: &str) -> String {
    let text = percent_encoding::percent_decode_str(text);
    text.decode_utf8().unwrap().into_owned()
}

/// The pairs of a query or of a form.
fn pairs(text: &str) -> BTreeMap<String, String> {
    let url = reqwest::Url::parse(&format!("http://double/?{text}")).unwrap();
    url.query_pairs().into_owned().collect()
}

/// A response of a double.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    /// JSON. Null stands for an empty body.
    pub body: Value,
}

impl Reply {
    pub const fn new(status: u16, body: Value) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body,
        }
    }

    pub fn with(mut self, header: &'static str, value: &str) -> Self {
        self.headers
            .push((header, value.to_string()));
        self
    }

    /// The response on the wire.
    pub fn send(self) -> Response {
        let body = match &self.body {
            Value::Null => String::new(),
            body => body.to_string(),
        };
        self.response(Body::from(body))
    }

    /// A response whose connection breaks off after the head.
    pub fn cut(self) -> Response {
        let broken = std::io::Error::other("The double cut the connection.");
        self.response(Body::from_stream(stream::iter([Err::<Bytes, _>(broken)])))
    }

    fn response(self, body: Body) -> Response {
        let mut response = Response::new(body);
        *response.status_mut() = StatusCode::from_u16(self.status).unwrap();
        let headers = response.headers_mut();
        headers.insert("content-type", "application/json".parse().unwrap());
        for (name, value) in self.headers {
            headers.insert(name, value.parse().unwrap());
        }
        response
    }
}
