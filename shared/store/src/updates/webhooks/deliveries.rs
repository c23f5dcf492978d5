//! Deliveries: created by the publisher, listed and sent again by users, found by the sweeper.

use futures::{StreamExt, TryStreamExt, stream};
use model::{
    base::{Code, Error, Id, UserId, WebhookId},
    people::User,
    updates::{DeliveryMessage, Outgoing, Webhook, WebhookDelivery, WebhookDeliveryFilter},
};
use table::{
    Batch, OrLeave, OrNotFound, Stored, Write,
    page::{Page, PageRequest},
};

use crate::{
    Result, Tenant,
    base::{
        Pending, WriteContext,
        filter::Filter,
        record::{any_keys, record},
    },
    key::{self, Keyed},
};

use super::{WebhookEvent, Webhooks};

/// Deliveries that are created at the same time.
const CONCURRENCY: usize = 20;

record! {
    delivery: WebhookDelivery = "webhook_delivery",
    key: key::webhook_delivery(delivery.organization_id, delivery.webhook_id, &delivery.id),
    gsi4: Some(key::due(delivery.organization_id, delivery.sending.due_at?)),
    expires_at: Some(delivery.created_at.plus(Self::KEPT).epoch_seconds() + 1),
}

impl Webhooks<'_> {
    /// Creates the deliveries of events to the webhooks that want them. Returns their messages,
    /// also those of deliveries that were created before: an earlier message may be lost.
    pub async fn deliver(
        &self,
        tenant: Tenant,
        events: Vec<WebhookEvent>,
    ) -> Result<Vec<DeliveryMessage>> {
        if events.is_empty() {
            return Ok(Vec::new());
        }
        let webhook_list = key::webhooks(tenant).limit(Webhook::MOST);
        let webhooks: Vec<Webhook> = self.0.table.list(webhook_list).await?;
        let wanted = events.into_iter().flat_map(|event| {
            let name = event.change.event_type();
            let webhooks = webhooks
                .iter()
                .filter(move |webhook| webhook.wants(&name));
            webhooks.map(move |webhook| (webhook.id, event.clone()))
        });
        let wanted: Vec<_> = wanted.collect();
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let actors = wanted
            .iter()
            .filter_map(|(_, event)| event.actor);
        let actors = self.0.users(tenant, actors).await?;
        let now = self.0.now();
        let deliveries = wanted
            .into_iter()
            .map(|(webhook, event)| {
                WebhookDelivery::new(tenant, webhook, event.shown(&actors), now)
            });
        let deliveries: Vec<WebhookDelivery> = deliveries.collect();
        let created = stream::iter(deliveries).map(async |delivery| {
            // A refused write means that it was created before.
            let write = Write::create(&delivery)?;
            self.0
                .table
                .write(write)
                .await?
                .or_leave();
            Ok::<_, Error>(delivery.message(now))
        });
        let messages = created.buffer_unordered(CONCURRENCY);
        let messages = messages.try_filter_map(async |message| Ok(message));
        messages.try_collect().await
    }

    /// Returns a webhook's deliveries of seven days, the newest change first. 404 if it is another
    /// tenant's.
    pub async fn deliveries(
        &self,
        tenant: Tenant,
        webhook: WebhookId,
        caller: UserId,
        filter: &WebhookDeliveryFilter,
        wanted: &PageRequest,
    ) -> Result<Page<Stored<WebhookDelivery>>> {
        let fits = Filter::of(caller).any("status", filter.status.as_ref())?;
        let kept = self
            .0
            .now()
            .plus(-WebhookDelivery::KEPT);
        let newest_first = key::webhook_deliveries(tenant, webhook)
            .from(key::deliveries_since(kept))
            .descending()
            .filter(fits.condition());
        let webhook = self.0.get(tenant, webhook);
        let (_, page) = tokio::try_join!(webhook, self.0.table.page(newest_first, wanted))?;
        Ok(page)
    }

    /// Plans the first attempt of a delivery once more. Returns the message for it. 404 if the
    /// delivery or its webhook does not exist or is another tenant's, 409 if it is disabled. A
    /// replay has none.
    pub async fn redeliver(
        &self,
        pending: impl Pending,
        webhook: WebhookId,
        id: &str,
    ) -> Result<Option<DeliveryMessage>> {
        let (pending, tenant) = pending.with_tenant();
        let of_webhook = webhook.key(tenant);
        let of_delivery = key::webhook_delivery(tenant, webhook, id);
        let keys = any_keys![&of_webhook, &of_delivery];
        let read = || self.0.batch(keys.clone());
        let write = async |context: WriteContext, batch: Batch| {
            let webhook = batch
                .get(&of_webhook)?
                .or_not_found(WebhookId::NOUN)?;
            let (delivery, now) = (batch.get(&of_delivery)?, self.0.now());
            let delivery = delivery.filter(|delivery| !delivery.is_expired(now));
            let mut delivery = context.current(delivery, WebhookDelivery::NOUN)?;
            if !webhook.enabled {
                let detail = "The webhook is disabled. Enable it first.";
                return Err(Error::conflict(Code::WebhookDisabled, detail));
            }
            delivery.send_again(now);
            let (write, message) = (Write::replace(&delivery)?, delivery.message(now));
            self.0
                .commit(&context, write, message)
                .await
        };
        let sent = self
            .0
            .write(pending, read, write)
            .await?;
        sent.or_load(async |_| Ok(None)).await
    }

    /// Replaces the names of an erased user in the deliveries of the user's changes.
    pub(crate) async fn erase_actor(&self, user: &User) -> Result<()> {
        let tenant = user.organization_id;
        let webhooks: Vec<Webhook> = self
            .0
            .table
            .list(key::webhooks(tenant))
            .await?;
        for webhook in webhooks {
            let delivery_list = key::webhook_deliveries(tenant, webhook.id).limit(usize::MAX);
            let mut deliveries = self
                .0
                .table
                .list_stored(delivery_list.consistent())
                .await?;
            deliveries.retain(|delivery| {
                delivery
                    .change
                    .actor
                    .as_ref()
                    .is_some_and(|by| by.id == user.id)
            });
            for mut delivery in deliveries {
                delivery.change.actor = Some(user.into());
                // A refused write is of an attempt. It keeps the delivery for seven days at most.
                self.0
                    .replace_or_leave(&delivery)
                    .await?;
            }
        }
        Ok(())
    }
}
