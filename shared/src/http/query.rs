//! Query parameters.

use axum::extract::FromRequestParts;
use http::request::Parts;
use model::{
    Error, Fault, FaultCode,
    input::{self, Input, Schema},
};
use percent_encoding::percent_decode_str;
use utoipa::openapi::{
    self, RefOr,
    path::ParameterIn,
    schema::{SchemaType, Type},
};

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
    let (pairs, faults) = pairs(parts.uri.query().unwrap_or_default());
    input::parse_query(pairs, faults).map_err(Error::Invalid)
}

/// The names and values of a query, and what of it does not decode.
pub(super) fn pairs(raw: &str) -> (Vec<(String, String)>, Vec<Fault>) {
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
    (pairs, faults)
}

/// The name of a parameter, given with its value.
pub(super) fn name(pair: &str) -> Option<String> {
    decode(pair.split_once('=').map_or(pair, |(name, _)| name))
}

/// Describes the parameters.
pub(crate) fn describe<Q: Input>(description: &mut Description) {
    for property in Q::properties() {
        let (name, required) = (&property.name, property.required);
        let schema = without_null(property.schema);
        description.parameter(ParameterIn::Query, name, required, schema);
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

/// A parameter that may be left out is never null.
fn without_null(schema: Schema) -> Schema {
    match schema {
        RefOr::T(openapi::Schema::OneOf(mut one_of)) => {
            let null = |schema: &Schema| matches!(schema, RefOr::T(openapi::Schema::Object(object)) if object.schema_type == SchemaType::Type(Type::Null));
            one_of.items.retain(|schema| !null(schema));
            let about = one_of.description.clone().unwrap_or_default();
            match one_of.items.pop() {
                Some(only) if one_of.items.is_empty() => input::described(only, &[&about]),
                last => {
                    one_of.items.extend(last);
                    RefOr::T(openapi::Schema::OneOf(one_of))
                }
            }
        }
        RefOr::T(openapi::Schema::Object(mut object)) => {
            if let SchemaType::Array(types) = &mut object.schema_type {
                types.retain(|kind| *kind != Type::Null);
                if let [only] = types.as_slice() {
                    object.schema_type = SchemaType::Type(only.clone());
                }
            }
            RefOr::T(openapi::Schema::Object(object))
        }
        RefOr::T(openapi::Schema::Array(mut array)) => {
            array.schema_type = Type::Array.into();
            RefOr::T(openapi::Schema::Array(array))
        }
        other => other,
    }
}

fn decode(text: &str) -> Option<String> {
    let spaced = text.replace('+', " ");
    let decoded = percent_decode_str(&spaced).decode_utf8().ok()?;
    Some(decoded.into_owned())
}
