//! Webhooks: URLs that an organization has called when its records change.

mod delivery;
mod event;
mod url;

pub use delivery::{
    DeliveryMessage, DeliveryStatus, FailedAttempt, WebhookDelivery, WebhookDeliveryFilter,
};
pub use event::{
    EventChange, EventPattern, EventRecordId, EventSubject, EventType, TEST_EVENT, WebhookMessage,
    WebhookMessageData,
};
pub use url::WebhookUrl;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{
    base::{
        Description, OrganizationId, Timestamp, WebhookId,
        input::{BoundedList, Patch, PatchField},
        sort::sort,
        span,
    },
    input, names,
    people::each_once,
};

/// A webhook of an organization. The table has no secret of it: secrets follow from its id and the
/// [generation](Self::generation).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Webhook {
    pub id: WebhookId,
    pub organization_id: OrganizationId,
    pub url: WebhookUrl,
    /// Events that it is told of, each once.
    pub types: Vec<EventPattern>,
    /// Purpose.
    #[schema(value_type = Option<String>)]
    pub description: Option<Description>,
    /// True if it gets new deliveries.
    pub enabled: bool,
    /// The number of its secret, from 1. Each rotation raises it.
    pub generation: i64,
    pub rotated_at: Option<Timestamp>,
    /// Reason for which the service disabled it; null if it did not.
    pub disabled_reason: Option<DisabledReason>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

names! {
    /// The reason for which the service disabled a webhook.
    pub enum DisabledReason {
        Gone: "The receiver answered 410.",
        Failing: "Every delivery of five days failed.",
    }
}

/// The results of a webhook's deliveries. It is an item of its own, so that a delivery changes no
/// version of the webhook.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookHealth {
    pub organization_id: OrganizationId,
    pub webhook_id: WebhookId,
    /// The last success, to the minute.
    pub last_success_at: Option<Timestamp>,
    /// The first failure since then, of failures without quiet days between them.
    pub failing_since: Option<Timestamp>,
    /// The last failure, to the hour.
    #[serde(default)]
    pub last_failure_at: Option<Timestamp>,
    /// The next slot, while the receiver is slow: a message is sent in each.
    #[serde(rename = "nextTurnAt")]
    pub next_slot_at: Option<Timestamp>,
}

input! {
    pub struct WebhookCreate {
        url: WebhookUrl,
        /// The events that it is told of.
        types: BoundedList<EventPattern, 1, 60>,
        description: Option<Description>,
        /// `false` for a webhook that gets no deliveries yet; `true` when absent.
        enabled: Option<bool>,
    }
    example {
        "url": "https://hooks.example.com/workdesk", "types": ["task.created", "ticket.*"],
        "description": "Posts new work to the team's chat.",
    };

    /// A change of a webhook: at least one field. An absent field is kept, null clears it.
    pub struct WebhookUpdate {
        url: PatchField<WebhookUrl>,
        types: PatchField<BoundedList<EventPattern, 1, 60>>,
        description: Patch<Description>,
        /// `true` also enables a webhook that the service disabled.
        enabled: PatchField<bool>,
    }
    needs any;
    example {"types": ["*"], "enabled": true};
}

impl Webhook {
    pub const MOST: usize = 10;

    /// Milliseconds for which the secret before a rotation signs as well.
    pub const OVERLAP: i64 = span::DAY;

    /// Milliseconds of failures alone after which the service disables a webhook.
    pub const PATIENCE: i64 = 5 * span::DAY;

    pub fn new(id: WebhookId, tenant: OrganizationId, sent: WebhookCreate, now: Timestamp) -> Self {
        Self {
            id,
            organization_id: tenant,
            url: sent.url,
            types: each_once(sent.types.0),
            description: sent.description,
            enabled: sent.enabled.unwrap_or(true),
            generation: 1,
            rotated_at: None,
            disabled_reason: None,
            created_at: now,
            updated_at: now,
        }
    }

