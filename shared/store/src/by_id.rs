//! Rows of lists by their ids.

use serde::de::DeserializeOwned;

use super::{Place, Row};
use crate::prelude::*;

impl Store {
    /// Returns the rows of a list whose records have these keys and fit, in the order of their places. Keys
    /// without a readable record have no row. One consistent batch read, so that no row lags behind a write.
    pub(crate) async fn rows_by_id<R: DeserializeOwned>(
        &self,
        keys: impl Iterator<Item = Key<R>>,
        fits: impl Fn(&R) -> bool,
        place: impl Fn(&R) -> Option<Place>,
        descending: bool,
        wanted: &Wanted,
    ) -> Result<Page<Stored<R>>, Error> {
        let keys: Vec<_> = keys.collect();
        let found = self.table.batch_get(keys.iter(), Read::Consistent).await?;
        let records = keys.iter().filter_map(|key| found.named(key));
        let rows = records.filter(|record| fits(&record.record));
        let rows = rows.filter_map(|record| {
            let place = place(&record.record)?;
            Some(Row { record, place })
        });
        Ok(Page::sorted(rows.collect(), descending, wanted))
    }
}

pub(crate) fn in_first_index<R: Record<Workdesk>>(record: &R) -> Option<Place> {
    Some(Place::in_index(record.key(), record.gsi1()?))
}
