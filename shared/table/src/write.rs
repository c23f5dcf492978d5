//! Writes: an operation and its condition.

use aws_sdk_dynamodb::types::AttributeValue;
use model::Error;

use crate::{
    attribute::Item,
    expression::{Change, Condition},
    item::Stored,
    key::AnyKey,
    record::{Record, WRITTEN_BY, changed_item, item},
};

/// One conditional write, alone or in a transaction.
#[derive(Clone, Debug)]
pub struct Write {
    pub(crate) key: AnyKey,
    pub(crate) operation: Operation,
    pub(crate) condition: Condition,
    author: Option<AttributeValue>,
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
            author: None,
        })
    }

    /// Overwrites the record that was read, and keeps its unknown attributes. Refused if its version
    /// has changed since.
    pub fn replace<S, R: Record<S>>(stored: &Stored<R>) -> Result<Self, Error> {
        Ok(Self {
            key: stored.record.key().into(),
            operation: Operation::Put(changed_item(stored)?),
            condition: Condition::version(stored.version),
            author: None,
        })
    }

    /// Creates a record, or overwrites the one that was read.
    pub fn create_or_replace<S, R: Record<S>>(
        found: Option<Stored<R>>,
        record: R,
    ) -> Result<Self, Error> {
        match found {
            None => Self::create(&record),
            Some(found) => Self::replace(&found.map(|_| record)),
        }
    }

    /// Changes attributes of an item and raises its version. Creates the item if there is none and
    /// the condition allows it.
    pub fn update(key: impl Into<AnyKey>, change: Change, condition: Condition) -> Self {
        Self {
            key: key.into(),
            operation: Operation::Update(change.add("version", 1)),
            condition,
            author: None,
        }
    }

    /// Changes attributes of an existing item that may be unreadable. Sets its version to 1, since
    /// the version itself may be damaged.
    pub fn mend(key: impl Into<AnyKey>, change: Change) -> Self {
        Self {
            key: key.into(),
            operation: Operation::Update(change.set("version", 1)),
            condition: Condition::exists(),
            author: None,
        }
    }

    /// Deletes an item.
    pub fn delete(key: impl Into<AnyKey>, condition: Condition) -> Self {
        Self {
            key: key.into(),
            operation: Operation::Delete,
            condition,
            author: None,
        }
    }

    /// Writes nothing. The transaction is refused unless the item fulfils the condition.
    pub fn check(key: impl Into<AnyKey>, condition: Condition) -> Self {
        Self {
            key: key.into(),
            operation: Operation::Check,
            condition,
            author: None,
        }
    }

    /// Names the author in the attribute `writtenBy`. A write without an author removes the attribute.
    #[must_use]
    pub fn by(self, author: Option<AttributeValue>) -> Self {
        Self { author, ..self }
    }

    /// The operation, with the author.
    pub(crate) fn signed(&self) -> Operation {
        match (self.operation.clone(), self.author.clone()) {
            (Operation::Put(mut item), Some(author)) => {
                item.insert(WRITTEN_BY.to_owned(), author);
                Operation::Put(item)
            }
            (Operation::Update(change), Some(author)) => {
                Operation::Update(change.set_attribute(WRITTEN_BY, author))
            }
            (Operation::Update(change), None) => Operation::Update(change.remove(WRITTEN_BY)),
            (unsigned, _) => unsigned,
        }
    }
}
