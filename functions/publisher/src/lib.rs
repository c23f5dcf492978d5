//! The consumer of the table's stream: appends the change feed, and writes the search index.
//!
//! The stream delivers each change of an item at least once, and the changes of one item in order. A
//! delivery that was published already changes nothing. If an organization's changes cannot be
//! published, the stream delivers them again, with all records after the first of them.
//!
//! A record that does not read is logged and left out: no later delivery would read it.

mod search;

use std::{
    collections::{BTreeMap, BTreeSet},
    panic::AssertUnwindSafe,
};

use futures::{FutureExt, StreamExt, stream};
use model::{Error, OrganizationId};
use runtime::telemetry;
use serde::{Deserialize, Serialize};
use store::{Change, Store, StreamRecord};

/// Organizations whose changes are published at the same time.
const CONCURRENCY: usize = 10;

/// Publishes changes. Created once per cold start.
#[derive(Clone, Debug)]
pub struct Publisher {
    store: Store,
}

/// A delivery of the table's stream.
#[derive(Clone, Debug, Deserialize)]
pub struct StreamEvent {
    /// The records, in the order of the stream.
    #[serde(rename = "Records")]
    pub records: Vec<StreamRecord>,
}

/// The answer to a delivery. The stream delivers the earliest failed record again, and all after it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StreamResponse {
    /// The failed records.
    pub batch_item_failures: Vec<BatchItemFailure>,
}

/// A failed record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BatchItemFailure {
    /// Its position in the stream.
    pub item_identifier: String,
}

/// The changes of an organization in a delivery.
struct Delivered {
    /// The position of the first one.
    position: String,
    changes: Vec<Change>,
}

impl Publisher {
    /// Creates a publisher.
    #[must_use]
    pub fn new(store: Store) -> Self {
        Self { store }
    }

    /// Handles a delivery. A failure of one organization does not affect the others.
    pub async fn handle(&self, event: StreamEvent) -> StreamResponse {
        let mut unreadable = BTreeSet::new();
        let delivered = delivered(event.records, &mut unreadable);
        telemetry::unreadable(&unreadable, None, self.store.now());
        let failures = stream::iter(delivered)
            .map(|(organization, delivered)| self.publish(organization, delivered))
            .buffer_unordered(CONCURRENCY)
            .filter_map(async |failure| failure);
        StreamResponse {
            batch_item_failures: failures.collect().await,
        }
    }

    /// Publishes the changes of an organization. Returns the first record if that failed.
    async fn publish(
        &self,
        organization: OrganizationId,
        Delivered { position, changes }: Delivered,
    ) -> Option<BatchItemFailure> {
        let count = changes.len();
        let publishing = Box::pin(self.consume(organization, &changes));
        let cause = match AssertUnwindSafe(publishing).catch_unwind().await {
            Ok(Ok(published)) => {
                tracing::info!(organizationId = %organization, entries = count, published);
                return None;
            }
            Ok(Err(error)) => Error::chain(&error),
            Err(_) => "a panic".to_owned(),
        };
        tracing::error!(organizationId = %organization, entries = count, cause, "cannot publish changes");
        Some(BatchItemFailure {
            item_identifier: position,
        })
    }

    /// Passes changes to each consumer. Each gets all of them in each delivery, and skips those that it
    /// handled before. Returns the number of new entries of the feed.
    async fn consume(
        &self,
        organization: OrganizationId,
        changes: &[Change],
    ) -> Result<usize, Error> {
        let entries = changes.iter().map(|change| change.entry.clone());
        let feed = self.store.feed();
        let published = Box::pin(feed.publish(organization, entries.collect())).await?;
        search::index(&self.store, organization, changes).await?;
        Ok(published)
    }
}

/// The changes of a delivery by organization, in the order of the stream.
fn delivered(
    records: Vec<StreamRecord>,
    unreadable: &mut BTreeSet<String>,
) -> BTreeMap<OrganizationId, Delivered> {
    let mut all = BTreeMap::new();
    for record in records {
        match record.change() {
            Ok(Some(change)) => {
                let organization = change.organization_id;
                let delivered = all.entry(organization).or_insert_with(|| Delivered {
                    position: record.sequence_number().to_owned(),
                    changes: Vec::new(),
                });
                delivered.changes.push(change);
            }
            Ok(None) => {}
            Err(error) => {
                unreadable.insert(error.key().to_owned());
            }
        }
    }
    all
}
