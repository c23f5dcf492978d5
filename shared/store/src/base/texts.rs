//! Long texts of records, which lie in items of their own. Writes of records write them too; reads
//! that show texts add them here.

use serde::de::DeserializeOwned;
use serde_json::Value;
use table::{Batch, KeptText, Key, LongText, REFERENCE, Read, Stored, page::Page};

use crate::{Result, base::Store, key};

/// The attribute whose text may be long.
pub(crate) const ATTRIBUTE: &str = "description";

pub(crate) const DESCRIPTION: LongText = LongText {
    attribute: ATTRIBUTE,
    key: key::text,
};

/// The most bytes of the long texts of a page: about as much as an answer of the service may have.
const MOST: usize = 4 * 1024 * 1024;

/// Long texts that were read.
pub(crate) struct Texts(Batch);

impl Texts {
    /// Adds its long text to a record.
    pub(crate) fn complete<R: DeserializeOwned>(&self, stored: Stored<R>) -> Result<Stored<R>> {
        let key = stored.text_key(DESCRIPTION);
        let kept = key.and_then(|key| self.at(&key));
        stored.with_text(DESCRIPTION, kept)
    }

    pub(crate) fn at(&self, key: &Key<KeptText>) -> Option<KeptText> {
        self.0
            .named(key)
            .map(|stored| stored.record)
    }
}

impl Store {
    pub(crate) async fn texts<'a, R: 'a>(
        &self,
        records: impl IntoIterator<Item = &'a Stored<R>>,
    ) -> Result<Texts> {
        let keys = records.into_iter();
        let keys = keys.filter_map(|stored| stored.text_key(DESCRIPTION));
        self.texts_at(keys.collect()).await
    }

    /// Reads texts. A text is never changed, so one that a cheap read finds is right.
    pub(crate) async fn texts_at(&self, keys: Vec<Key<KeptText>>) -> Result<Texts> {
        self.table
            .batch_get(keys, Read::Lasting)
            .await
            .map(Texts)
    }

    /// Adds its long text to a record. Without one, that takes no request.
    pub(crate) async fn whole<R: DeserializeOwned>(&self, stored: Stored<R>) -> Result<Stored<R>> {
        self.texts([&stored])
            .await?
            .complete(stored)
    }

    /// Adds long texts to the records of a page, and cuts the page where they would make it too
    /// long. A record whose text does not read is left out.
    pub(crate) async fn whole_page<R: DeserializeOwned>(
        &self,
        page: Page<Stored<R>>,
    ) -> Result<Page<Stored<R>>> {
        let mut bytes = 0;
        let fits = |stored: &&Stored<R>| {
            bytes += stored.text_bytes();
            bytes <= MOST
        };
        let rows = page.records().take_while(fits).count();
        let page = page.cut(rows);
        let texts = self.texts(page.records()).await?;
        Ok(page.filter_map(|stored| texts.complete(stored).ok()))
    }
}

pub(crate) fn text_key(image: &Value) -> Option<Key<KeptText>> {
    let hash = image[REFERENCE]["hash"].as_str()?;
    let part = |name: &str| image[name].as_str();
    let record = key::of_image(part("pk")?, part("sk")?);
    Some(key::text(&record, hash))
}
