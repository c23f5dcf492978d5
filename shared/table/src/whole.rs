//! Records that were read, with their long texts.

use std::sync::Arc;

use model::base::Error;
use serde::de::DeserializeOwned;

use crate::{
    IntoAttribute, KeptText, Key, LongText, Stored, attribute::Item, decode::from_item,
    item::key_of, meter, text::Apart,
};

impl<T> Stored<T> {
    /// The key of the long text that the record refers to. `None` if the record has its whole text.
    pub fn text_key(&self, long: LongText) -> Option<Key<KeptText>> {
        let unread = self
            .text
            .as_ref()
            .filter(|text| !text.is_read)?;
        let record = key_of(self.item.as_ref()?)?;
        Some((long.key)(&record, &unread.reference.hash))
    }

    /// The bytes of the long text that the record refers to; 0 without one.
    pub fn text_bytes(&self) -> usize {
        let text = self.text.as_ref();
        text.map_or(0, |text| text.reference.bytes)
    }
}

impl<T: DeserializeOwned> Stored<T> {
    /// Adds the long text that the record refers to, if it was found. Without it, the record does
    /// not read.
    pub fn with_text(mut self, long: LongText, kept: Option<KeptText>) -> Result<Self, Error> {
        let (Some(item), Some(Apart { is_read: false, .. })) = (&self.item, &self.text) else {
            return Ok(self);
        };
        let key = self.text_key(long);
        let unreadable = |why: &str| {
            let record = key_of(item);
            record
                .iter()
                .for_each(meter::note_unreadable);
            Error::internal("reading a record", format!("the text at {key:?} {why}"))
        };
        let kept = kept.ok_or_else(|| unreadable("is not there"))?;
        let mut item = Item::clone(item);
        item.insert(long.attribute.to_owned(), kept.text.into_attribute());
        self.record = from_item(&item).map_err(|_| unreadable("does not fit"))?;
        self.item = Some(Arc::new(item));
        if let Some(text) = &mut self.text {
            text.is_read = true;
        }
        Ok(self)
    }
}
