//! Consistent reads by key, and writes that give way to others.

use model::base::{Title, TitleWords};
use serde::de::DeserializeOwned;
use table::{
    AnyKey, Batch, Index, Key, OrLeave, Read, Record, RecordList, Stored, Table, Write,
    page::{ListPosition, Page, PageRequest, Row},
};

use crate::{
    Result,
    base::{Store, records::Workdesk},
};

impl Store {
    /// Reads a record, if there is one. An unreadable record is an error.
    pub(crate) async fn read<R: DeserializeOwned>(
        &self,
        key: &Key<R>,
    ) -> Result<Option<Stored<R>>> {
        self.table
            .get(key, Read::Consistent)
            .await
    }

    /// Reads a record to which others refer. An unreadable record does not exist.
    pub(crate) async fn readable<R: DeserializeOwned>(
        &self,
        key: &Key<R>,
    ) -> Result<Option<Stored<R>>> {
        Ok(self.batch([key]).await?.named(key))
    }

    /// Reads the items of several keys with one request.
    pub(crate) async fn batch(
        &self,
        keys: impl IntoIterator<Item = impl Into<AnyKey>>,
    ) -> Result<Batch> {
        self.table
            .batch_get(keys, Read::Consistent)
            .await
    }

    /// Overwrites the record that was read, unless another writer changed it meanwhile.
    pub(crate) async fn replace_or_leave<R: Record<Workdesk>>(
        &self,
        record: &Stored<R>,
    ) -> Result<()> {
        let write = Write::replace(record)?;
        self.table
            .write(write)
            .await?
            .or_leave();
        Ok(())
    }

    /// Returns the rows of a list whose records have these keys and fit, in the order of their
    /// places. Keys without a readable record have no row. One consistent batch read, so that no
    /// row lags behind a write.
    pub(crate) async fn rows_by_id<R: DeserializeOwned>(
        &self,
        keys: impl Iterator<Item = Key<R>>,
        fits: impl Fn(&R) -> bool,
        place: impl Fn(&R) -> Option<ListPosition>,
        descending: bool,
        wanted: &PageRequest,
    ) -> Result<Page<Stored<R>>> {
        let keys: Vec<_> = keys.collect();
        let batch = self.batch(keys.iter()).await?;
        let records = keys
            .iter()
            .filter_map(|key| batch.named(key));
        let rows = records.filter(|record| fits(&record.record));
        let rows = rows.filter_map(|record| {
            let place = place(&record.record)?;
            Some(Row { record, place })
        });
        Ok(Page::sorted(rows.collect(), descending, wanted))
    }
}

pub(crate) fn in_first_index<R: Record<Workdesk>>(record: &R) -> Option<ListPosition> {
    Some(ListPosition::in_index(record.key(), record.gsi1()?))
}

/// Reads a page of a list. With a query, its rows are those whose titles match.
pub(crate) async fn titled_page<R: DeserializeOwned, I: Index>(
    table: &Table,
    list: RecordList<R, I>,
    title: fn(&R) -> &Title,
    query: Option<&TitleWords>,
    wanted: &PageRequest,
) -> Result<Page<Stored<R>>> {
    let Some(query) = query else {
        return table.page(list, wanted).await;
    };
    let matches = |record: &R| query.begin_words_of(title(record));
    table
        .page_where(list, matches, wanted)
        .await
}
