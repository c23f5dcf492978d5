//! The form of an item: how this version writes its record.

use model::base::Error;
use serde::de::DeserializeOwned;

use crate::{
    COPIED, Condition, Index, IntoAttribute, Main, RawItem, Record, Refused, Stored, Table, Write,
    failure::WRITE_ID,
    item::stored_at,
    key::KEY_ATTRIBUTES,
    raw::has_same_values,
    record::{self, WRITTEN_BY, changed_item},
    write::Operation,
};

/// Attributes that stay as they are: the key of a record never changes.
const KEPT: [&str; 4] = [Main::PARTITION, Main::SORT, "version", WRITTEN_BY];

impl Write {
    /// Gives the item of a record the form in which this version writes it. `None` for an item that
    /// has this form. Refused if the item was written meanwhile. An unreadable record is an error.
    pub fn in_present_form<S, R: Record<S>>(raw: &RawItem) -> Result<Option<Self>, Error> {
        let Some(key) = raw.key() else {
            return Ok(None);
        };
        let stored: Stored<R> = stored_at(&key, raw.0.clone())?;
        let mut item = changed_item(&stored)?;
        item.insert("version".to_owned(), stored.version.into_attribute());
        for name in KEPT {
            if let Some(value) = raw.0.get(name) {
                item.insert(name.to_owned(), value.clone());
            }
        }
        // An update may have set the end of a record that has none by itself.
        if let Some(end) = raw.0.get("expiresAt") {
            item.entry("expiresAt".to_owned())
                .or_insert(end.clone());
        }
        let as_read = match raw.number("version") {
            Some(version) => Condition::version(version),
            None => Condition::exists().lacks("version"),
        };
        let mut write = Self::put_item(&stored.record, item, Some(&stored), as_read)?;
        match &mut write.operation {
            Operation::Put(item) if !has_same_values(item, &raw.0) => {
                item.insert(WRITE_ID.to_owned(), COPIED.into_attribute());
                Ok(Some(write))
            }
            _ => Ok(None),
        }
    }
}

impl RawItem {
    /// Reads the record of the item. An unreadable record is an error.
    pub fn record<R: DeserializeOwned>(&self) -> Result<R, Error> {
        let key = self.key();
        let key = key.ok_or_else(|| Error::internal("reading a record", "the item has no key"))?;
        let stored: Stored<R> = stored_at(&key, self.0.clone())?;
        Ok(stored.record)
    }

    /// Returns the first attribute of a key that is not the record's: `gsi1pk`. An index may lack
    /// the item, as it lacks those of older forms.
    pub fn wrong_key<S, R: Record<S>>(&self, record: &R) -> Result<Option<&'static str>, Error> {
        let written = record::item(record, 1)?;
        let is_right = |name: &&&str| match self.0.get(**name) {
            Some(attribute) => written.get(**name) == Some(attribute),
            None => true,
        };
        Ok(KEY_ATTRIBUTES
            .iter()
            .find(|name| !is_right(name))
            .copied())
    }

    /// Returns the first attribute of a key in an index.
    pub fn index_key(&self) -> Option<&'static str> {
        let mut of_indexes = KEY_ATTRIBUTES.iter().skip(2).copied();
        of_indexes.find(|name| self.0.contains_key(*name))
    }
}

impl Table {
    /// Sends a write of another form. The write's id says that it is no change.
    pub async fn rewrite(&self, write: Write) -> Result<Result<(), Refused>, Error> {
        match write.operation {
            Operation::Put(item) if write.texts.is_empty() => {
                self.put_raw(&RawItem(item), write.condition)
                    .await
            }
            _ => {
                self.transact_as(vec![write], COPIED)
                    .await
            }
        }
    }
}
