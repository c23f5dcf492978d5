//! The consumer of the webhook queue: sends events to the URLs of webhooks.
//!
//! A delivery is sent at least once. An attempt begins and ends with a conditional write: a
//! repeated message is sent twice only after a crash. The record of a delivery has its next
//! attempt. If a message is lost, the sweeper sends another one.
//!
//! A batch has messages of several organizations. Each webhook gets some of them at a time. A slow
//! receiver gets one in each turn, and so holds up none but its own.

use aws_lambda_events::sqs::{SqsBatchResponse, SqsEvent};
use model::{
    base::{Clock, Error, Id},
    updates::DeliveryMessage,
};
use runtime::{
    FromStart, Start, config, messages,
    queue::Queue,
    telemetry::{self, Metric},
};
use store::{base::Store, updates::Begun};
use targets::webhooks::{PATIENCE, WebhookCaller};

/// Sends webhooks. Created once per cold start.
#[derive(Debug)]
pub struct WebhookSender {
    store: Store,
    queue: Queue,
    caller: WebhookCaller,
}

impl WebhookSender {
    pub fn new(store: Store, queue: Queue, caller: WebhookCaller) -> Self {
        Self {
            store: store.patient(),
            queue,
            caller,
        }
    }

    /// Handles a batch. Returns the messages to deliver again.
    pub async fn handle(&self, event: SqsEvent) -> SqsBatchResponse {
        let now = self.store.now();
        let webhook = |message: &DeliveryMessage| (message.organization_id, message.webhook_id);
        messages::handle_groups(event, &self.queue, now, webhook, |message| {
            self.attempt(message)
        })
        .await
    }

    /// Attempts a delivery, if an attempt is due. Returns the message for the next attempt.
    async fn attempt(&self, message: DeliveryMessage) -> Result<Option<DeliveryMessage>, Error> {
        let webhooks = self.store.webhooks();
        let begun = webhooks.begin(
            message.organization_id,
            message.webhook_id,
            &message.delivery_id,
        );
        let attempt = match begun.await? {
            Begun::Attempt(attempt) => attempt,
            Begun::Later(later) => return Ok(later),
        };
        let caller = &self.caller;
        let now = self.store.now();
        let event = caller.message_of(&attempt.delivery, attempt.web_url.as_ref());
        let outcome = caller
            .send(&attempt.webhook, &event, PATIENCE, now)
            .await;
        tracing::info!(
            organizationId = message.organization_id.get(),
            webhookId = message.webhook_id.get(),
            deliveryId = message.delivery_id,
            writeId = attempt
                .delivery
                .change
                .write_id
                .as_deref(),
            attempt = attempt.delivery.sending.attempts,
            status = outcome
                .as_ref()
                .map_or_else(|failed| failed.status, |status| Some(*status)),
            problem = outcome
                .as_ref()
                .err()
                .map(|failed| &*failed.problem),
        );
        let name = outcome
            .as_ref()
            .map_or("failed", |_| "delivered");
        telemetry::count(Metric::Delivery(name), self.store.now());
        webhooks.end(*attempt, outcome).await
    }
}

impl FromStart for WebhookSender {
    fn from_start(start: &Start) -> Result<Self, lambda_runtime::Error> {
        let store = Store::new(start.dynamodb.clone(), &start.table, Clock::system());
        let queue = start.queue(config::WEBHOOKS)?;
        Ok(Self::new(store, queue, WebhookCaller::of(start)?))
    }
}

runtime::background!(WebhookSender: SqsEvent => SqsBatchResponse, Client);
