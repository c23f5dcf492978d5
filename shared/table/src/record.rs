//! Records, and the items that hold them.

use aws_sdk_dynamodb::types::AttributeValue;
use model::base::Error;
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    Gsi1, Gsi2, Gsi3, Gsi4, Index, IntoAttribute, Key, LongText, REFERENCE, Stored,
    attribute::Item, decode::from_item, key::KEY_ATTRIBUTES,
};

/// The attribute that names the author of an item's last write.
pub(crate) const WRITTEN_BY: &str = "writtenBy";

/// A type whose values the table holds, and their keys.
///
/// `Schema` is a type of the crate that implements this trait. It is never used as a value: it lets
/// that crate implement the trait for types of other crates.
pub trait Record<Schema>: Serialize + DeserializeOwned {
    /// The attribute `kind` of every such item.
    const KIND: &'static str;

    /// Sets of numbers, which updates may add to and remove from. An empty set is an absent
    /// attribute, so their fields have `#[serde(default)]`.
    const NUMBER_SETS: &'static [&'static str] = &[];

    /// The attribute whose text lies in an item of its own if it is long.
    const LONG_TEXT: Option<LongText> = None;

    fn key(&self) -> Key<Self>;

    fn gsi1(&self) -> Option<Key<Self, Gsi1>> {
        None
    }

    fn gsi2(&self) -> Option<Key<Self, Gsi2>> {
        None
    }

    fn gsi3(&self) -> Option<Key<Self, Gsi3>> {
        None
    }

    fn gsi4(&self) -> Option<Key<Self, Gsi4>> {
        None
    }

    /// The attribute `words`, which filters search: each word with a space before it. `None` if no
    /// list searches such records.
    fn words(&self) -> Option<String> {
        None
    }

    /// The attribute `expiresAt`, in seconds since the Unix epoch: the table may delete the item
    /// from then on. TTL lags by days, so readers check for themselves.
    fn expires_at(&self) -> Option<i64> {
        None
    }
}

pub(crate) fn item<S, R: Record<S>>(record: &R, version: i64) -> Result<Item, Error> {
    let mut item: Item = serde_dynamo::to_item(record)
        .map_err(|error| Error::internal("writing a record", error))?;
    // An absent attribute reads as null, and costs nothing.
    item.retain(|_, value| !value.is_null());
    for name in R::NUMBER_SETS {
        into_number_set(&mut item, name)?;
    }
    let mut put = |name: &str, value: AttributeValue| item.insert(name.to_owned(), value);
    put("kind", R::KIND.into_attribute());
    put("version", version.into_attribute());
    if let Some(words) = record.words() {
        put("words", words.into_attribute());
    }
    if let Some(at) = record.expires_at() {
        put("expiresAt", at.into_attribute());
    }
    set_key(&mut item, Some(record.key()));
    set_key(&mut item, record.gsi1());
    set_key(&mut item, record.gsi2());
    set_key(&mut item, record.gsi3());
    set_key(&mut item, record.gsi4());
    Ok(item)
}

/// The attributes that the table's own code writes. They follow the record.
fn is_own(name: &str) -> bool {
    let others = [
        "kind",
        "version",
        "words",
        "expiresAt",
        WRITTEN_BY,
        REFERENCE,
    ];
    KEY_ATTRIBUTES.contains(&name) || others.contains(&name)
}

/// The item that holds the record after a change. It keeps the attributes that this version of the
/// service does not know: during a deployment, a newer one writes the same records.
pub(crate) fn changed_item<S, R: Record<S>>(stored: &Stored<R>) -> Result<Item, Error> {
    let mut written = item(&stored.record, stored.version + 1)?;
    if let Some(stored_item) = &stored.item {
        let record: R =
            from_item(stored_item).map_err(|error| Error::internal("keeping a record", error))?;
        let known_attributes = item(&record, stored.version)?;
        let attributes = stored_item
            .iter()
            .filter(|(name, _)| !is_own(name));
        keep_unknown(attributes, &known_attributes, &mut written);
    }
    Ok(written)
}

