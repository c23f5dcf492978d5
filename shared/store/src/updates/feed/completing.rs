//! Long texts of records whose changes the stream has.

use crate::{
    Result,
    base::texts::{ATTRIBUTE, text_key},
    updates::{Feed, FeedChange},
};

impl Feed<'_> {
    /// Adds long texts to the records of changes, before and after them. A record whose text has
    /// expired keeps the beginning.
    pub async fn complete(&self, changes: &mut [FeedChange]) -> Result<()> {
        let mut images: Vec<_> = changes
            .iter_mut()
            .flat_map(FeedChange::images_mut)
            .collect();
        let keys = images
            .iter()
            .filter_map(|image| text_key(image))
            .collect();
        let texts = self.0.texts_at(keys).await?;
        for image in &mut images {
            let kept = text_key(image).and_then(|key| texts.at(&key));
            if let Some(kept) = kept {
                image[ATTRIBUTE] = kept.text.into();
            }
        }
        Ok(())
    }
}
