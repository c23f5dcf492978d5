use model::{
    base::{RecordType, Timestamp, WebhookId},
    updates::{Webhook, WebhookDelivery, WebhookHealth},
};
use table::{AnyKey, Key, RecordList, SortKey};

use crate::Tenant;

use super::format::{below, keys, partition};

keys! {
    /// The organization's webhooks by id.
    pub(crate) fn webhooks(tenant: Tenant) -> RecordList<Webhook>
        = partition(tenant, RecordType::Webhook);
    /// The ids of the organization's webhooks, by which they are limited.
    pub(crate) fn webhook_ids(tenant: Tenant) -> AnyKey = format!("ORG#{tenant}"), "WEBHOOKS";
    /// A webhook's deliveries by the instants of their changes.
    pub(crate) fn webhook_deliveries(tenant: Tenant, webhook: WebhookId) -> RecordList<WebhookDelivery>
        = below(tenant, RecordType::Webhook, webhook, "DELIVERY");
    /// A delivery's key in [`webhook_deliveries`].
    pub(crate) fn webhook_delivery(tenant: Tenant, of: WebhookId, id: &str) -> Key<WebhookDelivery>
        = webhook_deliveries(tenant, of) => SortKey::new(id);
    /// The sort key before all deliveries of changes since an instant.
    pub(crate) fn deliveries_since(at: Timestamp) -> SortKey = WebhookDelivery::id_beginning(at);
}

pub(crate) fn webhook_health(tenant: Tenant, id: WebhookId) -> Key<WebhookHealth> {
    let webhooks = partition(tenant, RecordType::Webhook);
    Key::new(format!("{webhooks}#{id}"), "HEALTH")
}
