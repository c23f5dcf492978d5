use std::{collections::HashMap, hash::Hash};

use model::base::{Error, Id};
use serde::de::DeserializeOwned;

use crate::{AnyKey, Key, Stored, attribute::Item, item::stored_at};

#[derive(Debug, Default)]
pub struct Batch(pub(crate) HashMap<AnyKey, Item>);

impl Batch {
    /// The record of a key, if there is one. An unreadable record is an error.
    pub fn get<R: DeserializeOwned>(&self, key: &Key<R>) -> Result<Option<Stored<R>>, Error> {
        let key = key.as_ref();
        let item = self.0.get(key).cloned();
        item.map(|item| stored_at(key, item))
            .transpose()
    }

    /// The record of a key, if there is a readable one. For records that only refer to it, an
    /// unreadable record does not exist.
    pub fn named<R: DeserializeOwned>(&self, key: &Key<R>) -> Option<Stored<R>> {
        self.get(key).ok().flatten()
    }

    /// The readable records of these ids, each converted into the form in which others show it.
    pub fn all<R, I, V>(
        &self,
        ids: impl Iterator<Item = I>,
        key: impl Fn(I) -> Key<R>,
    ) -> HashMap<I, V>
    where
        R: DeserializeOwned,
        I: Id + Eq + Hash,
        V: for<'a> From<&'a R>,
    {
        let mut by_id = HashMap::new();
        for id in ids {
            if !by_id.contains_key(&id)
                && let Some(stored) = self.named(&key(id))
            {
                by_id.insert(id, V::from(&stored.record));
            }
        }
        by_id
    }

    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    pub fn has(&self, key: &impl AsRef<AnyKey>) -> bool {
        self.0.contains_key(key.as_ref())
    }
}
