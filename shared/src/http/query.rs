//! Query parameters.

use std::collections::HashMap;

use axum::extract::FromRequestParts;
use http::request::Parts;
use model::{Error, Fault};
use percent_encoding::percent_decode_str;

use crate::Problem;

/// The query parameters that an endpoint takes.
pub trait QueryInput: Sized + Send {
    /// The names it knows; any other is a 400.
    const NAMES: &'static [&'static str];

    /// Reads the parameters, all of whose names are known; empty when a fault was reported.
    fn read(parameters: &mut Parameters) -> Option<Self>;

    /// Parses a raw query string: either the parameters, or every fault of it.
    fn from_query(raw: &str) -> Result<Self, Error> {
        let mut parameters = Parameters::parse(raw, Self::NAMES);
        match Self::read(&mut parameters) {
            Some(input) if parameters.faults.is_empty() => Ok(input),
            _ => Err(Error::Invalid(parameters.faults)),
        }
    }
}

/// No query parameters at all.
#[derive(Clone, Copy, Debug)]
pub struct NoQuery;

impl QueryInput for NoQuery {
    const NAMES: &'static [&'static str] = &[];

    fn read(_: &mut Parameters) -> Option<Self> {
        Some(Self)
    }
}

/// The query parameters of an operation that needs no caller; with one, they are part of
/// [`Caller`](crate::auth::Caller), which looks at them only after 401 and 403.
#[derive(Debug)]
pub struct Query<Q>(pub Q);

impl<S: Send + Sync, Q: QueryInput> FromRequestParts<S> for Query<Q> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        Ok(Self(Q::from_query(parts.uri.query().unwrap_or_default())?))
    }
}

/// The parameters of a query string, decoded, and the faults found in them so far.
#[derive(Debug, Default)]
pub struct Parameters {
    values: HashMap<String, String>,
    faults: Vec<Fault>,
}

impl Parameters {
    fn parse(raw: &str, known: &[&str]) -> Self {
        let mut parameters = Self::default();
        for pair in raw.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (Some(name), Some(value)) = (decode(name), decode(value)) else {
                parameters.fault(pair, "encoding", "This is not percent-encoded UTF-8.");
                continue;
            };
            if !known.contains(&name.as_str()) {
                let detail = if known.is_empty() {
                    "This operation takes no query parameters.".to_owned()
                } else {
                    format!("This operation takes {}.", known.join(", "))
                };
                parameters.fault(&name, "unknown_parameter", detail);
            } else if parameters.values.insert(name.clone(), value).is_some() {
                parameters.fault(&name, "repeated", "Send this parameter once.");
            }
        }
        parameters
    }

    /// The value of a parameter, when it was sent.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str)
    }

    /// Reports a fault of a parameter.
    pub fn fault(&mut self, name: &str, code: &'static str, detail: impl Into<String>) {
        self.faults.push(Fault {
            pointer: format!("?{name}"),
            code: code.into(),
            detail: detail.into(),
        });
    }
}

fn decode(text: &str) -> Option<String> {
    let spaced = text.replace('+', " ");
    let decoded = percent_decode_str(&spaced).decode_utf8().ok()?;
    Some(decoded.into_owned())
}
