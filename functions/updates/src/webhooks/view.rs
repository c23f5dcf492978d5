use shared::{
    endpoint::*,
    model::{
        base::WebhookId,
        updates::{DisabledReason, EventPattern, Webhook, WebhookHealth, WebhookUrl},
    },
    store::updates::WebhookWithHealth,
};

view! {
    /// A webhook.
    #[schema(as = Webhook)]
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

/// A webhook with its secret, which is shown only once.
#[derive(Serialize, ToSchema)]
pub struct WebhookWithSecret {
    #[serde(flatten)]
    view: WebhookView,
    /// Secret that signs its messages. Store it now. If it is lost, rotate it.
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
