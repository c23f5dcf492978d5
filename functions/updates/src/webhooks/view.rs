use shared::{
    endpoint::*,
    model::updates::{DeliveryStatus, EventChange, Webhook, WebhookDelivery, WebhookHealth},
    store::updates::WebhookWithHealth,
};

// `ToSchema` takes no type arguments.
type ShownWebhook = Shown<Webhook>;

view! {
    /// A webhook.
    #[schema(as = Webhook)]
    pub struct WebhookView of webhook(WebhookWithHealth { webhook, health }: &WebhookWithHealth, now: Timestamp) {
        #[serde(flatten)]
        #[schema(inline)]
        shown: ShownWebhook = webhook.clone().into(),
        /// Instant of the last success, to the minute.
        last_success_at: Option<Timestamp> = health.last_success_at,
        /// Instant of the first failure since then; null without one.
        failing_since: Option<Timestamp> = health.failing_since,
        /// End of the secret before the last rotation; null once it no longer signs.
        previous_secret_until: Option<Timestamp> = webhook.previous_until(now),
        /// Version, raised by every write. Deliveries do not raise it.
        version: i64,
    }
}

view! {
    /// A delivery of an event to a webhook.
    #[schema(as = WebhookDelivery)]
    pub struct WebhookDeliveryView of delivery(delivery: WebhookDelivery) {
        /// Id, which every attempt sends as `webhook-id`.
        id: String,
        #[serde(rename = "type")]
        event: String,
        change: EventChange,
        status: DeliveryStatus,
        /// Attempts since it was created or sent again by a user.
        #[schema(minimum = 0, maximum = 10)]
        attempts: i64 = delivery.sending.attempts,
        /// Status of the last answer; null without one.
        #[schema(minimum = 100, maximum = 599)]
        last_status_code: Option<i64>,
        /// Problem of the last attempt; null after a success.
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
