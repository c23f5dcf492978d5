//! Views of webhooks and their deliveries.

use serde::Serialize;
use shared::{
    model::{
        DeliveryStatus, DisabledReason, EventChange, EventPattern, Timestamp, Webhook,
        WebhookDelivery, WebhookHealth, WebhookId, WebhookUrl,
    },
    store::{Stored, WebhookWithHealth},
    versioned,
};
use utoipa::ToSchema;

/// A webhook.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Webhook, examples(json!({
    "id": 1,
    "url": "https://hooks.example.com/workdesk",
    "types": ["task.created", "ticket.*"],
    "description": "Posts new work to the team's chat.",
    "enabled": true,
    "disabledReason": null,
    "lastSuccessAt": "2026-01-15T12:00:00.000Z",
    "failingSince": null,
    "previousSecretUntil": null,
    "createdAt": "2026-01-14T09:30:00.000Z",
    "updatedAt": "2026-01-14T09:30:00.000Z",
    "version": 1
})))]
#[serde(rename_all = "camelCase")]
pub struct WebhookView {
    id: WebhookId,
    url: WebhookUrl,
    /// Events that it is told of, each once.
    types: Vec<EventPattern>,
    /// Purpose.
    description: Option<String>,
    /// True if it gets new deliveries.
    enabled: bool,
    /// Reason for which the service disabled it; null if it did not.
    disabled_reason: Option<DisabledReason>,
    /// Instant of the last success, to the minute.
    last_success_at: Option<Timestamp>,
    /// Instant of the first failure since then; null without one.
    failing_since: Option<Timestamp>,
    /// End of the secret before the last rotation; null once it no longer signs.
    previous_secret_until: Option<Timestamp>,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// Version, raised by every write. Deliveries do not raise it.
    version: i64,
}

/// A webhook with its secret, which is shown only once.
#[derive(Serialize, ToSchema)]
pub struct WebhookWithSecret {
    #[serde(flatten)]
    view: WebhookView,
    /// Secret that signs its messages. Store it now. If it is lost, rotate it.
    #[schema(examples("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwAbCdEfGhIjk="))]
    secret: String,
}

versioned!(WebhookView, WebhookWithSecret: view);

impl WebhookView {
    /// Returns the view at an instant.
    pub fn new(WebhookWithHealth { webhook, health }: WebhookWithHealth, now: Timestamp) -> Self {
        let Stored {
            record, version, ..
        } = webhook;
        Self {
            id: record.id,
            previous_secret_until: record.previous_until(now),
            url: record.url,
            types: record.types,
            description: record.description.map(Into::into),
            enabled: record.enabled,
            disabled_reason: record.disabled_reason,
            last_success_at: health.last_success_at,
            failing_since: health.failing_since,
            created_at: record.created_at,
            updated_at: record.updated_at,
            version,
        }
    }
}

impl WebhookWithSecret {
    /// Returns the view of a webhook with its secret.
    pub fn new(webhook: WebhookWithHealth, secret: String, now: Timestamp) -> Self {
        Self {
            view: WebhookView::new(webhook, now),
            secret,
        }
    }
}

/// A delivery of an event to a webhook.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookDelivery)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryView {
    /// Id, which every attempt sends as `webhook-id`.
    #[schema(examples("evt_1768478400000_1f0e5d2a9b8c7d6e5f4a3b2c"))]
    id: String,
    /// Type of the event.
    #[serde(rename = "type")]
    #[schema(examples("task.updated"))]
    event: String,
    change: EventChange,
    status: DeliveryStatus,
    /// Attempts since it was created or sent again by a user.
    #[schema(minimum = 0, maximum = 10, examples(1))]
    attempts: i64,
    /// Status of the last answer; null without one.
    #[schema(minimum = 100, maximum = 599, examples(503))]
    last_status_code: Option<i64>,
    /// Problem of the last attempt; null after a success.
    #[schema(examples("The receiver answered 503."))]
    last_error: Option<String>,
    /// Instant of the next attempt; null when there is none to come.
    next_attempt_at: Option<Timestamp>,
    created_at: Timestamp,
}

impl From<Stored<WebhookDelivery>> for DeliveryView {
    fn from(Stored { record, .. }: Stored<WebhookDelivery>) -> Self {
        Self {
            id: record.id,
            event: record.event,
            change: record.change,
            status: record.status,
            attempts: record.attempts,
            last_status_code: record.last_status_code,
            last_error: record.last_error,
            next_attempt_at: record.next_attempt_at,
            created_at: record.created_at,
        }
    }
}

/// Returns a webhook without deliveries so far.
pub fn without_deliveries(webhook: Stored<Webhook>) -> WebhookWithHealth {
    let health = WebhookHealth::of(&webhook);
    WebhookWithHealth { webhook, health }
}
