//! The items of a batch read.

use std::{collections::HashMap, hash::Hash};

use model::{Error, Id};

use super::item::{Item, Record, Stored, stored};
use crate::key::Key;

/// The items of a batch read.
#[derive(Debug, Default)]
pub(crate) struct Batch(pub(super) HashMap<Key, Item>);

impl Batch {
    /// The record under a key, if there is one.
    pub(crate) fn get<T: Record>(&self, key: &Key) -> Result<Option<Stored<T>>, Error> {
        self.0.get(key).cloned().map(stored).transpose()
    }

    /// Those of some records that are there, each in the form in which other records show it.
    pub(crate) fn all<T, I, V>(
        &self,
        ids: impl Iterator<Item = I>,
        key: impl Fn(I) -> Key,
    ) -> Result<HashMap<I, V>, Error>
    where
        T: Record,
        I: Id + Eq + Hash,
        V: for<'a> From<&'a T>,
    {
        let mut all = HashMap::new();
        for id in ids {
            if !all.contains_key(&id)
                && let Some(stored) = self.get::<T>(&key(id))?
            {
                all.insert(id, V::from(&stored.record));
            }
        }
        Ok(all)
    }

    /// Whether there is an item under a key.
    pub(crate) fn has(&self, key: &Key) -> bool {
        self.0.contains_key(key)
    }
}
