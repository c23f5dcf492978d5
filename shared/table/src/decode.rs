//! Decodes records from the SDK's items.
//!
//! `serde_dynamo`, which encodes them, decodes from a map of its own and hashes every attribute
//! twice more to build it. A list of a hundred rows spent a tenth of its CPU time on that.

use std::fmt;

use aws_sdk_dynamodb::types::AttributeValue;
use serde::{
    Deserializer,
    de::{
        self, DeserializeOwned, Expected, IntoDeserializer, Unexpected, Visitor,
        value::{BorrowedStrDeserializer, MapAccessDeserializer, MapDeserializer, SeqDeserializer},
    },
    forward_to_deserialize_any,
};

use crate::attribute::Item;

/// Decodes the record of an item. Unknown attributes are ignored.
pub(crate) fn from_item<T: DeserializeOwned>(item: &Item) -> Result<T, Undecodable> {
    T::deserialize(map(item))
}

/// The reason why an item cannot be decoded. It goes into the log, so it contains no value of the
/// item.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Undecodable(String);

impl Undecodable {
    pub(crate) fn new(reason: &str) -> Self {
        Self(reason.to_owned())
    }
}

impl de::Error for Undecodable {
    // The message is dropped: it often repeats the value.
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self::new("a value that its type refuses")
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self(format!("a value of another type than {expected}"))
    }

    fn invalid_value(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self(format!("another value than {expected}"))
    }

    fn unknown_variant(_: &str, _: &'static [&'static str]) -> Self {
        Self::new("a variant that is unknown")
    }

    fn missing_field(field: &'static str) -> Self {
        Self(format!("`{field}` is missing"))
    }
}

type Text<'a> = BorrowedStrDeserializer<'a, Undecodable>;

fn map(
    item: &Item,
) -> MapDeserializer<'_, impl Iterator<Item = (Text<'_>, Attribute<'_>)>, Undecodable> {
    let values = item.iter();
    MapDeserializer::new(values.map(|(name, value)| (Text::new(name), Attribute::Any(value))))
}

