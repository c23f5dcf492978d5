use shared::{
    endpoint::*,
    model::{
        base::WebhookId,
        updates::{
            DeliveryStatus, DisabledReason, EventChange, EventPattern, Webhook, WebhookDelivery,
            WebhookHealth, WebhookUrl,
        },
    },
    store::updates::WebhookWithHealth,
};

view! {
    /// A webhook.
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
    pub struct WebhookView of webhook(WebhookWithHealth { webhook, health }: &WebhookWithHealth, now: Timestamp) {
        id: WebhookId,
        url: WebhookUrl = webhook.url.clone(),
        /// Events that it is told of, each once.
        types: Vec<EventPattern> = webhook.types.clone(),
        /// Purpose.
        description: Option<String> = webhook.description.clone().map(Into::into),
        /// True if it gets new deliveries.
        enabled: bool,
        /// Reason for which the service disabled it; null if it did not.
        disabled_reason: Option<DisabledReason>,
        /// Instant of the last success, to the minute.
        last_success_at: Option<Timestamp> = health.last_success_at,
        /// Instant of the first failure since then; null without one.
        failing_since: Option<Timestamp> = health.failing_since,
        /// End of the secret before the last rotation; null once it no longer signs.
        previous_secret_until: Option<Timestamp> = webhook.previous_until(now),
        created_at: Timestamp,
        updated_at: Timestamp,
        /// Version, raised by every write. Deliveries do not raise it.
        version: i64,
    }
}

view! {
    /// A delivery of an event to a webhook.
    #[schema(as = WebhookDelivery)]
    pub struct WebhookDeliveryView of delivery(delivery: WebhookDelivery) {
        /// Id, which every attempt sends as `webhook-id`.
        #[schema(examples("evt_1768478400000_1f0e5d2a9b8c7d6e5f4a3b2c"))]
        id: String,
        #[serde(rename = "type")]
        #[schema(examples("task.updated"))]
        event: String,
        change: EventChange,
        status: DeliveryStatus,
        /// Attempts since it was created or sent again by a user.
        #[schema(minimum = 0, maximum = 10, examples(1))]
        attempts: i64 = delivery.sending.attempts,
        /// Status of the last answer; null without one.
        #[schema(minimum = 100, maximum = 599, examples(503))]
        last_status_code: Option<i64>,
        /// Problem of the last attempt; null after a success.
        #[schema(examples("The receiver answered 503."))]
        last_error: Option<String> = delivery.sending.last_error,
        /// Instant of the next attempt; null when there is none to come.
        next_attempt_at: Option<Timestamp> = delivery.sending.next_attempt_at,
        created_at: Timestamp,
    }
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

impl WebhookWithSecret {
    pub fn new(webhook: &WebhookWithHealth, secret: String, now: Timestamp) -> Self {
        Self {
            view: WebhookView::of(webhook, now),
            secret,
        }
    }
}

/// Returns a webhook without deliveries so far.
pub fn without_deliveries(webhook: Stored<Webhook>) -> WebhookWithHealth {
    let health = WebhookHealth::of(&webhook);
    WebhookWithHealth { webhook, health }
}
