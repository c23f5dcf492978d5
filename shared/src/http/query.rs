//! Query parameters.

use axum::extract::FromRequestParts;
use http::request::Parts;
use model::{
    Error, Fault, FaultCode,
    input::{self, Input},
};
use percent_encoding::percent_decode_str;
use utoipa::openapi::path::ParameterIn;

use super::operation::{Argument, Description};
use crate::Problem;

/// The query parameters of an operation that needs no caller; with one, they are part of
/// [`Caller`](crate::auth::Caller), which looks at them only after 401 and 403.
#[derive(Debug)]
pub struct Query<Q>(pub Q);

impl<S: Send + Sync, Q: Input> FromRequestParts<S> for Query<Q> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        Ok(Self(parse(parts)?))
    }
}

impl<Q: Input> Argument for Query<Q> {
    fn describe(description: &mut Description) {
        describe::<Q>(description);
    }
}

/// Reads the query of a request: 400 with every fault, unknown and repeated names among them.
pub(crate) fn parse<Q: Input>(parts: &Parts) -> Result<Q, Error> {
    let raw = parts.uri.query().unwrap_or_default();
    let mut pairs = Vec::new();
    let mut faults = Vec::new();
    for pair in raw.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        match (decode(name), decode(value)) {
            (Some(name), Some(value)) => pairs.push((name, value)),
            _ => faults.push(Fault {
                pointer: format!("?{pair}"),
                code: FaultCode::Encoding,
                detail: "This is not percent-encoded UTF-8.".to_owned(),
            }),
        }
    }
    input::parse_query(pairs, faults).map_err(Error::Invalid)
}

/// Describes the parameters.
pub(crate) fn describe<Q: Input>(description: &mut Description) {
    for property in Q::properties() {
        let (name, required) = (&property.name, property.required);
        description.parameter(ParameterIn::Query, name, required, property.schema);
    }
    description.schemas(|all| {
        let own = all.len();
        Q::field_schemas(all);
        // Parameters stand in the operation; there is no object of them.
        if all.len() > own {
            all.remove(own);
        }
    });
}

fn decode(text: &str) -> Option<String> {
    let spaced = text.replace('+', " ");
    let decoded = percent_decode_str(&spaced).decode_utf8().ok()?;
    Some(decoded.into_owned())
}
