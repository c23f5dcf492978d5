//! The second consumer of the table's stream: writes the search index, notifies users, and plans reminders.
//!
//! The indexer is apart from the publisher, so that neither the feed nor a delivery waits for words.

mod inbox;

use std::time::Duration;

use model::{Error, OrganizationId};
use runtime::{
    changes::{self, Changes, Consumer, StreamEvent, StreamResponse},
    queue::Queue,
};
use store::Store;

/// The time limit of an organization, shorter than the function may run. Records that are indexed by then are
/// only read the next time.
const LIMIT: Duration = Duration::from_secs(40);

/// Indexes changes of the table. Created once per cold start.
#[derive(Clone, Debug)]
pub struct Indexer {
    store: Store,
    /// The dead-letter queue of changes.
    dead_letters: Queue,
}

impl Indexer {
    /// Creates an indexer with the dead-letter queue of changes.
    #[must_use]
    pub const fn new(store: Store, dead_letters: Queue) -> Self {
        Self {
            store,
            dead_letters,
        }
    }

    /// Handles a delivery.
    pub async fn handle(&self, event: StreamEvent) -> StreamResponse {
        changes::handle(self, &self.dead_letters, &event, self.store.now()).await
    }
}

impl Consumer for Indexer {
    const NAME: &'static str = "indexer";

    const CONCURRENCY: usize = 10;

    fn limit(&self) -> Duration {
        LIMIT
    }

    async fn consume(&self, organization: OrganizationId, changes: Changes) -> Result<(), Error> {
        let count = changes.count();
        let Changes {
            mut listed,
            unlisted,
        } = changes;
        self.store.feed().complete(&mut listed).await?;
        let search = self.store.search();
        let (notified, indexed) = tokio::join!(
            Box::pin(inbox::notify(&self.store, organization, &listed, &unlisted)),
            Box::pin(search.index(organization, &listed)),
        );
        let notified = notified?;
        indexed?;
        tracing::info!(organizationId = %organization, changes = count, notified);
        Ok(())
    }
}
