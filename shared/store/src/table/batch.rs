//! The items of a batch read.

use std::{collections::HashMap, hash::Hash};

use model::{Error, Id};

use serde::de::DeserializeOwned;

use super::item::{Item, Record, Stored, stored_at};
use crate::key::{AnyKey, Key};

/// The items of a batch read.
#[derive(Debug, Default)]
pub(crate) struct Batch(pub(super) HashMap<AnyKey, Item>);

impl Batch {
    /// The record under a key, if there is one.
    pub(crate) fn get<R: DeserializeOwned>(
        &self,
        key: &Key<R>,
    ) -> Result<Option<Stored<R>>, Error> {
        let key = key.as_ref();
        let item = self.0.get(key).cloned();
        item.map(|item| stored_at(key, item)).transpose()
    }

    /// The record under a key for others that name it: to them, one that does not read is gone.
    pub(crate) fn named<R: DeserializeOwned>(&self, key: &Key<R>) -> Option<Stored<R>> {
        self.get(key).ok().flatten()
    }

    /// Those of some records that others name and that are there, each in the form in which they
    /// show it.
    pub(crate) fn all<R, I, V>(
        &self,
        ids: impl Iterator<Item = I>,
        key: impl Fn(I) -> Key<R>,
    ) -> HashMap<I, V>
    where
        R: Record,
        I: Id + Eq + Hash,
        V: for<'a> From<&'a R>,
    {
        let mut all = HashMap::new();
        for id in ids {
            if !all.contains_key(&id)
                && let Some(stored) = self.named(&key(id))
            {
                all.insert(id, V::from(&stored.record));
            }
        }
        all
    }

    /// Whether there is an item under a key.
    pub(crate) fn has(&self, key: &impl AsRef<AnyKey>) -> bool {
        self.0.contains_key(key.as_ref())
    }
}