/// Copies what was found and is not known, in nested maps as well.
fn keep_unknown<'a>(
    attributes: impl Iterator<Item = (&'a String, &'a AttributeValue)>,
    known_attributes: &Item,
    written: &mut Item,
) {
    for (name, value) in attributes {
        use AttributeValue::M;
        match (value, known_attributes.get(name), written.get_mut(name)) {
            (value, None, None) => drop(written.insert(name.clone(), value.clone())),
            (M(attributes), Some(M(known_attributes)), Some(M(written))) => {
                keep_unknown(attributes.iter(), known_attributes, written);
            }
            _ => {}
        }
    }
}

/// Turns a list of numbers into a set. An empty list becomes an absent attribute.
pub(crate) fn into_number_set(item: &mut Item, name: &str) -> Result<(), Error> {
    let Some(AttributeValue::L(values)) = item.remove(name) else {
        return Ok(());
    };
    let numbers = values
        .into_iter()
        .map(|value| match value {
            AttributeValue::N(number) => Ok(number),
            _ => Err(Error::internal("writing a set", "it holds no numbers")),
        });
    let numbers = numbers.collect::<Result<Vec<_>, _>>()?;
    if !numbers.is_empty() {
        item.insert(name.to_owned(), AttributeValue::Ns(numbers));
    }
    Ok(())
}

fn set_key<R, I: Index>(item: &mut Item, key: Option<Key<R, I>>) {
    if let Some((partition, sort)) = key.map(Key::into_parts) {
        item.insert(I::PARTITION.to_owned(), partition.into_attribute());
        item.insert(I::SORT.to_owned(), sort.into_attribute());
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde::Deserialize;

    use super::*;
    use crate::item::stored;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Tagged {
        #[serde(default)]
        tags: BTreeSet<i64>,
    }

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Note {
        text: Option<String>,
        place: Place,
        places: Vec<Place>,
    }

    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    struct Place {
        x: i64,
        name: Option<String>,
    }

    struct Schema;

    impl Record<Schema> for Note {
        const KIND: &'static str = "note";

        #[expect(clippy::disallowed_methods, reason = "it is no record of the store")]
        fn key(&self) -> Key<Self> {
            Key::new("NOTE", "1")
        }
    }

    #[test]
    fn a_change_keeps_what_the_type_lacks_and_nothing_else() {
        let place = Place {
            x: 1,
            name: Some("desk".to_owned()),
        };
        let note = Note {
            text: Some("old".to_owned()),
            place: place.clone(),
            places: vec![place],
        };
        let mut stored_item = item(&note, 3).unwrap();
        let later = AttributeValue::Bool(true);
        stored_item.insert("later".to_owned(), later.clone());
        stored_item.insert(Gsi1::PARTITION.to_owned(), "OLD".into_attribute());
        stored_item.insert(WRITTEN_BY.to_owned(), later.clone());
        if let Some(AttributeValue::M(place)) = stored_item.get_mut("place") {
            place.insert("later".to_owned(), later.clone());
        }
        let mut read = stored::<Note>(stored_item.clone()).unwrap();
        read.record.text = None;
        read.record.place.x = 2;
        let written = changed_item(&read).unwrap();

        assert_eq!(written["version"], 4.into_attribute());
        assert_eq!(written["later"], later);
        assert!(!written.contains_key("text"));
        assert!(!written.contains_key(Gsi1::PARTITION));
        assert!(!written.contains_key(WRITTEN_BY));
        let place = written["place"].as_m().unwrap();
        assert_eq!(place["x"], 2.into_attribute());
        assert_eq!(place["later"], later);
        assert_eq!(written["places"], stored_item["places"]);
    }

    #[test]
    fn a_set_of_numbers_is_one_attribute_and_an_empty_one_is_none() {
        let set = AttributeValue::Ns(vec!["7".to_owned(), "12".to_owned()]);
        for (tags, attribute) in [(&[7, 12][..], Some(&set)), (&[], None)] {
            let record = Tagged {
                tags: tags.iter().copied().collect(),
            };
            let mut item = serde_dynamo::to_item(&record).unwrap();
            into_number_set(&mut item, "tags").unwrap();
            assert_eq!(item.get("tags"), attribute);
            assert_eq!(stored::<Tagged>(item).unwrap().record, record);
        }
    }
}
