//! Attempts of deliveries: begun by a conditional write, so that one runs at a time, and ended by
//! another.

use model::{
    base::{Timestamp, WebhookId, random},
    people::WebUrl,
    updates::{
        DeliveryMessage, DisabledReason, FailedAttempt, Outgoing, Webhook, WebhookDelivery,
        WebhookHealth,
    },
};
use table::{Batch, Condition, OrLeave, Stored, UpdateExpression, Write};

use crate::{
    Result, Tenant,
    base::{record::any_keys, retry::try_retry},
    key::{self, Keyed},
};

use super::{
    FAILING_SINCE, LAST_FAILURE_AT, LAST_SUCCESS_AT, NEXT_SLOT_AT, WebhookWithHealth, Webhooks,
};

/// The status by which a receiver ends its webhook.
const GONE: u16 = 410;

#[derive(Clone, Debug)]
pub struct Attempt {
    /// The webhook as it was then.
    pub webhook: Webhook,
    pub delivery: Stored<WebhookDelivery>,
    /// The address of the organization's desk; none for the deployment's own.
    pub web_url: Option<WebUrl>,
    health: WebhookHealth,
    began: Timestamp,
}

#[derive(Clone, Debug)]
pub enum Begun {
    /// An attempt that may be sent.
    Attempt(Box<Attempt>),
    /// There is none to make: the delivery ended, another attempt is running, it is not due yet, or
    /// its webhook is disabled or gone. Or the receiver is slow, and another message has its slot:
    /// then with the message for a later attempt.
    Later(Option<DeliveryMessage>),
}

