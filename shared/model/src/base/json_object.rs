//! Free-form JSON from clients.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use serde_json::{Map, Value};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{
        ArrayBuilder, ObjectBuilder, Ref,
        schema::{AnyOfBuilder, SchemaType, Type},
    },
};

use crate::base::{
    FaultCode,
    input::{Component, InputPlace, Reading, Schema, map_of},
};

/// A JSON object from a client: at most 16 KiB when written without spaces, and nested at most five
/// levels deep.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JsonObject(pub Map<String, Value>);

impl JsonObject {
    const MOST_BYTES: usize = 16 * 1024;
    const MOST_LEVELS: usize = 5;
}

impl FromIterator<(String, Value)> for JsonObject {
    fn from_iter<I: IntoIterator<Item = (String, Value)>>(members: I) -> Self {
        Self(members.into_iter().collect())
    }
}

impl Component for JsonObject {
    fn parse(value: &Value, place: &mut InputPlace<'_>) -> Reading<Self> {
        let object = place.object(value)?;
        if levels(value) > Self::MOST_LEVELS {
            let rule = format!("have at most {} levels", Self::MOST_LEVELS);
            return place.must(FaultCode::Depth, rule);
        }
        if value.to_string().len() > Self::MOST_BYTES {
            return place.must(FaultCode::Length, "have at most 16 KiB of JSON");
        }
        Some(Self(object.clone()))
    }
}

impl PartialSchema for JsonObject {
    fn schema() -> Schema {
        object_of(Self::MOST_LEVELS)
            .description(Some(
                "Free-form: at most 16 KiB of JSON without spaces, at most five levels deep. Numbers \
                 are returned as they were sent; a number that does not fit into 64 bits is refused.",
            ))
            .examples([serde_json::json!({"source": "crm"})])
            .into()
    }
}

impl ToSchema for JsonObject {
    fn schemas(schemas: &mut Vec<(String, Schema)>) {
        schemas.extend((0..Self::MOST_LEVELS).map(|levels| (name(levels), value_schema(levels))));
    }
}

/// The schema of an object with so many levels.
fn object_of(levels: usize) -> ObjectBuilder {
    map_of(Ref::from_schema_name(name(levels - 1)).into())
}

/// The name of the schema of a value with at most so many levels.
fn name(levels: usize) -> String {
    format!("JsonOf{levels}Levels")
}

fn value_schema(levels: usize) -> Schema {
    let scalars = [Type::String, Type::Number, Type::Boolean, Type::Null];
    let scalar = ObjectBuilder::new().schema_type(SchemaType::from_iter(scalars));
    if levels == 0 {
        return scalar.into();
    }
    let elements = ArrayBuilder::new().items(Ref::from_schema_name(name(levels - 1)));
    AnyOfBuilder::new()
        .item(scalar)
        .item(elements)
        .item(object_of(levels))
        .into()
}

/// Counts the levels of nesting: 0 for a scalar. The parser bounds the recursion.
fn levels(value: &Value) -> usize {
    match value {
        Value::Object(object) => {
            1 + object
                .values()
                .map(levels)
                .max()
                .unwrap_or(0)
        }
        Value::Array(array) => {
            1 + array
                .iter()
                .map(levels)
                .max()
                .unwrap_or(0)
        }
        _ => 0,
    }
}

/// JSON that a record stores as text. The table's numbers are narrower than JSON's (1e300 does not
/// fit), and the service never reads a part of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JsonText<T = JsonObject>(pub T);

impl<T: Serialize> Serialize for JsonText<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = serde_json::to_string(&self.0).map_err(serde::ser::Error::custom)?;
        serializer.serialize_str(&text)
    }
}

impl<'de, T: de::DeserializeOwned> Deserialize<'de> for JsonText<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = serde_json::from_str(&String::deserialize(deserializer)?);
        value
            .map(Self)
            .map_err(de::Error::custom)
    }
}
