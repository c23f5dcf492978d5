//! The first consumer of the table's stream: appends the change feed, creates deliveries to
//! webhooks, begins cleanups, and sends the messages of mails.

use std::time::Duration;

use model::base::{Clock, Error, Id, OrganizationId};
use runtime::{FromStart, Start, config, queue::Queue};
use store::{
    base::Store,
    updates::{Published, UnlistedChange, WebhookEvent},
    upkeep::SweepMessage,
};
use stream::{Changes, Consumer, StreamEvent, StreamResponse};

/// The time limit of an organization, so that others hear of their changes within five seconds.
const LIMIT: Duration = Duration::from_secs(4);

/// Publishes changes of the table. Created once per cold start.
#[derive(Clone, Debug)]
pub struct Publisher {
    store: Store,
    queues: PublisherQueues,
    limit: Duration,
}

/// The queues of a publisher.
#[derive(Clone, Debug)]
pub struct PublisherQueues {
    pub webhooks: Queue,
    pub sweeps: Queue,
    pub mails: Queue,
    /// The dead-letter queue of changes.
    pub dead_letters: Queue,
}

impl Publisher {
    pub const fn new(store: Store, queues: PublisherQueues) -> Self {
        Self {
            store,
            queues,
            limit: LIMIT,
        }
    }

    /// Returns the publisher with another time limit of an organization, 4 seconds by default.
    #[must_use]
    pub fn within(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }

    pub async fn handle(&self, event: StreamEvent) -> StreamResponse {
        stream::handle(self, &self.queues.dead_letters, &event, self.store.now()).await
    }

    /// Creates the deliveries of changes to an organization's webhooks, and sends their messages.
    /// Returns the number of messages. Changes that were handled before create no further
    /// deliveries.
    async fn deliver(
        &self,
        organization: OrganizationId,
        published: &Published,
        unlisted: &[UnlistedChange],
    ) -> Result<usize, Error> {
        let entries = published.entries.iter();
        let events = entries.map(|(number, entry)| WebhookEvent::of_entry(*number, entry));
        let events = events.chain(
            unlisted
                .iter()
                .filter_map(WebhookEvent::of_unlisted),
        );
        let webhooks = self.store.webhooks();
        let messages = webhooks
            .deliver(organization, events.collect())
            .await?;
        self.queues
            .webhooks
            .try_send(&messages)
            .await;
        Ok(messages.len())
    }
}

impl Consumer for Publisher {
    const NAME: &'static str = "publisher";

    /// All organizations of a delivery, so that none waits for another.
    const CONCURRENCY: usize = 100;

    fn limit(&self) -> Duration {
        self.limit
    }

    fn store(&self) -> &Store {
        &self.store
    }

    async fn consume(&self, organization: OrganizationId, changes: Changes) -> Result<(), Error> {
        let count = changes.count();
        let Changes { listed, unlisted } = changes;
        let entries = listed
            .into_iter()
            .map(|change| change.entry)
            .collect();
        let published = self
            .store
            .feed()
            .publish(organization, entries)
            .await?;
        let now = self.store.now();
        let mut cleanups = Vec::new();
        let mut mails = Vec::new();
        for change in &unlisted {
            cleanups.extend(SweepMessage::of_unlisted(change, now));
            mails.extend(store::updates::mail_of_unlisted(change, now));
        }
        let sweeps = &self.queues.sweeps;
        let mail = &self.queues.mails;
        tokio::join!(sweeps.try_send(&cleanups), mail.try_send(&mails));
        let delivered = self
            .deliver(organization, &published, &unlisted)
            .await?;
        tracing::info!(
            organizationId = organization.get(),
            changes = count,
            published = published.new,
            delivered,
            writeIds = published.write_ids(),
        );
        Ok(())
    }
}

impl FromStart for Publisher {
    fn from_start(start: &Start) -> Result<Self, lambda_runtime::Error> {
        let store = Store::new(start.dynamodb.clone(), &start.table, Clock::system());
        let queues = PublisherQueues {
            webhooks: start.queue(config::WEBHOOKS)?,
            sweeps: start.queue(config::SWEEPS)?,
            mails: start.queue(config::MAILS)?,
            dead_letters: start.queue(config::DEAD_CHANGES)?,
        };
        Ok(Self::new(store, queues))
    }
}

runtime::background!(Publisher: StreamEvent => StreamResponse, Background);