enum Attribute<'a> {
    Any(&'a AttributeValue),
    /// A number of a set.
    Number(&'a str),
}

impl<'a> IntoDeserializer<'a, Undecodable> for Attribute<'a> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Attribute<'de> {
    type Error = Undecodable;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Undecodable> {
        let value = match self {
            Self::Any(value) => value,
            Self::Number(digits) => return number(digits, visitor),
        };
        match value {
            AttributeValue::S(text) => visitor.visit_borrowed_str(text),
            AttributeValue::N(digits) => number(digits, visitor),
            AttributeValue::Bool(value) => visitor.visit_bool(*value),
            AttributeValue::Null(_) => visitor.visit_unit(),
            AttributeValue::M(item) => map(item).deserialize_any(visitor),
            AttributeValue::L(values) => {
                SeqDeserializer::new(values.iter().map(Attribute::Any)).deserialize_any(visitor)
            }
            AttributeValue::Ns(numbers) => {
                let numbers = numbers
                    .iter()
                    .map(|digits| Attribute::Number(digits));
                SeqDeserializer::new(numbers).deserialize_any(visitor)
            }
            AttributeValue::Ss(texts) => {
                let texts = texts.iter().map(String::as_str);
                SeqDeserializer::new(texts.map(Text::new)).deserialize_any(visitor)
            }
            _ => Err(Undecodable::new(
                "an attribute of a type that no record has",
            )),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Undecodable> {
        match self {
            Self::Any(AttributeValue::Null(_)) => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Undecodable> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Undecodable> {
        match self {
            Self::Any(AttributeValue::M(item)) => {
                visitor.visit_enum(MapAccessDeserializer::new(map(item)))
            }
            Self::Any(AttributeValue::S(name)) => visitor.visit_enum(Text::new(name)),
            _ => Err(Undecodable::new("an attribute that names no variant")),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Undecodable> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier
    }
}

fn number<'de, V: Visitor<'de>>(digits: &str, visitor: V) -> Result<V::Value, Undecodable> {
    if let Ok(number) = digits.parse() {
        return visitor.visit_i64(number);
    }
    let unreadable = |_| Undecodable::new("a number that does not parse");
    visitor.visit_f64(digits.parse().map_err(unreadable)?)
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use serde::{Deserialize, Serialize};

    use super::*;

    /// Every kind of field that a record may have.
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Everything {
        text: String,
        empty: String,
        wrapped: Wrapped,
        integers: (i64, i64, u32, i8),
        floats: [f64; 4],
        flags: Vec<bool>,
        some: Option<String>,
        none: Option<String>,
        deep: Option<Vec<Option<i64>>>,
        unit: (),
        nested: Nested,
        list: Vec<Nested>,
        map: BTreeMap<String, Option<f64>>,
        variants: Vec<Variant>,
        any: serde_json::Value,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Wrapped(String);

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Nested {
        id: i64,
        inner: Option<Box<Nested>>,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Variant {
        Plain,
        Wrapping(i64),
        Several(bool, Option<String>),
        Named { at: f64, name: Option<Wrapped> },
    }

    fn everything() -> Everything {
        let nested = |id, inner| Nested { id, inner };
        Everything {
            text: "Grüße 👋".to_owned(),
            empty: String::new(),
            wrapped: Wrapped("w".to_owned()),
            integers: (i64::MIN, (1 << 53) - 1, u32::MAX, -1),
            floats: [0.5, -2.75e-9, 1e300, 3.0],
            flags: vec![true, false],
            some: Some("thing".to_owned()),
            none: None,
            deep: Some(vec![Some(1), None]),
            unit: (),
            nested: nested(1, Some(Box::new(nested(2, None)))),
            list: vec![nested(3, None), nested(4, Some(Box::new(nested(5, None))))],
            map: [("a".to_owned(), Some(1.5)), ("b".to_owned(), None)].into(),
            variants: vec![
                Variant::Plain,
                Variant::Wrapping(7),
                Variant::Several(true, None),
                Variant::Named {
                    at: 0.25,
                    name: Some(Wrapped("n".to_owned())),
                },
            ],
            any: serde_json::json!({"a": [1, 2.5, null, {"b": "c"}, true]}),
        }
    }

    fn number(digits: &str) -> AttributeValue {
        AttributeValue::N(digits.to_owned())
    }

    #[test]
    fn a_record_reads_as_it_was_written_and_as_serde_dynamo_reads_it() {
        let item: Item = serde_dynamo::to_item(everything()).unwrap();
        assert_eq!(item["none"], AttributeValue::Null(true));
        assert_eq!(from_item::<Everything>(&item).unwrap(), everything());
        let theirs: Everything = serde_dynamo::from_item(item).unwrap();
        assert_eq!(theirs, everything());
    }

    #[test]
    fn null_and_absent_are_none_and_nothing_else_is() {
        #[derive(Debug, PartialEq, Deserialize)]
        struct Row {
            value: Option<i64>,
        }
        let read = |value: Option<AttributeValue>| {
            let item = value.map(|value| ("value".to_owned(), value));
            from_item::<Row>(&item.into_iter().collect()).map(|row| row.value)
        };
        assert_eq!(read(None).unwrap(), None);
        assert_eq!(read(Some(AttributeValue::Null(true))).unwrap(), None);
        assert_eq!(read(Some(number("0"))).unwrap(), Some(0));
        let list = AttributeValue::L(Vec::new());
        let text = AttributeValue::S(String::new());
        for other in [list, text, AttributeValue::Bool(false)] {
            read(Some(other)).unwrap_err();
        }
    }

    #[test]
    fn what_must_be_there_is_not_null() {
        #[derive(Debug, Deserialize)]
        struct Row {
            #[expect(dead_code, reason = "it is never read")]
            id: i64,
        }
        from_item::<Row>(&Item::new()).unwrap_err();
        for other in [AttributeValue::Null(true), number("1.5"), number("one")] {
            from_item::<Row>(&[("id".to_owned(), other)].into()).unwrap_err();
        }
    }

    #[test]
    fn what_is_said_of_a_damaged_item_tells_nothing_of_its_values() {
        #[derive(Debug, Deserialize)]
        #[expect(dead_code, reason = "it is never read")]
        struct Row {
            id: i64,
            flag: bool,
            variant: Variant,
            at: model::base::Timestamp,
        }
        let text = |text: &str| AttributeValue::S(text.to_owned());
        let sound = [
            ("id", number("1")),
            ("flag", AttributeValue::Bool(true)),
            ("variant", text("plain")),
            ("at", text("2026-01-15T12:00:00.000Z")),
        ];
        let sound: Item = sound
            .map(|(name, value)| (name.to_owned(), value))
            .into();
        from_item::<Row>(&sound).unwrap();
        for (name, why) in [
            ("id", "a value of another type than i64"),
            ("flag", "a value of another type than a boolean"),
            ("variant", "a variant that is unknown"),
            ("at", "a value that its type refuses"),
        ] {
            let mut item = sound.clone();
            item.insert(name.to_owned(), text("secret"));
            assert_eq!(from_item::<Row>(&item).unwrap_err(), Undecodable::new(why));
            let mut item = sound.clone();
            item.remove(name);
            let missing = Undecodable(format!("`{name}` is missing"));
            assert_eq!(from_item::<Row>(&item).unwrap_err(), missing);
        }
    }

    #[test]
    fn unknown_attributes_are_ignored_whatever_they_are() {
        #[derive(Debug, PartialEq, Deserialize)]
        struct Row {
            id: i64,
            tags: BTreeSet<i64>,
        }
        let nested = AttributeValue::M([("a".to_owned(), number("1"))].into());
        let item: Item = [
            ("id", number("1")),
            ("tags", AttributeValue::Ns(vec!["2".into(), "1".into()])),
            ("nested", nested.clone()),
            ("list", AttributeValue::L(vec![nested])),
            ("texts", AttributeValue::Ss(vec!["x".into()])),
            ("null", AttributeValue::Null(true)),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into();
        let row = Row {
            id: 1,
            tags: [1, 2].into(),
        };
        assert_eq!(from_item::<Row>(&item).unwrap(), row);
    }
}
