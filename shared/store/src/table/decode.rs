//! Records out of the SDK's items.
//!
//! `serde_dynamo`, which writes them, reads from a map of its own, and hashes every attribute twice
//! more on the way there. A list of a hundred rows spent a tenth of its CPU time on that.

use aws_sdk_dynamodb::types::AttributeValue;
use serde::{
    Deserializer,
    de::{
        DeserializeOwned, Error as _, IntoDeserializer, Visitor,
        value::{Error, MapAccessDeserializer, MapDeserializer, SeqDeserializer},
    },
    forward_to_deserialize_any,
};

use super::item::Item;

/// The record in an item; attributes that it does not know are ignored.
pub(super) fn from_item<T: DeserializeOwned>(item: Item) -> Result<T, Error> {
    T::deserialize(map(item))
}

fn map(item: Item) -> MapDeserializer<'static, impl Iterator<Item = (String, Attribute)>, Error> {
    MapDeserializer::new(
        item.into_iter()
            .map(|(name, value)| (name, Attribute(value))),
    )
}

/// A value of an item.
struct Attribute(AttributeValue);

impl IntoDeserializer<'_> for Attribute {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Attribute {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            AttributeValue::S(text) => visitor.visit_string(text),
            AttributeValue::N(digits) => number(&digits, visitor),
            AttributeValue::Bool(value) => visitor.visit_bool(value),
            AttributeValue::Null(_) => visitor.visit_unit(),
            AttributeValue::M(item) => map(item).deserialize_any(visitor),
            AttributeValue::L(values) => {
                SeqDeserializer::new(values.into_iter().map(Attribute)).deserialize_any(visitor)
            }
            AttributeValue::Ns(numbers) => {
                let numbers = numbers.into_iter().map(AttributeValue::N).map(Attribute);
                SeqDeserializer::new(numbers).deserialize_any(visitor)
            }
            _ => Err(Error::custom("an attribute of a type that no record has")),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            AttributeValue::Null(_) => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.0 {
            AttributeValue::M(item) => visitor.visit_enum(MapAccessDeserializer::new(map(item))),
            AttributeValue::S(name) => visitor.visit_enum(name.into_deserializer()),
            _ => Err(Error::custom("an attribute that names no variant")),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier
    }
}

fn number<'de, V: Visitor<'de>>(digits: &str, visitor: V) -> Result<V::Value, Error> {
    if let Ok(number) = digits.parse() {
        return visitor.visit_i64(number);
    }
    let number = digits.parse();
    visitor.visit_f64(number.map_err(|_| Error::custom("a number that is none"))?)
}
