//! Reads what a client sends, so that one answer lists every fault of it.
//!
//! A body is declared once, with [`input!`](crate::input!): the type of a field says what may stand
//! there ([`Title`](crate::Title), [`TaskId`](crate::TaskId)), and whether it may be left out or
//! null: `T` is required; `Option<T>` may be absent or null; [`Defaulted<T>`] may be absent;
//! [`Change<T>`] and [`Patch<T>`] are fields of a partial update, which an absent one keeps, and the
//! second of which null clears. Reading, its faults and the schema of the API's document all follow
//! from it.

mod field;
mod number;
mod object;
mod shape;

pub(crate) use field::escaped;
pub use field::{Field, Place, Reading, described, one_of, one_of_schema};
pub use object::{Fields, Input, Property, SENT};
#[doc(hidden)]
pub use object::{
    all_or_none_given, any_given, any_sent, at_least_one, camel_case, object_schema, property,
    read_field,
};
pub use shape::{Apart, Change, Defaulted, List, Nullable, Patch};

use serde_json::{Map, Value};
use utoipa::openapi::{Ref, RefOr};

use crate::{Fault, FaultCode};

/// Any JSON.
pub type Json = Value;

/// A schema of the API's document, or a reference to one.
pub type Schema = RefOr<utoipa::openapi::Schema>;

/// A reference to a schema of the document.
#[doc(hidden)]
#[must_use]
pub fn reference(name: &str) -> Schema {
    Ref::from_schema_name(name).into()
}

/// Parses a body: either the value, or every fault of the text.
pub fn parse<T: Input>(text: &[u8]) -> Result<T, Vec<Fault>> {
    let mut faults = Vec::new();
    let mut place = Place::body(&mut faults);
    if let Some(number) = number::not_kept(text) {
        let detail =
            format!("The number {number} has more digits than 64 bits hold; send it as a string.");
        place.report(FaultCode::Precision, detail);
        return Err(faults);
    }
    let read = match serde_json::from_slice::<Value>(text) {
        Ok(Value::Object(object)) => T::read_object(&object, &mut place),
        Ok(_) => place.fault(FaultCode::Type, "The body must be a JSON object."),
        Err(error) => {
            let detail = format!("The body is not valid JSON: {error}.");
            place.fault(FaultCode::Json, detail)
        }
    };
    read.filter(|_| faults.is_empty()).ok_or(faults)
}

/// The value of an object that did not come from a client, such as demo data.
pub fn from_value<T: Input>(value: &Value) -> Result<T, Vec<Fault>> {
    let mut faults = Vec::new();
    T::read(value, &mut Place::body(&mut faults))
        .filter(|_| faults.is_empty())
        .ok_or(faults)
}

/// Reads query parameters, decoded pairs of name and value: either the value, or every fault.
pub fn parse_query<T: Input>(
    pairs: impl IntoIterator<Item = (String, String)>,
    mut faults: Vec<Fault>,
) -> Result<T, Vec<Fault>> {
    let mut sent = Map::new();
    let mut place = Place::query(&mut faults);
    let known = T::names();
    for (name, value) in pairs {
        if !known.contains(&name) {
            let detail = if known.is_empty() {
                "This operation takes no query parameters.".to_owned()
            } else {
                format!("This operation takes {}.", known.join(", "))
            };
            place.at(&name).report(FaultCode::UnknownParameter, detail);
        } else if sent.insert(name.clone(), Value::String(value)).is_some() {
            place
                .at(&name)
                .report(FaultCode::Repeated, "Send this parameter once.");
        }
    }
    let read = T::read_object(&sent, &mut place);
    read.filter(|_| faults.is_empty()).ok_or(faults)
}

#[cfg(test)]
mod tests;