    /// Applies a change. An enabled webhook has no reason of a disabling.
    pub fn update(&mut self, update: WebhookUpdate, now: Timestamp) {
        update.url.apply(&mut self.url);
        if let PatchField::Set(types) = update.types {
            self.types = each_once(types.0);
        }
        update
            .description
            .apply(&mut self.description);
        update.enabled.apply(&mut self.enabled);
        if self.enabled {
            self.disabled_reason = None;
        }
        self.updated_at = now;
    }

    /// Begins a new generation of the secret.
    pub fn rotate(&mut self, now: Timestamp) {
        self.generation += 1;
        self.rotated_at = Some(now);
        self.updated_at = now;
    }

    pub fn disable(&mut self, reason: DisabledReason, now: Timestamp) {
        self.enabled = false;
        self.disabled_reason = Some(reason);
        self.updated_at = now;
    }

    /// The generations that sign now, the newest first.
    pub fn generations(&self, now: Timestamp) -> impl Iterator<Item = i64> + use<> {
        let both = self.previous_until(now).is_some();
        std::iter::once(self.generation).chain(both.then_some(self.generation - 1))
    }

    /// The end of the secret before the last rotation, as long as it signs.
    pub fn previous_until(&self, now: Timestamp) -> Option<Timestamp> {
        let until = self.rotated_at?.plus(Self::OVERLAP);
        (now < until).then_some(until)
    }

    pub fn wants(&self, event: &str) -> bool {
        self.enabled
            && self
                .types
                .iter()
                .any(|pattern| pattern.has(event))
    }
}

impl WebhookHealth {
    /// Milliseconds within which a further success is not noted.
    const FRESH: i64 = span::MINUTE;

    /// Milliseconds within which a further failure is not noted.
    const FRESH_FAILURE: i64 = span::HOUR;

    /// Milliseconds without a failure that end the count of failing days. Longer than the longest
    /// pause between the attempts of a delivery.
    const QUIET: i64 = 2 * span::DAY;

    /// Milliseconds after which an answer is slow.
    const SLOW: i64 = 5 * span::SECOND;

    /// Milliseconds of a slot of a slow receiver. Longer than an answer may take.
    const SLOT: i64 = 15 * span::SECOND;

    /// The results of a webhook without deliveries.
    pub const fn of(webhook: &Webhook) -> Self {
        Self {
            organization_id: webhook.organization_id,
            webhook_id: webhook.id,
            last_success_at: None,
            failing_since: None,
            last_failure_at: None,
            next_slot_at: None,
        }
    }

    /// Returns the begin of the slot after one that begins now.
    pub fn slot_after(now: Timestamp) -> Timestamp {
        now.plus(Self::SLOT)
    }

    /// Returns true if an answer that was awaited since then is slow.
    pub fn is_slow(since: Timestamp, now: Timestamp) -> bool {
        now.since(since) > Self::SLOW
    }

    /// Returns true if a success now is worth a write.
    pub fn lacks_success(&self, now: Timestamp) -> bool {
        let is_fresh = |last: Timestamp| now.since(last) < Self::FRESH;
        self.failing_since.is_some()
            || !self
                .last_success_at
                .is_some_and(is_fresh)
    }

    /// The first of the failures that a failure now goes on with; `None` if it is the first.
    pub fn fails_since(&self, now: Timestamp) -> Option<Timestamp> {
        let last = self
            .last_failure_at
            .max(self.failing_since)?;
        let goes_on = now.since(last) < Self::QUIET;
        self.failing_since.filter(|_| goes_on)
    }

    /// Returns true if a failure now is worth a write.
    pub fn lacks_failure(&self, now: Timestamp) -> bool {
        let is_fresh = |last: Timestamp| now.since(last) < Self::FRESH_FAILURE;
        self.fails_since(now).is_none()
            || !self
                .last_failure_at
                .is_some_and(is_fresh)
    }

    /// Returns true if failures have lasted so long that a further one disables the webhook.
    pub fn has_failed_long(&self, now: Timestamp) -> bool {
        self.fails_since(now)
            .is_some_and(|since| now.since(since) >= Webhook::PATIENCE)
    }
}

sort! {
    WebhookSort = "id": "Webhooks: by id.";
    WebhookDeliverySort = "-createdAt": "Deliveries of a webhook: the newest change first.";
}
