//! Deliveries to webhooks that follow from changes.

use model::{DeliveryMessage, Error, OrganizationId};
use runtime::queue::Queue;
use store::{Published, Store, UnlistedChange, WebhookEvent};

/// Creates the deliveries of changes to an organization's webhooks, and sends their messages. Returns the
/// number of messages. Changes that were handled before create no further deliveries.
pub(crate) async fn deliver(
    store: &Store,
    queue: &Queue,
    organization: OrganizationId,
    published: &Published,
    unlisted: &[UnlistedChange],
) -> Result<usize, Error> {
    let entries = published.entries.iter();
    let events = entries.map(|(number, entry)| WebhookEvent::of_entry(*number, entry));
    let events = events.chain(unlisted.iter().filter_map(WebhookEvent::of_unlisted));
    let webhooks = store.webhooks();
    let messages: Vec<DeliveryMessage> = webhooks.deliver(organization, events.collect()).await?;
    queue.try_send(&messages).await;
    Ok(messages.len())
}
