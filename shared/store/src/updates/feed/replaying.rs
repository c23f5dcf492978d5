//! Changes that no consumer of the stream handled, made up for by the operator.

use model::{base::Error, updates::FeedAction};

use crate::{
    Result, Tenant, key,
    updates::{Feed, StreamItem, StreamRecord, WebhookEvent},
};

impl Feed<'_> {
    /// Publishes, indexes and delivers an item as it is now, by its key with a space between both
    /// parts. The sweeper sends its deliveries. Returns false for an item that is gone, and for a
    /// kind beyond feed and index.
    pub async fn replay(&self, tenant: Tenant, item: &str) -> Result<bool> {
        let Some(key) = key::spelled(tenant, item) else {
            return Ok(false);
        };
        let item = self.0.table.raw_item(&key).await?;
        let record = item.and_then(|item| StreamRecord::of_item(&item, self.0.now()));
        let damaged = |error| Error::internal("replaying a change", error);
        let item = record.map(|record| record.item().map_err(damaged));
        let Some(StreamItem::Listed(mut change)) = item.transpose()?.flatten() else {
            return Ok(false);
        };
        if change
            .entry
            .version
            .is_some_and(|version| version > 1)
        {
            change.entry.action = FeedAction::Updated;
        }
        let published = self
            .publish(tenant, vec![change.entry.clone()])
            .await?;
        let events = published.entries.iter();
        let events = events.map(|(number, entry)| WebhookEvent::of_entry(*number, entry));
        self.0
            .webhooks()
            .deliver(tenant, events.collect())
            .await?;
        let mut changes = [*change];
        self.complete(&mut changes).await?;
        self.0
            .search()
            .index(tenant, &changes)
            .await?;
        self.0
            .add_participants(&changes)
            .await?;
        let notifications = self.0.notifications();
        notifications
            .plan_reminders(tenant, &changes)
            .await?;
        Ok(true)
    }
}
