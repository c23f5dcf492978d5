//! Long texts. A text of more than 2,048 bytes lies in an item of its own: that of its record is
//! written into each index again with every change.
//!
//! The record's item keeps the beginning of the text, and its SHA-256, which is part of the key of
//! the text. So no reader joins a record with the text of another version. A text that its record
//! no longer names expires after two days. Until then, readers of an index that lags and of the
//! stream find it.

use aws_sdk_dynamodb::types::AttributeValue;
use model::{
    base::{Error, span},
    people::digest,
};
use serde::{Deserialize, Serialize};

use crate::{
    AnyKey, IntoAttribute, Key,
    attribute::Item,
    decode::{Undecodable, from_item},
};

/// The attribute of a record that refers to its long text.
pub const REFERENCE: &str = "longText";

/// The most bytes of a text in its record's item.
const MOST: usize = 2_048;

/// The characters of a long text that its record's item keeps.
const BEGINNING: usize = 100;

/// Milliseconds for which an unnamed text is kept: longer than the stream keeps a change.
pub(crate) const KEPT: i64 = 2 * span::DAY;

/// An attribute whose text lies in an item of its own if it is long.
#[derive(Clone, Copy, Debug)]
pub struct LongText {
    pub attribute: &'static str,
    /// Returns the key of a text by the key of its record and the text's SHA-256.
    pub key: fn(&AnyKey, &str) -> Key<KeptText>,
}

/// A long text, as its own item has it.
#[derive(Clone, Debug, Deserialize)]
pub struct KeptText {
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextReference {
    /// SHA-256 of the text, in hexadecimal.
    pub hash: String,
    /// The length of the text.
    pub bytes: usize,
}

/// The long text of a record that was read.
#[derive(Clone, Debug)]
pub(crate) struct Apart {
    pub(crate) reference: TextReference,
    /// True once the record has the text itself.
    pub(crate) is_read: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum TextWrite {
    Keep(AnyKey, String),
    Expire(AnyKey),
}

impl LongText {
    /// Returns the reference to a text; `None` for one that stays in its record.
    pub fn reference(text: &str) -> Option<TextReference> {
        (text.len() > MOST).then(|| TextReference {
            hash: digest(text),
            bytes: text.len(),
        })
    }

    /// Parts a record's item from its long text. Returns the writes of the text and of the record's
    /// earlier one, with the item as read.
    pub(crate) fn part(
        self,
        record: &AnyKey,
        item: &mut Item,
        (old, item_read): (Option<&Apart>, Option<&Item>),
    ) -> Result<Vec<TextWrite>, Error> {
        if let Some(Apart { reference, .. }) = old.filter(|old| !old.is_read) {
            let text_read = item_read.and_then(|item| item.get(self.attribute));
            if item.get(self.attribute) != text_read {
                let why = "its text was changed and not read";
                return Err(Error::internal("writing a record", why));
            }
            item.insert(REFERENCE.to_owned(), reference.into_attribute());
            return Ok(Vec::new());
        }
        let mut writes = Vec::new();
        let text = item
            .get(self.attribute)
            .and_then(|text| text.as_s().ok());
        let new = text.and_then(|text| Some((Self::reference(text)?, text.clone())));
        let old = old.map(|old| &old.reference);
        let is_same = old
            == new
                .as_ref()
                .map(|(reference, _)| reference);
        if let Some(old) = old.filter(|_| !is_same) {
            writes.push(TextWrite::Expire((self.key)(record, &old.hash).into()));
        }
        if let Some((reference, text)) = new {
            item.insert(self.attribute.to_owned(), beginning(&text).into_attribute());
            item.insert(REFERENCE.to_owned(), (&reference).into_attribute());
            if !is_same {
                let key = (self.key)(record, &reference.hash);
                writes.push(TextWrite::Keep(key.into(), text));
            }
        }
        Ok(writes)
    }

    /// Returns the write of the text of a record that is deleted.
    pub(crate) fn forget(self, record: &AnyKey, text: &Apart) -> TextWrite {
        TextWrite::Expire((self.key)(record, &text.reference.hash).into())
    }
}

impl Apart {
    /// Takes the reference out of an item, if it has one.
    pub(crate) fn take(item: &mut Item) -> Result<Option<Self>, Undecodable> {
        match item.remove(REFERENCE) {
            None => Ok(None),
            Some(AttributeValue::M(reference)) => Ok(Some(Self {
                reference: from_item(&reference)?,
                is_read: false,
            })),
            Some(_) => Err(Undecodable::new("a reference that is no map")),
        }
    }
}

/// The first characters of a text.
fn beginning(text: &str) -> &str {
    let end = text.char_indices().nth(BEGINNING);
    end.map_or(text, |(end, _)| &text[..end])
}
