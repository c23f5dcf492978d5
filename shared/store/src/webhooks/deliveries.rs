//! Deliveries: created by the publisher, listed and sent again by users, found by the sweeper.

use futures::{StreamExt, TryStreamExt, stream};
use model::{
    Code, DeliveryMessage, Error, Id, OrganizationId, Timestamp, UserId, Webhook, WebhookDelivery,
    WebhookDeliveryFilter, WebhookId,
};

use super::{WebhookEvent, Webhooks};
use crate::{
    PendingWrite, WriteContext,
    due::{self, Shard},
    filter::Filter,
    key::{self, AnyKey},
    page::{Page, Wanted},
    record::record,
    table::{OrLeave, OrNotFound, Read, Readable, Stored, Write},
};

/// Deliveries that are created at the same time.
const CONCURRENCY: usize = 20;

record! {
    delivery: WebhookDelivery = "webhook_delivery",
    key: key::webhook_delivery(delivery.organization_id, delivery.webhook_id, &delivery.id),
    gsi4: Some(key::due(delivery.organization_id, delivery.due_at?)),
    expires_at: Some(delivery.created_at.plus(Self::KEPT).epoch_seconds() + 1),
}

impl Webhooks<'_> {
    /// Creates the deliveries of events to the webhooks that want them. Returns their messages, also those of
    /// deliveries that were created before: an earlier message may be lost.
    pub async fn deliver(
        &self,
        tenant: OrganizationId,
        events: Vec<WebhookEvent>,
    ) -> Result<Vec<DeliveryMessage>, Error> {
        if events.is_empty() {
            return Ok(Vec::new());
        }
        let webhooks = key::webhooks(tenant).limit(Webhook::MOST);
        let webhooks: Vec<Webhook> = self.0.table.list(webhooks).await?;
        let is_wanted = |event: &WebhookEvent| {
            let event = event.change.event_type();
            webhooks.iter().any(|webhook| webhook.wants(&event))
        };
        let wanted: Vec<_> = events.into_iter().filter(is_wanted).collect();
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let actors = wanted.iter().filter_map(|event| event.actor);
        let actors = self.0.users(tenant, actors).await?;
        let now = self.0.clock.now();
        let mut deliveries = Vec::new();
        for event in wanted {
            let change = event.shown(&actors);
            let of_event = change.event_type();
            for webhook in webhooks.iter().filter(|one| one.wants(&of_event)) {
                let (id, change) = (webhook.id, change.clone());
                deliveries.push(WebhookDelivery::new(tenant, id, change, now));
            }
        }
        let created = stream::iter(deliveries).map(async |delivery| {
            // A refused write means that it was created before.
            let write = Write::create(&delivery)?;
            self.0.table.write(write).await?.or_leave();
            Ok::<_, Error>(delivery.message(now))
        });
        let messages = created.buffer_unordered(CONCURRENCY);
        messages
            .try_filter_map(async |message| Ok(message))
            .try_collect()
            .await
    }

    /// Returns a webhook's deliveries of the last seven days, the newest change first. 404 if the webhook is
    /// another tenant's.
    pub async fn deliveries(
        &self,
        tenant: OrganizationId,
        webhook: WebhookId,
        caller: UserId,
        filter: &WebhookDeliveryFilter,
        wanted: &Wanted,
    ) -> Result<Page<Stored<WebhookDelivery>>, Error> {
        let fits = Filter::of(caller).any("status", filter.status.as_ref())?;
        let kept = self.0.clock.now().plus(-WebhookDelivery::KEPT);
        let newest_first = key::webhook_deliveries(tenant, webhook)
            .from(key::deliveries_since(kept))
            .descending()
            .filter(fits.condition());
        let key = key::webhook(tenant, webhook);
        let webhook = self.0.one(&key, WebhookId::NOUN);
        let (_, page) = tokio::try_join!(webhook, self.0.table.page(newest_first, wanted))?;
        Ok(page)
    }

    /// Plans the first attempt of a delivery once more. Returns the message for it. 404 if the delivery or
    /// its webhook does not exist or is another tenant's, 409 if the webhook is disabled. A replay returns
    /// no message.
    pub async fn redeliver(
        &self,
        pending: impl Into<PendingWrite>,
        webhook: WebhookId,
        id: &str,
    ) -> Result<Option<DeliveryMessage>, Error> {
        let pending = pending.into();
        let tenant = pending.tenant();
        let of_webhook = key::webhook(tenant, webhook);
        let of_delivery = key::webhook_delivery(tenant, webhook, id);
        let read = || async {
            let keys = [AnyKey::from(&of_webhook), (&of_delivery).into()];
            self.0.table.batch_get(keys, Read::Consistent).await
        };
        let write = async |context: WriteContext, found: table::Batch| {
            let webhook: Stored<Webhook> = found.get(&of_webhook)?.or_not_found(WebhookId::NOUN)?;
            let delivery: Option<Stored<WebhookDelivery>> = found.get(&of_delivery)?;
            let now = self.0.clock.now();
            let delivery = delivery.filter(|delivery| !delivery.is_expired(now));
            let mut delivery = context.current(delivery, WebhookDelivery::NOUN)?;
            if !webhook.enabled {
                return Err(is_disabled());
            }
            delivery.send_again(now);
            let (write, message) = (Write::replace(&delivery)?, delivery.message(now));
            self.0.commit(&context, write, message).await
        };
        let sent = self.0.write(pending, read, write).await?;
        sent.or_load(async |_| Ok(None)).await
    }

    /// Returns deliveries of a shard that are due without a message.
    pub async fn due(
        &self,
        shard: Shard,
        now: Timestamp,
        wanted: &Wanted,
    ) -> Result<Page<Stored<WebhookDelivery>>, Error> {
        let due = due::page::<WebhookDelivery, _>(&self.0.table, shard, now, wanted);
        Ok(due.await?.filter_map(Readable::yes))
    }

    pub async fn resent(&self, due: &Stored<WebhookDelivery>) -> Result<(), Error> {
        let mut delivery = due.clone();
        delivery.resent(self.0.clock.now());
        // A refused write means that an attempt began meanwhile.
        let write = Write::replace(&delivery)?;
        self.0.table.write(write).await?.or_leave();
        Ok(())
    }
}

fn is_disabled() -> Error {
    let detail = "The webhook is disabled. Enable it first.";
    Error::conflict(Code::WebhookDisabled, detail)
}
