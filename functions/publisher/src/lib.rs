//! The consumer of the table's stream: appends the change feed, writes the search index, notifies users,
//! creates deliveries to webhooks, and begins cleanups.
//!
//! The stream delivers each change of an item at least once, and the changes of one item in order. A
//! delivery that was handled already changes nothing. If an organization's changes cannot be handled, the
//! stream delivers them again, with all records after the first of them.
//!
//! A record that does not read is logged and left out: no later delivery would read it.

mod inbox;
mod search;
mod webhooks;

use std::{
    collections::{BTreeMap, BTreeSet},
    panic::AssertUnwindSafe,
};

use futures::{FutureExt, StreamExt, stream};
use model::{Error, OrganizationId};
use runtime::{queue::Queue, telemetry};
use serde::{Deserialize, Serialize};
use store::{Change, Store, StreamRecord, SweepMessage, UnlistedChange};

/// Organizations whose changes are handled at the same time.
const CONCURRENCY: usize = 10;

/// Handles changes of the table. Created once per cold start.
#[derive(Clone, Debug)]
pub struct Publisher {
    store: Store,
    /// The queue of webhook deliveries.
    queue: Queue,
    /// The queue of the sweeper.
    sweep_queue: Queue,
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
    /// The changes that the feed does not have.
    unlisted: Vec<UnlistedChange>,
}

/// The numbers of an organization's new entries, of its new notifications, and of its messages to webhooks.
struct Handled {
    published: usize,
    told: usize,
    delivered: usize,
}

impl Publisher {
    /// Creates a publisher with the queues of webhook deliveries and of the sweeper.
    #[must_use]
    pub fn new(store: Store, queue: Queue, sweep_queue: Queue) -> Self {
        Self {
            store,
            queue,
            sweep_queue,
        }
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

    /// Handles the changes of an organization. Returns the first record if that failed.
    async fn publish(
        &self,
        organization: OrganizationId,
        mut delivered: Delivered,
    ) -> Option<BatchItemFailure> {
        let count = delivered.changes.len() + delivered.unlisted.len();
        let handling = Box::pin(self.handle_all(organization, &mut delivered));
        let cause = match AssertUnwindSafe(handling).catch_unwind().await {
            Ok(Ok(Handled {
                published,
                told,
                delivered,
            })) => {
                tracing::info!(organizationId = %organization, changes = count, published, told, delivered);
                return None;
            }
            Ok(Err(error)) => Error::chain(&error),
            Err(_) => "a panic".to_owned(),
        };
        tracing::error!(organizationId = %organization, changes = count, cause, "cannot publish changes");
        Some(BatchItemFailure {
            item_identifier: delivered.position,
        })
    }

    /// Passes changes to each consumer. Each gets all of them in each delivery, and skips those that it
    /// handled before.
    async fn handle_all(
        &self,
        organization: OrganizationId,
        Delivered {
            changes, unlisted, ..
        }: &mut Delivered,
    ) -> Result<Handled, Error> {
        let feed = self.store.feed();
        feed.complete(changes).await?;
        let entries = changes.iter().map(|change| change.entry.clone());
        let published = feed.publish(organization, entries.collect()).await?;
        let (store, queue) = (&self.store, &self.queue);
        let now = store.now();
        let cleanups = unlisted.iter();
        let cleanups = cleanups.filter_map(|change| SweepMessage::of_unlisted(change, now));
        self.sweep_queue
            .try_send(&cleanups.collect::<Vec<_>>())
            .await;
        let ((), told, delivered) = tokio::try_join!(
            search::index(store, organization, changes),
            Box::pin(inbox::tell(store, organization, changes, unlisted)),
            webhooks::deliver(store, queue, organization, &published, unlisted),
        )?;
        Ok(Handled {
            told,
            delivered,
            published: published.new,
        })
    }
}

/// The changes of a delivery by organization, in the order of the stream.
fn delivered(
    records: Vec<StreamRecord>,
    unreadable: &mut BTreeSet<String>,
) -> BTreeMap<OrganizationId, Delivered> {
    let mut all = BTreeMap::new();
    for record in records {
        let change = match record.change() {
            Ok(change) => change,
            Err(error) => {
                unreadable.insert(error.key().to_owned());
                continue;
            }
        };
        let unlisted = match change {
            Some(_) => None,
            None => record.unlisted(),
        };
        let of_change = change.as_ref().map(|change| change.organization_id);
        let of_item = unlisted.as_ref().map(|change| change.organization_id);
        let Some(organization) = of_change.or(of_item) else {
            continue;
        };
        let delivered = all.entry(organization).or_insert_with(|| Delivered {
            position: record.sequence_number().to_owned(),
            changes: Vec::new(),
            unlisted: Vec::new(),
        });
        delivered.changes.extend(change);
        delivered.unlisted.extend(unlisted);
    }
    all
}
