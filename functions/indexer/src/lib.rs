//! The second consumer of the table's stream: writes the search index, notifies users, and plans
//! reminders.
//!
//! The indexer is apart from the publisher, so that neither the feed nor a delivery waits for
//! words.

use std::time::Duration;

use model::base::{Clock, Error, Id, OrganizationId};
use runtime::{FromStart, Start, config, queue::Queue};
use store::{
    base::Store,
    updates::{FeedChange, Notice, UnlistedChange},
};
use stream::{Changes, Consumer, StreamEvent, StreamResponse};

/// The time limit of an organization, shorter than the function may run. Records that are indexed
/// by then are only read the next time.
const LIMIT: Duration = Duration::from_secs(40);

/// Indexes changes of the table. Created once per cold start.
#[derive(Clone, Debug)]
pub struct Indexer {
    store: Store,
    dead_letters: Queue,
}

impl Indexer {
    pub const fn new(store: Store, dead_letters: Queue) -> Self {
        Self {
            store,
            dead_letters,
        }
    }

    pub async fn handle(&self, event: StreamEvent) -> StreamResponse {
        stream::handle(self, &self.dead_letters, &event, self.store.now()).await
    }

    /// Notifies users of an organization of changes, and plans reminders. Returns the number of new
    /// notifications. Changes that were handled before have no effect.
    async fn notify(
        &self,
        organization: OrganizationId,
        changes: &[FeedChange],
        unlisted: &[UnlistedChange],
    ) -> Result<usize, Error> {
        let notifications = self.store.notifications();
        let notices = changes.iter().flat_map(Notice::of);
        let notices = notices.chain(
            unlisted
                .iter()
                .flat_map(Notice::of_unlisted),
        );
        let (notified, ()) = tokio::try_join!(
            notifications.notify_once(organization, notices.collect()),
            notifications.plan_reminders(organization, changes),
        )?;
        Ok(notified)
    }
}

impl Consumer for Indexer {
    const NAME: &'static str = "indexer";

    const CONCURRENCY: usize = 10;

    fn limit(&self) -> Duration {
        LIMIT
    }

    fn store(&self) -> &Store {
        &self.store
    }

    async fn consume(&self, organization: OrganizationId, changes: Changes) -> Result<(), Error> {
        let count = changes.count();
        let mut listed = changes.listed;
        let unlisted = changes.unlisted;
        self.store
            .feed()
            .complete(&mut listed)
            .await?;
        let search = self.store.search();
        let (notified, indexed) = tokio::join!(
            Box::pin(self.notify(organization, &listed, &unlisted)),
            Box::pin(search.index(organization, &listed)),
        );
        let (notified, ()) = (notified?, indexed?);
        tracing::info!(
            organizationId = organization.get(),
            changes = count,
            notified
        );
        Ok(())
    }
}

impl FromStart for Indexer {
    fn from_start(start: &Start) -> Result<Self, lambda_runtime::Error> {
        let store = Store::new(start.dynamodb.clone(), &start.table, Clock::system());
        let store = store.sending_mail(config::sends_mail(&start.environment));
        Ok(Self::new(store, start.queue(config::DEAD_CHANGES)?))
    }
}

runtime::background!(Indexer: StreamEvent => StreamResponse, Background);
