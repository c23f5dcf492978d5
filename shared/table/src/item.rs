use std::sync::Arc;

use aws_sdk_dynamodb::types::AttributeValue;
use model::base::Error;
use serde::de::DeserializeOwned;

use crate::{
    AnyKey, Index, IntoAttribute, Main,
    attribute::Item,
    decode::{self, Undecodable},
    meter,
    page::ListPosition,
    text::Apart,
};

/// A record as read, and the version for its next write.
#[derive(Clone, Debug)]
pub struct Stored<T> {
    pub record: T,
    /// 1 when the record is created, and raised by one with every write.
    pub version: i64,
    /// The item that was read. `None` for a record that was just created.
    pub(crate) item: Option<Arc<Item>>,
    /// The long text that the item refers to.
    pub(crate) text: Option<Apart>,
}

/// A record, or the key of an unreadable one. Damage stays with the damaged record: a version
/// before a rollback may have written unreadable attributes.
#[derive(Clone, Debug)]
pub enum Readable<T> {
    Yes(Stored<T>),
    No(AnyKey),
}

impl<T> Readable<T> {
    pub fn yes(self) -> Option<Stored<T>> {
        match self {
            Self::Yes(stored) => Some(stored),
            Self::No(_) => None,
        }
    }
}

impl<T> Stored<T> {
    /// A record that was just created, at version 1.
    pub const fn created(record: T) -> Self {
        Self::at(1, record)
    }

    /// A record that nothing wrote yet. It has version 0.
    pub const fn unwritten(record: T) -> Self {
        Self::at(0, record)
    }

    const fn at(version: i64, record: T) -> Self {
        Self {
            record,
            version,
            item: None,
            text: None,
        }
    }

    pub fn map<U>(self, convert: impl FnOnce(T) -> U) -> Stored<U> {
        Stored {
            record: convert(self.record),
            version: self.version,
            item: self.item,
            text: self.text,
        }
    }

    /// The record after [`Write::replace`](crate::Write::replace) has overwritten the one that was
    /// read: its version is raised.
    #[must_use]
    pub fn replaced(self) -> Self {
        Self {
            version: self.version + 1,
            ..self
        }
    }
}

impl<T> std::ops::Deref for Stored<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.record
    }
}

impl<T> std::ops::DerefMut for Stored<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.record
    }
}

pub(crate) fn key_item(key: &AnyKey) -> Item {
    Item::from([
        (Main::PARTITION.to_owned(), key.pk().into_attribute()),
        (Main::SORT.to_owned(), key.sk().into_attribute()),
    ])
}

pub(crate) fn key_of(item: &Item) -> Option<AnyKey> {
    let text = |name| item.get(name)?.as_s().ok().cloned();
    Some(AnyKey::found(text(Main::PARTITION)?, text(Main::SORT)?))
}

/// Decodes the record of an item, whatever its `kind`. A missing version is 1. Unknown attributes
/// are kept for the next write.
pub(crate) fn stored<T: DeserializeOwned>(mut item: Item) -> Result<Stored<T>, Undecodable> {
    let version = match item.remove("version") {
        None => Some(1),
        Some(AttributeValue::N(digits)) => digits.parse().ok(),
        Some(_) => None,
    };
    let version = version.ok_or_else(|| Undecodable::new("a version that is not an integer"))?;
    let text = Apart::take(&mut item)?;
    let record = decode::from_item(&item)?;
    Ok(Stored {
        record,
        version,
        item: Some(Arc::new(item)),
        text,
    })
}

/// Decodes the item of a key. An unreadable record is counted, and an error.
pub(crate) fn stored_at<T: DeserializeOwned>(key: &AnyKey, item: Item) -> Result<Stored<T>, Error> {
    stored(item).map_err(|why| {
        meter::note_unreadable(key);
        Error::internal("reading a record", format!("{key} does not read: {why}"))
    })
}

/// Decodes the item at a position. An unreadable record is counted.
pub(crate) fn readable_at<T: DeserializeOwned>(place: &ListPosition, item: Item) -> Readable<T> {
    stored(item).map_or_else(
        |_| {
            let key = place.key();
            meter::note_unreadable(&key);
            Readable::No(key)
        },
        Readable::Yes,
    )
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, Deserialize)]
    struct Empty {}

    #[test]
    fn a_version_that_is_no_number_does_not_read() {
        let version = |value| stored::<Empty>([("version".to_owned(), value)].into());
        let seven = version(AttributeValue::N("7".to_owned()));
        assert_eq!(seven.unwrap().version, 7);
        version(AttributeValue::S("7".to_owned())).unwrap_err();
        version(AttributeValue::N("7.5".to_owned())).unwrap_err();
    }
}
