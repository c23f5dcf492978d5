use aws_sdk_dynamodb::types::AttributeValue;
use model::base::{Error, Timestamp};

use crate::{
    AnyKey, Condition, IntoAttribute, Record, Stored, UpdateExpression,
    attribute::Item,
    item::key_item,
    record::{WRITTEN_BY, changed_item, item},
    text::{KEPT, TextWrite},
};

/// One conditional write, alone or in a transaction.
#[derive(Clone, Debug)]
pub struct Write {
    pub(crate) key: AnyKey,
    pub(crate) operation: Operation,
    pub(crate) condition: Condition,
    author: Option<AttributeValue>,
    /// The writes of the record's long text, in the same transaction.
    pub(crate) texts: Vec<TextWrite>,
}

#[derive(Clone, Debug)]
pub(crate) enum Operation {
    Put(Item),
    Update(UpdateExpression),
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

    /// Creates a record, or overwrites an existing one that fulfils the condition.
    pub fn put_where<S, R: Record<S>>(record: &R, condition: Condition) -> Result<Self, Error> {
        Self::put_item(record, item(record, 1)?, None, condition)
    }

    /// Overwrites the record that was read, and keeps its unknown attributes. Refused if its
    /// version has changed since.
    pub fn replace<S, R: Record<S>>(stored: &Stored<R>) -> Result<Self, Error> {
        let as_read = Condition::version(stored.version);
        Self::put_item(&stored.record, changed_item(stored)?, Some(stored), as_read)
    }

    pub(crate) fn put_item<S, R: Record<S>>(
        record: &R,
        mut item: Item,
        before: Option<&Stored<R>>,
        condition: Condition,
    ) -> Result<Self, Error> {
        let key = AnyKey::from(record.key());
        let texts = R::LONG_TEXT.map(|long| {
            let text = before.and_then(|before| before.text.as_ref());
            let item_read = before.and_then(|before| before.item.as_deref());
            long.part(&key, &mut item, (text, item_read))
        });
        Ok(Self {
            texts: texts.transpose()?.unwrap_or_default(),
            ..Self::of(key, Operation::Put(item), condition)
        })
    }

    /// Returns the write of a long text's item.
    pub(crate) fn of_text(text: TextWrite, now: Timestamp) -> Self {
        match text {
            TextWrite::Keep(key, text) => {
                let mut item = key_item(&key);
                item.insert("kind".to_owned(), "text".into_attribute());
                item.insert("version".to_owned(), 1.into_attribute());
                item.insert("text".to_owned(), text.into_attribute());
                Self::of(key, Operation::Put(item), Condition::default())
            }
            TextWrite::Expire(key) => {
                let expires_at = now.plus(KEPT).epoch_seconds() + 1;
                let change = UpdateExpression::default().set("expiresAt", expires_at);
                Self::update(key, change, Condition::default())
            }
        }
    }

    const fn of(key: AnyKey, operation: Operation, condition: Condition) -> Self {
        Self {
            key,
            operation,
            condition,
            author: None,
            texts: Vec::new(),
        }
    }

    /// Creates a record, or overwrites the one that was read.
    pub fn create_or_replace<S, R: Record<S>>(
        stored: Option<Stored<R>>,
        record: R,
    ) -> Result<Self, Error> {
        match stored {
            None => Self::create(&record),
            Some(stored) => Self::replace(&stored.map(|_| record)),
        }
    }

    /// Changes attributes of an item and raises its version. Creates the item if there is none and
    /// the condition allows it.
    pub fn update(key: impl Into<AnyKey>, change: UpdateExpression, condition: Condition) -> Self {
        let operation = Operation::Update(change.add("version", 1));
        Self::of(key.into(), operation, condition)
    }

    /// Changes attributes of an existing item that may be unreadable. Sets its version to 1, since
    /// the version itself may be damaged.
    pub fn mend(key: impl Into<AnyKey>, change: UpdateExpression) -> Self {
        let operation = Operation::Update(change.set("version", 1));
        Self::of(key.into(), operation, Condition::exists())
    }

    /// Deletes the record that was read, with its long text. Refused if its version has changed
    /// since.
    pub fn forget<S, R: Record<S>>(stored: &Stored<R>) -> Self {
        let key = AnyKey::from(stored.record.key());
        let text = R::LONG_TEXT.zip(stored.text.as_ref());
        let text = text.map(|(long, text)| long.forget(&key, text));
        Self {
            texts: text.into_iter().collect(),
            ..Self::delete(key, Condition::version(stored.version))
        }
    }

    pub fn delete(key: impl Into<AnyKey>, condition: Condition) -> Self {
        Self::of(key.into(), Operation::Delete, condition)
    }

    /// Writes nothing. The transaction is refused unless the item fulfils the condition.
    pub fn check(key: impl Into<AnyKey>, condition: Condition) -> Self {
        Self::of(key.into(), Operation::Check, condition)
    }

    pub const fn is_check(&self) -> bool {
        matches!(self.operation, Operation::Check)
    }

    /// Names the author in the attribute `writtenBy`. A write without an author removes the
    /// attribute.
    #[must_use]
    pub fn by(self, author: Option<AttributeValue>) -> Self {
        Self { author, ..self }
    }

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
