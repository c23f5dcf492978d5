//! Items, and the records in them.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use model::Error;
use serde::{Serialize, de::DeserializeOwned};

use crate::key::Key;

/// What the table holds under a key.
pub(crate) type Item = HashMap<String, AttributeValue>;

/// A record that the table holds: how it is keyed.
pub(crate) trait Record: Serialize + DeserializeOwned {
    /// Stands in every item as `kind`.
    const KIND: &'static str;

    /// Where it lives.
    fn key(&self) -> Key;

    /// Its place in `gsi1`, if it has one.
    fn gsi1(&self) -> Option<Key> {
        None
    }

    /// Its place in `gsi2`, if it has one.
    fn gsi2(&self) -> Option<Key> {
        None
    }

    /// When the table may drop it, in seconds since the Unix epoch. TTL lags by days, so readers
    /// check for themselves.
    fn expires_at(&self) -> Option<i64> {
        None
    }
}

/// A record as it was read, with the version that the next write of it expects.
#[derive(Clone, Debug)]
pub struct Stored<T> {
    /// The record.
    pub record: T,
    /// Raised by one with every write.
    pub version: i64,
}

impl<T> std::ops::Deref for Stored<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.record
    }
}

/// A value of an expression.
pub(crate) trait IntoAttribute {
    /// As DynamoDB has it.
    fn into_attribute(self) -> AttributeValue;
}

impl IntoAttribute for AttributeValue {
    fn into_attribute(self) -> AttributeValue {
        self
    }
}

impl IntoAttribute for i64 {
    fn into_attribute(self) -> AttributeValue {
        AttributeValue::N(self.to_string())
    }
}

impl IntoAttribute for &str {
    fn into_attribute(self) -> AttributeValue {
        AttributeValue::S(self.to_owned())
    }
}

impl IntoAttribute for String {
    fn into_attribute(self) -> AttributeValue {
        AttributeValue::S(self)
    }
}

impl IntoAttribute for model::Timestamp {
    fn into_attribute(self) -> AttributeValue {
        AttributeValue::S(self.to_string())
    }
}

/// Any value as DynamoDB has it.
pub(crate) fn attribute(value: &impl Serialize) -> Result<AttributeValue, Error> {
    serde_dynamo::to_attribute_value(value)
        .map_err(|error| Error::internal("writing a value", error))
}

pub(super) fn key_item(key: &Key) -> Item {
    Item::from([
        ("pk".to_owned(), key.pk.as_str().into_attribute()),
        ("sk".to_owned(), key.sk.as_str().into_attribute()),
    ])
}

pub(super) fn key_of(item: &Item) -> Option<Key> {
    let text = |name| item.get(name)?.as_s().ok().cloned();
    Some(Key::new(text("pk")?, text("sk")?))
}

/// The record in an item, whatever its `kind`; unknown attributes are ignored.
pub(super) fn stored<T: DeserializeOwned>(mut item: Item) -> Result<Stored<T>, Error> {
    let version = item
        .remove("version")
        .and_then(|value| value.as_n().ok()?.parse().ok())
        .unwrap_or(1);
    serde_dynamo::from_item(item)
        .map(|record| Stored { record, version })
        .map_err(|error| Error::internal("reading a record", error))
}

pub(super) fn item<T: Record>(record: &T, version: i64) -> Result<Item, Error> {
    let mut item: Item = serde_dynamo::to_item(record)
        .map_err(|error| Error::internal("writing a record", error))?;
    // An absent attribute reads as null, and costs nothing.
    item.retain(|_, value| !value.is_null());
    let Key { pk, sk } = record.key();
    let mut put = |name: &str, value: AttributeValue| item.insert(name.to_owned(), value);
    put("pk", pk.into_attribute());
    put("sk", sk.into_attribute());
    put("kind", T::KIND.into_attribute());
    put("version", version.into_attribute());
    if let Some(Key { pk, sk }) = record.gsi1() {
        put("gsi1pk", pk.into_attribute());
        put("gsi1sk", sk.into_attribute());
    }
    if let Some(Key { pk, sk }) = record.gsi2() {
        put("gsi2pk", pk.into_attribute());
        put("gsi2sk", sk.into_attribute());
    }
    if let Some(at) = record.expires_at() {
        put("expiresAt", at.into_attribute());
    }
    Ok(item)
}
