//! Reads requests. One answer lists every fault.
//!
//! A body is declared once, with [`input!`](crate::input!). The type of a field says its bounds
//! ([`Title`](crate::base::Title), [`TaskId`](crate::base::TaskId)). Its wrapper says if it may be
//! absent or null:
//!
//! | field | absent | null |
//! |---|---|---|
//! | `T` | a fault | a fault |
//! | `Option<T>` | none | none |
//! | [`Defaulted<T>`] | the default | the default |
//! | [`PatchField<T>`] | keeps the value | a fault |
//! | [`Patch<T>`] | keeps the value | clears it |
//! | [`Nullable<T>`] | a fault | clears it |
//!
//! The reader, its faults and the schema of the OpenAPI document follow from the declaration.

mod field;
mod number;
mod object;
mod plain_text;
mod schema;
mod shape;

pub use crate::base::names::OneOf;
pub use crate::base::{
    integer::{integer, integer_schema},
    text::Form,
};
pub use field::{Component, Field, InputPlace, Json, MemberHandling, Reading, escaped};
pub use object::{Fields, Input, Property, SENT, one_of_two};
#[doc(hidden)]
pub use object::{
    all_or_none_given, any_given, any_sent, at_least_one, camel_case, object_schema, property,
    read_field,
};
#[doc(hidden)]
pub use schema::reference;
pub use schema::{Schema, described, formatted, map_of, string, without_null};
#[doc(hidden)]
pub use serde_json::json;
pub use shape::{Apart, BoundedList, Defaulted, Nullable, Patch, PatchField};
#[doc(hidden)]
pub use utoipa::{PartialSchema, ToSchema};

use serde_json::{Map, Value};
use utoipa::openapi::{self, RefOr};

use crate::base::{Fault, FaultCode};

/// The byte order mark of UTF-8, which may precede a JSON text.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// Parses a body: returns the value, or every fault of the text.
pub fn parse<T: Input>(text: &[u8]) -> Result<T, Vec<Fault>> {
    parse_with_rest(text, MemberHandling::Lenient).map(|(value, _)| value)
}

/// As [`parse`], with the fields of the body that `T` does not have. They are faults of a strict
/// handling.
pub fn parse_with_rest<T: Input>(
    text: &[u8],
    handling: MemberHandling,
) -> Result<(T, Fields), Vec<Fault>> {
    let text = text.strip_prefix(MARK).unwrap_or(text);
    if let Some((pointer, number)) = number::not_kept(text) {
        return Err(vec![Fault {
            pointer,
            code: FaultCode::Precision,
            detail: format!(
                "The number {number} does not fit into 64 bits. Send fewer digits or, where any JSON is \
                 allowed, a string."
            ),
        }]);
    }
    let mut faults = Vec::new();
    let mut place = InputPlace::body(&mut faults).handling(handling);
    let read = match serde_json::from_slice::<Value>(text) {
        Ok(value) => read_whole(&value, &mut place).zip(Some(value)),
        Err(error) => place.fault(FaultCode::Json, not_json(text, &error)),
    };
    let (read, value) = read
        .filter(|_| faults.is_empty())
        .ok_or(faults)?;
    let mut rest = Fields::new();
    if let Value::Object(fields) = value {
        let names = T::names();
        rest = fields;
        rest.retain(|name, _| !names.contains(name));
    }
    Ok((read, rest))
}

fn read_whole<T: Input>(value: &Value, place: &mut InputPlace<'_>) -> Reading<T> {
    T::read_object(place.object(value)?, place)
}

fn not_json(text: &[u8], error: &serde_json::Error) -> String {
    if text.trim_ascii().is_empty() {
        return "The body is empty. Send a JSON object.".to_owned();
    }
    let line = error.line();
    let column = error.column();
    if error.is_eof() {
        return format!("The body is incomplete JSON: it ends at line {line}, column {column}.");
    }
    format!("The body is not JSON, or nested too deep, at line {line}, column {column}.")
}

/// Reads an object from another source than a client, such as demo data.
pub fn from_value<T: Input>(value: &Value) -> Result<T, Vec<Fault>> {
    let mut faults = Vec::new();
    let read = read_whole(value, &mut InputPlace::body(&mut faults));
    read.filter(|_| faults.is_empty())
        .ok_or(faults)
}

/// Reads query parameters, given as decoded pairs of name and value. Returns the value, or every
/// fault, `faults` among them. Only a list may be repeated; its values are then an array.
pub fn parse_query<T: Input>(
    pairs: impl IntoIterator<Item = (String, String)>,
    mut faults: Vec<Fault>,
) -> Result<T, Vec<Fault>> {
    let mut sent = Map::new();
    let mut place = InputPlace::query(&mut faults);
    let names = T::names();
    let lists = lists::<T>();
    for (name, value) in pairs {
        let value = Value::String(value);
        if !names.contains(&name) {
            let detail = if names.is_empty() {
                "This operation takes no query parameters.".to_owned()
            } else {
                let names = names.join(", ");
                format!("This operation takes the query parameters {names}.")
            };
            place
                .at(&name)
                .report(FaultCode::UnknownParameter, detail);
            continue;
        }
        match sent.get_mut(&name) {
            None => {
                sent.insert(name, value);
            }
            Some(Value::Array(values)) => values.push(value),
            Some(first) if lists.contains(&name) => *first = [first.take(), value].into(),
            Some(_) => place
                .at(&name)
                .report(FaultCode::Repeated, "Send this parameter once."),
        }
    }
    let read = T::read_object(&sent, &mut place);
    read.filter(|_| faults.is_empty())
        .ok_or(faults)
}

/// The names of the parameters that take several values.
fn lists<T: Input>() -> Vec<String> {
    let mut properties = T::properties();
    let is_list = |schema| matches!(schema, RefOr::T(openapi::Schema::Array(_)));
    properties.retain(|property| is_list(without_null(property.schema.clone())));
    properties
        .into_iter()
        .map(|property| property.name)
        .collect()
}

#[cfg(test)]
mod tests;
