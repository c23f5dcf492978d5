//! The outbox: mails and deliveries that are due without a message.

use model::{base::Timestamp, updates::Outgoing};
use table::{
    Readable, Record, Stored,
    page::{Page, PageRequest},
};

use crate::{
    Result,
    base::{Store, records::Workdesk},
    upkeep::{Shard, due},
};

/// A record of the outbox, in the table.
pub trait OutboxRecord: Outgoing + Record<Workdesk> + Clone {}

impl<R: Outgoing + Record<Workdesk> + Clone> OutboxRecord for R {}

impl Store {
    /// Returns mails or deliveries of a shard that are due without a message.
    pub async fn due_to_send<R: OutboxRecord>(
        &self,
        shard: Shard,
        now: Timestamp,
        wanted: &PageRequest,
    ) -> Result<Page<Stored<R>>> {
        let due = due::page::<R, _>(&self.table, shard, now, wanted);
        Ok(due.await?.filter_map(Readable::yes))
    }

    /// Notes that the sweeper sent a message for a mail or a delivery.
    pub async fn resent<R: OutboxRecord>(&self, due: &Stored<R>) -> Result<()> {
        let mut record = due.clone();
        record.attempts().resent(self.now());
        // A refused write means that an attempt began meanwhile.
        self.replace_or_leave(&record).await
    }
}
