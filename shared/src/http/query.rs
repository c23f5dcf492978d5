use ::http::request::Parts;
use axum::extract::FromRequestParts;
use model::base::{
    Error, Fault, FaultCode,
    input::{self, Input, Schema, without_null},
};
use percent_encoding::percent_decode_str;
use utoipa::openapi::{self, RefOr, path::ParameterIn};

use crate::{
    Problem,
    http::operation::{Argument, Description},
};

use super::{condition, problem::fault};

/// The query parameters of an operation without a caller. A [`Caller`](crate::auth::Caller) has its
/// own, and checks them after 401 and 403.
#[derive(Debug)]
pub struct Query<Q>(pub Q);

impl<S: Send + Sync, Q: Input> FromRequestParts<S> for Query<Q> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        condition::none(parts)?;
        Ok(Self(parse(parts)?))
    }
}

impl<Q: Input> Argument for Query<Q> {
    fn describe(description: &mut Description) {
        describe::<Q>(description);
    }
}

/// Reads the query of a request. 400 with every fault; unknown and repeated names are faults.
pub(crate) fn parse<Q: Input>(parts: &Parts) -> Result<Q, Error> {
    let (pairs, faults) = pairs(parts.uri.query().unwrap_or_default());
    input::parse_query(pairs, faults).map_err(Error::Invalid)
}

/// Returns the names and values of a query, and a fault for each pair that does not decode.
pub(super) fn pairs(raw: &str) -> (Vec<(String, String)>, Vec<Fault>) {
    let mut pairs = Vec::new();
    let mut faults = Vec::new();
    for pair in raw
        .split('&')
        .filter(|pair| !pair.is_empty())
    {
        let (name, value) = pair
            .split_once('=')
            .unwrap_or((pair, ""));
        if let (Some(name), Some(value)) = (decode(name), decode(value)) {
            pairs.push((name, value));
        } else {
            let detail = "The parameter is not percent-encoded UTF-8.";
            faults.push(fault(&format!("?{pair}"), FaultCode::Encoding, detail));
        }
    }
    (pairs, faults)
}

pub(super) fn name(pair: &str) -> Option<String> {
    decode(
        pair.split_once('=')
            .map_or(pair, |(name, _)| name),
    )
}

pub(crate) fn describe<Q: Input>(description: &mut Description) {
    for property in Q::properties() {
        let name = &property.name;
        let required = property.required;
        let schema = without_null(property.schema);
        let about = about(name, &schema);
        description.parameter(ParameterIn::Query, name, required, schema, about);
    }
    // The operation lists the parameters; no schema has them as an object.
    Q::schemas(&mut description.schemas);
}

/// The description of a parameter that has none of its own.
fn about(name: &str, schema: &Schema) -> &'static str {
    match schema {
        _ if name == "sort" => "Order of the rows.",
        RefOr::T(openapi::Schema::Array(_)) => {
            "Only rows with one of these values. Commas separate them, or the parameter is repeated."
        }
        _ => "Only rows with this value.",
    }
}

fn decode(text: &str) -> Option<String> {
    let spaced = text.replace('+', " ");
    let decoded = percent_decode_str(&spaced)
        .decode_utf8()
        .ok()?;
    Some(decoded.into_owned())
}
