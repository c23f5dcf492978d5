use model::{
    OrganizationId, RecordType, Timestamp, Webhook, WebhookDelivery, WebhookHealth, WebhookId,
};
use table::{AnyKey, Key, List, Sort};

use super::format::{below, partition, record};

pub(crate) fn webhook(tenant: OrganizationId, id: WebhookId) -> Key<Webhook> {
    record(tenant, id)
}

/// The organization's webhooks by id.
pub(crate) fn webhooks(tenant: OrganizationId) -> List<Webhook> {
    List::new(partition(tenant, RecordType::Webhook))
}

/// The ids of the organization's webhooks, by which they are limited.
pub(crate) fn webhook_ids(tenant: OrganizationId) -> AnyKey {
    AnyKey::new(format!("ORG#{tenant}"), "WEBHOOKS")
}

pub(crate) fn webhook_health(tenant: OrganizationId, id: WebhookId) -> Key<WebhookHealth> {
    let webhooks = partition(tenant, RecordType::Webhook);
    Key::new(format!("{webhooks}#{id}"), "HEALTH")
}

/// A webhook's deliveries by the instants of their changes.
pub(crate) fn webhook_deliveries(
    tenant: OrganizationId,
    webhook: WebhookId,
) -> List<WebhookDelivery> {
    List::new(below(tenant, RecordType::Webhook, webhook, "DELIVERY"))
}

/// A delivery's key in [`webhook_deliveries`].
pub(crate) fn webhook_delivery(
    tenant: OrganizationId,
    webhook: WebhookId,
    id: &str,
) -> Key<WebhookDelivery> {
    webhook_deliveries(tenant, webhook).at(Sort::new(id))
}

/// The sort key before all deliveries of changes since an instant.
pub(crate) fn deliveries_since(at: Timestamp) -> Sort {
    Sort::new(WebhookDelivery::id_beginning(at))
}
