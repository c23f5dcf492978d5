//! What a write does and what it expects.

use model::Error;

use super::{
    expression::{Change, Condition},
    item::{Item, Record, Stored, item},
};
use crate::key::AnyKey;

/// One conditional write, alone or in a transaction.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    pub(super) key: AnyKey,
    pub(super) what: What,
    pub(super) condition: Condition,
}

#[derive(Clone, Debug)]
pub(super) enum What {
    Put(Item),
    Update(Change),
    Delete,
    Check,
}

impl Write {
    /// A new record; its key must be free.
    pub(crate) fn create<T: Record>(record: &T) -> Result<Self, Error> {
        Ok(Self {
            key: record.key().into(),
            what: What::Put(item(record, 1)?),
            condition: Condition::absent(),
        })
    }

    /// A record over whatever is there. Only for what repeats without harm.
    pub(crate) fn put<T: Record>(record: &T) -> Result<Self, Error> {
        Ok(Self {
            key: record.key().into(),
            what: What::Put(item(record, 1)?),
            condition: Condition::default(),
        })
    }

    /// A record over whatever is there and fits the condition.
    pub(crate) fn put_where<T: Record>(record: &T, condition: Condition) -> Result<Self, Error> {
        Ok(Self {
            condition,
            ..Self::put(record)?
        })
    }

    /// A record in place of the one that was read.
    pub(crate) fn replace<T: Record>(stored: &Stored<T>) -> Result<Self, Error> {
        Ok(Self {
            key: stored.record.key().into(),
            what: What::Put(item(&stored.record, stored.version + 1)?),
            condition: Condition::version(stored.version),
        })
    }

    /// Some attributes of an item; its version is raised with them.
    pub(crate) fn update(key: impl Into<AnyKey>, change: Change, condition: Condition) -> Self {
        Self {
            key: key.into(),
            what: What::Update(change.add("version", 1)),
            condition,
        }
    }

    /// Some attributes of an item that may not read. Its version begins anew, since that may be what
    /// is damaged.
    pub(crate) fn mend(key: impl Into<AnyKey>, change: Change) -> Self {
        Self {
            key: key.into(),
            what: What::Update(change.set("version", 1)),
            condition: Condition::exists(),
        }
    }

    /// Removes an item.
    pub(crate) fn delete(key: impl Into<AnyKey>, condition: Condition) -> Self {
        Self {
            key: key.into(),
            what: What::Delete,
            condition,
        }
    }

    /// Writes nothing; the transaction fails unless the item is as expected.
    pub(crate) fn check(key: impl Into<AnyKey>, condition: Condition) -> Self {
        Self {
            key: key.into(),
            what: What::Check,
            condition,
        }
    }
}
