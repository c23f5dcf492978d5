//! Writes: an operation and its condition.

use model::Error;

use crate::{
    attribute::Item,
    expression::{Change, Condition},
    item::Stored,
    key::AnyKey,
    record::{Record, item},
};

/// One conditional write, alone or in a transaction.
#[derive(Clone, Debug)]
pub struct Write {
    pub(crate) key: AnyKey,
    pub(crate) operation: Operation,
    pub(crate) condition: Condition,
}

#[derive(Clone, Debug)]
pub(crate) enum Operation {
    Put(Item),
    Update(Change),
    Delete,
    Check,
}

impl Write {
    /// Creates a record. Refused if its key is taken.
    pub fn create<S, R: Record<S>>(record: &R) -> Result<Self, Error> {
        Self::put_where(record, Condition::absent())
    }

    /// Creates a record or overwrites the one that is there. Only for writes that are harmless when
    /// repeated.
    pub fn put<S, R: Record<S>>(record: &R) -> Result<Self, Error> {
        Self::put_where(record, Condition::default())
    }

    /// Creates a record or overwrites the one that is there, if that fulfils the condition.
    pub fn put_where<S, R: Record<S>>(record: &R, condition: Condition) -> Result<Self, Error> {
        Ok(Self {
            key: record.key().into(),
            operation: Operation::Put(item(record, 1)?),
            condition,
        })
    }

    /// Overwrites the record that was read. Refused if its version has changed since.
    pub fn replace<S, R: Record<S>>(stored: &Stored<R>) -> Result<Self, Error> {
        Ok(Self {
            key: stored.record.key().into(),
            operation: Operation::Put(item(&stored.record, stored.version + 1)?),
            condition: Condition::version(stored.version),
        })
    }

    /// Changes attributes of an item and raises its version. Creates the item if there is none and
    /// the condition allows it.
    pub fn update(key: impl Into<AnyKey>, change: Change, condition: Condition) -> Self {
        Self {
            key: key.into(),
            operation: Operation::Update(change.add("version", 1)),
            condition,
        }
    }

    /// Changes attributes of an existing item that may be unreadable. Sets its version to 1, since
    /// the version itself may be damaged.
    pub fn mend(key: impl Into<AnyKey>, change: Change) -> Self {
        Self {
            key: key.into(),
            operation: Operation::Update(change.set("version", 1)),
            condition: Condition::exists(),
        }
    }

    /// Deletes an item.
    pub fn delete(key: impl Into<AnyKey>, condition: Condition) -> Self {
        Self {
            key: key.into(),
            operation: Operation::Delete,
            condition,
        }
    }

    /// Writes nothing. The transaction is refused unless the item fulfils the condition.
    pub fn check(key: impl Into<AnyKey>, condition: Condition) -> Self {
        Self {
            key: key.into(),
            operation: Operation::Check,
            condition,
        }
    }
}
