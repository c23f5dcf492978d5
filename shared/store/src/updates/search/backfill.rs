//! Indexes the records that were written before there was an index, adds the participants of their
//! threads, and plans their reminders.

use futures::{StreamExt, TryStreamExt, stream};
use model::base::{Error, RecordName, SearchedType};
use serde_json::Value;
use table::{RecordList, page::PageRequest};

use crate::{
    Result, Tenant, is_refusal, key,
    updates::{FeedChange, Search},
};

/// The records of a page.
const ROWS: usize = 100;

/// The threads that are indexed at the same time.
const CONCURRENCY: usize = 8;

/// The records of a list.
#[derive(Default)]
struct Indexed {
    names: Vec<RecordName>,
    fault: Option<Error>,
}

impl Search<'_> {
    /// Indexes all records of an organization, adds participants, and plans reminders. Calls `tell`
    /// with the number of records of each type, with their comments and messages. Records that the
    /// index has are only read, so an interrupted run can start again. The indexer may write at the
    /// same time. A record that does not read in the index is an error once all others are done.
    pub async fn index_all(
        &self,
        tenant: Tenant,
        report: impl Fn(SearchedType, usize),
    ) -> Result<()> {
        let mut fault = None;
        for kind in SearchedType::ALL {
            let Some(records) = key::records_of(tenant, *kind) else {
                continue;
            };
            let records = self.index_list(tenant, records).await?;
            let below = records
                .names
                .iter()
                .filter_map(|record| key::records_below(tenant, *record));
            let below = stream::iter(below)
                .map(|below| self.index_list(tenant, below))
                .buffer_unordered(CONCURRENCY)
                .try_fold((0, None), async |(count, fault), some| {
                    Ok((count + some.names.len(), some.fault.or(fault)))
                });
            let (below, fault_below) = below.await?;
            report(*kind, records.names.len() + below);
            fault = fault.or(records.fault).or(fault_below);
        }
        fault.map_or(Ok(()), Err)
    }

    async fn index_list(&self, tenant: Tenant, list: RecordList<Value>) -> Result<Indexed> {
        let mut indexed = Indexed::default();
        let mut wanted = PageRequest::first(ROWS);
        loop {
            let page = self
                .0
                .table
                .page(list.clone().consistent(), &wanted);
            let page = self.0.whole_page(page.await?).await?;
            let records = page
                .rows
                .into_iter()
                .map(|row| row.record);
            let changes =
                records.filter_map(|stored| FeedChange::of_existing(stored, self.0.now()));
            let changes: Vec<FeedChange> = changes.collect();
            match self.index(tenant, &changes).await {
                Err(error) if !is_refusal(&error) => indexed.fault = Some(error),
                indexed => indexed?,
            }
            self.0
                .add_participants(&changes)
                .await?;
            let notifications = self.0.notifications();
            notifications
                .plan_reminders(tenant, &changes)
                .await?;
            let names = changes
                .iter()
                .map(|change| change.entry.of);
            indexed.names.extend(names);
            wanted.after = page.end;
            if wanted.after.is_none() {
                return Ok(indexed);
            }
        }
    }
}
