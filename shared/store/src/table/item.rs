//! Items, and the records in them.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use model::{
    ActionState, AgentSessionStatus, Error, HistoryOf, ProjectStatus, ReferenceType, ServiceStatus,
};
use serde::{Serialize, de::DeserializeOwned};

use super::decode::{self, NoRecord};
use crate::{
    agent::HandOver,
    key::{AnyKey, Gsi1, Gsi2, Gsi3, Index, Key, Main},
    meter,
    page::Place,
};

/// What the table holds under a key.
pub(crate) type Item = HashMap<String, AttributeValue>;

/// A record that the table holds: how it is keyed.
pub(crate) trait Record: Serialize + DeserializeOwned {
    /// Stands in every item as `kind`.
    const KIND: &'static str;

    /// Its attributes that are sets of numbers, which writes may add to and take from without
    /// reading them. The table knows no empty set, so that their fields have `#[serde(default)]`.
    const NUMBER_SETS: &'static [&'static str] = &[];

    /// Where it lives.
    fn key(&self) -> Key<Self>;

    /// Its place in `gsi1`, if it has one.
    fn gsi1(&self) -> Option<Key<Self, Gsi1>> {
        None
    }

    /// Its place in `gsi2`, if it has one.
    fn gsi2(&self) -> Option<Key<Self, Gsi2>> {
        None
    }

    /// Its place in `gsi3`, if it has one.
    fn gsi3(&self) -> Option<Key<Self, Gsi3>> {
        None
    }

    /// The words by which a list's `query` finds it, each with a space before it, in an attribute of
    /// their own, if there is such a list.
    fn words(&self) -> Option<String> {
        None
    }

    /// Whose history its changes are, if they are kept.
    fn history(&self) -> Option<HistoryOf> {
        None
    }

    /// The manual action that was handed over with it, if there is one.
    fn hand_over(&self) -> Option<HandOver> {
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

/// A record, or the key of one that does not read, so that what is damaged harms only itself: a
/// version that was rolled back may have written what this one does not know.
#[derive(Clone, Debug)]
pub(crate) enum Readable<T> {
    Yes(Stored<T>),
    No(AnyKey),
}

impl<T> Readable<T> {
    /// The record, if it reads.
    pub(crate) fn yes(self) -> Option<Stored<T>> {
        match self {
            Self::Yes(stored) => Some(stored),
            Self::No(_) => None,
        }
    }
}

impl<T> Stored<T> {
    /// A record as it was just created.
    pub(crate) const fn created(record: T) -> Self {
        Self { record, version: 1 }
    }

    /// The record as it is once it [replaced](super::Write::replace) the one that was read.
    pub(crate) fn replaced(self) -> Self {
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

impl IntoAttribute for model::Order {
    fn into_attribute(self) -> AttributeValue {
        self.get().into_attribute()
    }
}

impl IntoAttribute for bool {
    fn into_attribute(self) -> AttributeValue {
        AttributeValue::Bool(self)
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

macro_rules! names {
    ($($name:ty),* $(,)?) => {$(
        impl IntoAttribute for $name {
            fn into_attribute(self) -> AttributeValue {
                // What has no fields serializes as its name, always.
                attribute(&self).unwrap_or(AttributeValue::Null(true))
            }
        }
    )*};
}

names!(
    ActionState,
    AgentSessionStatus,
    ProjectStatus,
    ReferenceType,
    ServiceStatus,
);

/// Any value as DynamoDB has it.
pub(crate) fn attribute(value: &impl Serialize) -> Result<AttributeValue, Error> {
    serde_dynamo::to_attribute_value(value)
        .map_err(|error| Error::internal("writing a value", error))
}

pub(super) fn key_item(key: &AnyKey) -> Item {
    Item::from([
        (Main::PARTITION.to_owned(), key.pk().into_attribute()),
        (Main::SORT.to_owned(), key.sk().into_attribute()),
    ])
}

pub(super) fn key_of(item: &Item) -> Option<AnyKey> {
    let text = |name| item.get(name)?.as_s().ok().cloned();
    Some(AnyKey::found(text(Main::PARTITION)?, text(Main::SORT)?))
}

/// The record in an item, whatever its `kind`; unknown attributes are ignored.
fn stored<T: DeserializeOwned>(mut item: Item) -> Result<Stored<T>, NoRecord> {
    let version = match item.remove("version") {
        None => Some(1),
        Some(AttributeValue::N(digits)) => digits.parse().ok(),
        Some(_) => None,
    };
    let version = version.ok_or_else(|| NoRecord::new("a version that is none"))?;
    let record = decode::from_item(item)?;
    Ok(Stored { record, version })
}

/// The record in the item of a key. One that does not read is noted, and is an error.
pub(super) fn stored_at<T: DeserializeOwned>(key: &AnyKey, item: Item) -> Result<Stored<T>, Error> {
    stored(item).map_err(|why| {
        meter::note_unreadable(key);
        Error::internal("reading a record", format!("{key} does not read: {why}"))
    })
}

/// The record in the item of a place. One that does not read is noted.
pub(super) fn readable_at<T: DeserializeOwned>(place: &Place, item: Item) -> Readable<T> {
    stored(item).map_or_else(
        |_| {
            let key = place.key();
            meter::note_unreadable(&key);
            Readable::No(key)
        },
        Readable::Yes,
    )
}

pub(super) fn item<T: Record>(record: &T, version: i64) -> Result<Item, Error> {
    let mut item: Item = serde_dynamo::to_item(record)
        .map_err(|error| Error::internal("writing a record", error))?;
    // An absent attribute reads as null, and costs nothing.
    item.retain(|_, value| !value.is_null());
    for name in T::NUMBER_SETS {
        into_number_set(&mut item, name)?;
    }
    let mut put = |name: &str, value: AttributeValue| item.insert(name.to_owned(), value);
    put("kind", T::KIND.into_attribute());
    put("version", version.into_attribute());
    if let Some(words) = record.words() {
        put("words", words.into_attribute());
    }
    if let Some(at) = record.expires_at() {
        put("expiresAt", at.into_attribute());
    }
    place(&mut item, Some(record.key()));
    place(&mut item, record.gsi1());
    place(&mut item, record.gsi2());
    place(&mut item, record.gsi3());
    Ok(item)
}

/// Makes a set of a list of numbers; an empty one is left out.
fn into_number_set(item: &mut Item, name: &str) -> Result<(), Error> {
    let Some(AttributeValue::L(values)) = item.remove(name) else {
        return Ok(());
    };
    let numbers: Vec<String> = values
        .into_iter()
        .map(|value| match value {
            AttributeValue::N(number) => Ok(number),
            _ => Err(Error::internal("writing a set", "it holds no numbers")),
        })
        .collect::<Result<_, _>>()?;
    if !numbers.is_empty() {
        item.insert(name.to_owned(), AttributeValue::Ns(numbers));
    }
    Ok(())
}

/// Puts an item where the table or an index is to have it, if anywhere.
fn place<R, I: Index>(item: &mut Item, key: Option<Key<R, I>>) {
    if let Some((partition, sort)) = key.map(Key::into_parts) {
        item.insert(I::PARTITION.to_owned(), partition.into_attribute());
        item.insert(I::SORT.to_owned(), sort.into_attribute());
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use model::{Id, TagId};
    use serde::Deserialize;

    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Tagged {
        #[serde(default)]
        tags: BTreeSet<TagId>,
    }

    fn tagged(tags: &[i64]) -> Tagged {
        let tags = tags.iter().map(|id| TagId::new(*id).unwrap());
        Tagged {
            tags: tags.collect(),
        }
    }

    fn written(record: &Tagged) -> Item {
        let mut item = serde_dynamo::to_item(record).unwrap();
        into_number_set(&mut item, "tags").unwrap();
        item
    }

    #[test]
    fn a_set_of_numbers_is_written_as_one_and_read_back() {
        let item = written(&tagged(&[7, 12]));
        assert_eq!(item["tags"].as_ns().unwrap(), &["7", "12"]);
        let read = stored::<Tagged>(item).unwrap();
        assert_eq!(read.record, tagged(&[7, 12]));
    }

    #[test]
    fn an_empty_set_is_an_absent_attribute() {
        let item = written(&tagged(&[]));
        assert!(item.is_empty());
        assert_eq!(stored::<Tagged>(item).unwrap().record, tagged(&[]));
    }

    #[test]
    fn a_version_that_is_no_number_does_not_read() {
        let version = |value| stored::<Tagged>([("version".to_owned(), value)].into());
        let seven = version(AttributeValue::N("7".to_owned()));
        assert_eq!(seven.unwrap().version, 7);
        version(AttributeValue::S("7".to_owned())).unwrap_err();
        version(AttributeValue::N("7.5".to_owned())).unwrap_err();
    }

    #[test]
    fn what_has_no_fields_is_written_as_its_name() {
        let name = |value: AttributeValue| value.as_s().unwrap().clone();
        assert_eq!(
            name(ServiceStatus::InProgress.into_attribute()),
            "in_progress"
        );
        assert_eq!(name(ReferenceType::Project.into_attribute()), "project");
        assert_eq!(name(ActionState::Queued.into_attribute()), "queued");
        let status = AgentSessionStatus::AwaitingConfirmation;
        assert_eq!(name(status.into_attribute()), "awaiting_confirmation");
    }
}
