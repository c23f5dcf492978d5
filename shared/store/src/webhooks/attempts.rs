//! Attempts of deliveries: begun by a conditional write, so that one runs at a time, and ended by another.

use model::{
    DeliveryMessage, DisabledReason, Error, FailedAttempt, OrganizationId, Webhook,
    WebhookDelivery, WebhookHealth, WebhookId, random,
};

use super::{FAILING_SINCE, LAST_SUCCESS_AT, Webhooks};
use crate::{
    key::{self, AnyKey},
    retry::retry_or_none,
    table::{Batch, Change, Condition, OrLeave, Read, Stored, Write},
};

/// The status by which a receiver ends its webhook.
const GONE: u16 = 410;

/// An attempt that has begun.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// The webhook as it was then.
    pub webhook: Webhook,
    /// The delivery.
    pub delivery: Stored<WebhookDelivery>,
    health: WebhookHealth,
}

impl Webhooks<'_> {
    /// Begins an attempt of a delivery. `None` if there is none to make: it ended, another attempt is running,
    /// it is not due yet, or its webhook is disabled or gone.
    pub async fn begin(
        &self,
        tenant: OrganizationId,
        webhook: WebhookId,
        delivery: &str,
    ) -> Result<Option<Attempt>, Error> {
        let of_webhook = key::webhook(tenant, webhook);
        let of_health = key::webhook_health(tenant, webhook);
        let of_delivery = key::webhook_delivery(tenant, webhook, delivery);
        let read = || async {
            let keys = [
                AnyKey::from(&of_webhook),
                (&of_health).into(),
                (&of_delivery).into(),
            ];
            self.0.table.batch_get(keys, Read::Consistent).await
        };
        let write = async |found: Batch| {
            let delivery: Option<Stored<WebhookDelivery>> = found.get(&of_delivery)?;
            let webhook: Option<Stored<Webhook>> = found.get(&of_webhook)?;
            let health: Option<Stored<WebhookHealth>> = found.get(&of_health)?;
            let now = self.0.clock.now();
            let may_begin = |delivery: &Stored<WebhookDelivery>| delivery.may_begin(now);
            let Some(mut delivery) = delivery.filter(may_begin) else {
                return Ok(Some(None));
            };
            let webhook = webhook.filter(|webhook| webhook.enabled);
            let begun = match webhook {
                Some(webhook) if !delivery.is_expired(now) => {
                    delivery.begin(now);
                    let health = health.map(|health| health.record);
                    let health = health.unwrap_or_else(|| WebhookHealth::of(&webhook));
                    Some((webhook.record, health))
                }
                _ => {
                    delivery.give_up("The webhook is disabled, or was deleted.");
                    None
                }
            };
            let write = Write::replace(&delivery)?;
            if self.0.table.write(write).await?.is_err() {
                return Ok(None);
            }
            Ok(Some(begun.map(|(webhook, health)| Attempt {
                webhook,
                delivery: delivery.replaced(),
                health,
            })))
        };
        let begun = retry_or_none(read().await?, read, write).await?;
        // Another attempt kept winning.
        Ok(begun.flatten())
    }

    /// Ends an attempt with the status of a success, or with its failure. Returns the message for the next
    /// attempt. Disables the webhook after an answer 410, and after five days of failures alone.
    pub async fn end(
        &self,
        attempt: Attempt,
        outcome: Result<u16, FailedAttempt>,
    ) -> Result<Option<DeliveryMessage>, Error> {
        let Attempt {
            webhook,
            mut delivery,
            health,
        } = attempt;
        let now = self.0.clock.now();
        let (tenant, id) = (webhook.organization_id, webhook.id);
        match &outcome {
            Ok(status) => delivery.succeed(*status),
            Err(failed) => {
                let jitter = i64::try_from(random::below(1_001)).unwrap_or_default();
                delivery.fail(failed, jitter, now);
                let reason = match failed.status {
                    Some(GONE) => Some(DisabledReason::Gone),
                    _ => health
                        .has_failed_long(now)
                        .then_some(DisabledReason::Failing),
                };
                if let Some(reason) = reason {
                    delivery.give_up(&failed.problem);
                    self.disable(tenant, id, reason).await?;
                }
            }
        }
        // A refused write means that the lease ended, and another attempt began.
        let write = Write::replace(&delivery)?;
        self.0.table.write(write).await?.or_leave();
        self.note(&health, outcome.is_ok()).await?;
        Ok(delivery.message(now))
    }

    /// Notes a success or a failure in the results of a webhook, unless they show it already.
    async fn note(&self, health: &WebhookHealth, success: bool) -> Result<(), Error> {
        let now = self.0.clock.now();
        let (change, condition) = if success {
            if !health.lacks_success(now) {
                return Ok(());
            }
            let change = Change::default().set(LAST_SUCCESS_AT, now);
            (change.remove(FAILING_SINCE), Condition::exists())
        } else {
            if health.failing_since.is_some() {
                return Ok(());
            }
            let change = Change::default().set(FAILING_SINCE, now);
            (change, Condition::exists().lacks(FAILING_SINCE))
        };
        let key = key::webhook_health(health.organization_id, health.webhook_id);
        let write = Write::update(key, change, condition);
        // A refused write means that the webhook is gone, or that another failure was noted.
        self.0.table.write(write).await?.or_leave();
        Ok(())
    }
}
