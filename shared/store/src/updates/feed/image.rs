//! Images of items, as the table's stream has them.

use std::collections::BTreeSet;

use model::updates::FeedEntry;
use serde_json::{Map, Value};
use table::REFERENCE;

use crate::base::{fields::is_field, texts};

/// An item of the table, as the stream has it: attributes in DynamoDB's JSON.
pub(super) type Image = Map<String, Value>;

/// The record of an image, with all attributes of the item.
pub(super) fn record(image: &Image) -> Value {
    let attributes = image.iter();
    let attributes = attributes.map(|(name, value)| (name.clone(), plain(value)));
    attributes.collect()
}

/// The names of the fields that differ, in order. An absent field is the same as null.
pub(super) fn fields(old: &Value, new: &Value) -> Vec<String> {
    let names = [old, new]
        .into_iter()
        .filter_map(Value::as_object);
    let names: BTreeSet<&String> = names
        .flat_map(Map::keys)
        .filter(|name| is_field(name))
        .filter(|name| match name.as_str() {
            texts::ATTRIBUTE => old[name] != new[name] || old[REFERENCE] != new[REFERENCE],
            _ => old[name] != new[name],
        })
        .collect();
    let names = names
        .into_iter()
        .take(FeedEntry::MOST_FIELDS);
    names.cloned().collect()
}

/// The value of an attribute. Sets are sorted arrays.
fn plain(attribute: &Value) -> Value {
    let Some((kind, value)) = attribute
        .as_object()
        .and_then(|object| object.iter().next())
    else {
        return Value::Null;
    };
    match (kind.as_str(), value) {
        ("NULL", _) => Value::Null,
        ("N", Value::String(digits)) => number(digits),
        ("M", Value::Object(members)) => record(members),
        ("L", Value::Array(values)) => values.iter().map(plain).collect(),
        ("NS", Value::Array(values)) => sorted(values)
            .into_iter()
            .map(number)
            .collect(),
        ("SS", Value::Array(values)) => sorted(values).into_iter().collect(),
        _ => value.clone(),
    }
}

fn sorted(values: &[Value]) -> Vec<&str> {
    let mut values: Vec<&str> = values
        .iter()
        .filter_map(Value::as_str)
        .collect();
    values.sort_unstable();
    values
}

/// A number, or its digits if they are beyond JSON's.
fn number(digits: &str) -> Value {
    serde_json::from_str::<serde_json::Number>(digits).map_or_else(|_| digits.into(), Value::Number)
}
