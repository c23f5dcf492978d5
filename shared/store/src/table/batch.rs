//! The items of a batch read.

use std::{collections::HashMap, hash::Hash};

use model::{Error, Id};

use serde::de::DeserializeOwned;

use super::item::{Item, Record, Stored, stored};
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
        self.0.get(key.as_ref()).cloned().map(stored).transpose()
    }

    /// Those of some records that are there, each in the form in which other records show it.
    pub(crate) fn all<R, I, V>(
        &self,
        ids: impl Iterator<Item = I>,
        key: impl Fn(I) -> Key<R>,
    ) -> Result<HashMap<I, V>, Error>
    where
        R: Record,
        I: Id + Eq + Hash,
        V: for<'a> From<&'a R>,
    {
        let mut all = HashMap::new();
        for id in ids {
            if !all.contains_key(&id)
                && let Some(stored) = self.get(&key(id))?
            {
                all.insert(id, V::from(&stored.record));
            }
        }
        Ok(all)
    }

    /// Whether there is an item under a key.
    pub(crate) fn has(&self, key: &impl AsRef<AnyKey>) -> bool {
        self.0.contains_key(key.as_ref())
    }
}
