//! Indexes the records that were written before there was an index.

use futures::{StreamExt, TryStreamExt, stream};
use model::{Error, OrganizationId, RecordName, SearchedType};
use serde_json::Value;

use super::Search;
use crate::{
    feed::Change,
    key::{self, List},
    page::Wanted,
};

/// The records of a page.
const ROWS: usize = 100;

/// The threads that are indexed at the same time.
const CONCURRENCY: usize = 8;

impl Search<'_> {
    /// Indexes all records of an organization, and calls `tell` with the number of records of each type,
    /// with their comments and messages. Records that the index has are only read, so an interrupted run
    /// can start again. The publisher may write at the same time.
    pub async fn index_all(
        &self,
        tenant: OrganizationId,
        tell: impl Fn(SearchedType, usize),
    ) -> Result<(), Error> {
        for kind in SearchedType::ALL {
            let Some(records) = key::records_of(tenant, *kind) else {
                continue;
            };
            let records = self.index_list(tenant, records).await?;
            let below = records
                .iter()
                .filter_map(|record| key::records_below(tenant, *record));
            let below = stream::iter(below)
                .map(|below| self.index_list(tenant, below))
                .buffer_unordered(CONCURRENCY)
                .try_fold(0, async |count, some| Ok(count + some.len()));
            tell(*kind, records.len() + below.await?);
        }
        Ok(())
    }

    /// Indexes the records of a list, and returns their names.
    async fn index_list(
        &self,
        tenant: OrganizationId,
        list: List<Value>,
    ) -> Result<Vec<RecordName>, Error> {
        let mut all = Vec::new();
        let mut wanted = Wanted::first(ROWS);
        loop {
            let page = self
                .0
                .table
                .page(list.clone().consistent(), &wanted)
                .await?;
            let page = self.0.whole_page(page).await?;
            let records = page.rows.into_iter().map(|row| row.record);
            let changes = records.filter_map(|stored| Change::of_existing(stored, self.0.now()));
            let changes: Vec<Change> = changes.collect();
            self.index(tenant, &changes).await?;
            all.extend(changes.iter().map(|change| change.entry.of));
            wanted.after = page.end;
            if wanted.after.is_none() {
                return Ok(all);
            }
        }
    }
}