impl Webhooks<'_> {
    pub async fn begin(&self, tenant: Tenant, webhook: WebhookId, delivery: &str) -> Result<Begun> {
        let of_organization = key::organization(tenant);
        let of_webhook = webhook.key(tenant);
        let of_health = key::webhook_health(tenant, webhook);
        let of_delivery = key::webhook_delivery(tenant, webhook, delivery);
        let keys = any_keys![&of_organization, &of_webhook, &of_health, &of_delivery];
        let read = || self.0.batch(keys.clone());
        let write = async |batch: Batch| {
            let (delivery, webhook) = (batch.get(&of_delivery)?, batch.get(&of_webhook)?);
            let (health, now) = (batch.get(&of_health)?, self.0.now());
            let may_begin = |delivery: &Stored<WebhookDelivery>| delivery.sending.may_begin(now);
            let Some(mut delivery) = delivery.filter(may_begin) else {
                return Ok(Some(Begun::Later(None)));
            };
            let organization = batch.named(&of_organization);
            let organization = organization.map(|organization| organization.record);
            let is_suspended = organization
                .as_ref()
                .is_some_and(|organization| organization.suspended.is_some());
            let begun = match webhook.filter(|webhook| webhook.enabled) {
                _ if is_suspended => {
                    delivery.hold(now);
                    None
                }
                Some(_) if delivery.is_expired(now) => {
                    delivery.give_up("It was not delivered within 7 days.");
                    None
                }
                Some(webhook) => {
                    let WebhookWithHealth { webhook, health } =
                        WebhookWithHealth::new(webhook, health);
                    let has_slot = self.has_slot(&health, now).await?;
                    if has_slot {
                        delivery
                            .sending
                            .begin(WebhookDelivery::LEASE, now);
                    } else {
                        delivery.wait(jitter(), now);
                    }
                    has_slot.then_some((webhook.record, health))
                }
                None => {
                    delivery.give_up("The webhook is disabled, or was deleted.");
                    None
                }
            };
            let write = Write::replace(&delivery)?;
            if self
                .0
                .table
                .write(write)
                .await?
                .is_err()
            {
                return Ok(None);
            }
            let Some((webhook, health)) = begun else {
                return Ok(Some(Begun::Later(delivery.message(now))));
            };
            Ok(Some(Begun::Attempt(Box::new(Attempt {
                webhook,
                delivery: delivery.replaced(),
                web_url: organization.and_then(|organization| organization.web_url),
                health,
                began: self.0.now(),
            }))))
        };
        let begun = try_retry(read().await?, read, write).await?;
        // Without one, another attempt kept winning.
        Ok(begun.unwrap_or(Begun::Later(None)))
    }

    /// Takes the slot of a slow receiver. Returns whether a message may be sent.
    async fn has_slot(&self, health: &WebhookHealth, now: Timestamp) -> Result<bool> {
        let Some(slot) = health.next_slot_at else {
            return Ok(true);
        };
        if now < slot {
            return Ok(false);
        }
        let change = UpdateExpression::default().set(NEXT_SLOT_AT, WebhookHealth::slot_after(now));
        let is_free = Condition::exists().equals(NEXT_SLOT_AT, slot);
        let key = key::webhook_health(health.organization_id, health.webhook_id);
        let taken = self
            .0
            .table
            .write(Write::update(key, change, is_free));
        Ok(taken.await?.is_ok())
    }

    /// Ends an attempt with the status of a success, or with its failure. Returns the message for
    /// the next attempt. A slow answer, or none, lets the webhook's next messages take turns.
    /// Disables the webhook after an answer 410, and after five days of failures alone.
    pub async fn end(
        &self,
        attempt: Attempt,
        outcome: Result<u16, FailedAttempt>,
    ) -> Result<Option<DeliveryMessage>> {
        let Attempt {
            webhook, health, ..
        } = attempt;
        let mut delivery = attempt.delivery;
        let now = self.0.now();
        let tenant = webhook.organization_id;
        let id = webhook.id;
        match &outcome {
            Ok(status) => delivery.succeed(*status),
            Err(failed) => {
                delivery.fail(failed, jitter(), now);
                let is_failing = health.has_failed_long(now);
                let reason = match failed.status {
                    Some(GONE) => Some(DisabledReason::Gone),
                    _ => is_failing.then_some(DisabledReason::Failing),
                };
                if let Some(reason) = reason {
                    delivery.give_up(&failed.problem);
                    self.disable(tenant, id, reason).await?;
                }
            }
        }
        // A refused write means that the lease ended, and another attempt began.
        self.0
            .replace_or_leave(&delivery)
            .await?;
        let is_slow = WebhookHealth::is_slow(attempt.began, now);
        self.note(&health, outcome.is_ok(), is_slow)
            .await?;
        Ok(delivery.message(now))
    }

    /// Notes a success or a failure, and a slow one, in a webhook's results, unless they show it.
    async fn note(&self, health: &WebhookHealth, success: bool, is_slow: bool) -> Result<()> {
        let now = self.0.now();
        let mut change = UpdateExpression::default();
        let mut condition = Condition::exists();
        let is_new = if success {
            health.lacks_success(now)
        } else {
            health.lacks_failure(now)
        };
        if is_new && success {
            change = change.set(LAST_SUCCESS_AT, now);
            change = change
                .remove(FAILING_SINCE)
                .remove(LAST_FAILURE_AT);
        } else if is_new {
            let since = health.fails_since(now).unwrap_or(now);
            change = change
                .set(FAILING_SINCE, since)
                .set(LAST_FAILURE_AT, now);
            condition = match health.failing_since {
                Some(read) => condition.equals(FAILING_SINCE, read),
                None => condition.lacks(FAILING_SINCE),
            };
        }
        change = match (health.next_slot_at, is_slow) {
            (None, true) => change.set(NEXT_SLOT_AT, WebhookHealth::slot_after(now)),
            (Some(_), false) => change.remove(NEXT_SLOT_AT),
            _ if is_new => change,
            _ => return Ok(()),
        };
        let key = key::webhook_health(health.organization_id, health.webhook_id);
        let write = Write::update(key, change, condition);
        // A refused write means that the webhook is gone, or that another failure was noted.
        self.0
            .table
            .write(write)
            .await?
            .or_leave();
        Ok(())
    }
}

/// Returns 0 to 1,000 thousandths.
fn jitter() -> i64 {
    i64::try_from(random::below(1_001)).unwrap_or_default()
}
