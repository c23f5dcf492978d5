//! The fields of records, as serde reads them.

use std::cell::Cell;

use serde::de::{Deserialize, Deserializer, Error, Visitor, value};

/// Returns the names of a record's fields in JSON. A test that asks for them sees each new field.
///
/// # Panics
///
/// If the record is no struct, or flattens another one.
pub fn fields_of<R: for<'de> Deserialize<'de>>() -> &'static [&'static str] {
    let names = Cell::new(None);
    let unread = R::deserialize(FieldNames(&names));
    assert!(unread.is_err(), "a record without fields");
    names.get().unwrap()
}

/// Notes the fields that a struct asks for, and reads none of them.
struct FieldNames<'a>(&'a Cell<Option<&'static [&'static str]>>);

impl<'de> Deserializer<'de> for FieldNames<'_> {
    type Error = value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
        Err(Error::custom("only the fields of a struct are read"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.0.set(Some(fields));
        self.deserialize_any(visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}
