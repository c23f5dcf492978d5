//! The consumer of the webhook queue: sends events to the URLs of webhooks.
//!
//! A delivery is sent at least once. An attempt begins and ends with a conditional write: a
//! repeated message is sent twice only after a crash. The record of a delivery has its next
//! attempt. If a message is lost, the sweeper sends another one.
//!
//! A batch has messages of several organizations. Each webhook gets some of them at a time. A slow
//! receiver gets one in each turn, and so holds up none but its own.

use std::collections::BTreeMap;

use aws_lambda_events::sqs::{SqsBatchResponse, SqsEvent, SqsMessage};
use futures::{StreamExt, stream};
use model::{
    base::{Clock, Error, Id, Stopwatch},
    updates::DeliveryMessage,
};
use runtime::{
    FromStart, Start, config, messages,
    queue::Queue,
    telemetry::{self, Metric},
};
use store::{base::Store, updates::Begun};
use targets::webhooks::{PATIENCE, WebhookCaller};

/// Messages that one webhook gets at the same time.
const AT_ONCE: usize = 5;

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

    /// Handles a batch. Returns the messages to deliver again. An error or a panic of one message
    /// does not affect the others.
    pub async fn handle(&self, event: SqsEvent) -> SqsBatchResponse {
        let (handled, used) = store::metered(Box::pin(self.handle_all(event))).await;
        telemetry::unreadable(&used.unreadable, None, self.store.now());
        messages::response(handled)
    }

    async fn handle_all(&self, event: SqsEvent) -> Vec<(SqsMessage, bool)> {
        let began = Stopwatch::start();
        let mut by_webhook: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for message in event.records {
            let read = messages::read::<DeliveryMessage>(&message);
            let delivery = read.as_ref().ok();
            let webhook = delivery.map(|delivery| (delivery.organization_id, delivery.webhook_id));
            by_webhook
                .entry(webhook)
                .or_default()
                .push((message, read));
        }
        let handling = by_webhook
            .into_values()
            .map(|messages| {
                let handled = stream::iter(messages).map(async |(message, read)| {
                    let attempt = Box::pin(async { self.attempt(&read?).await });
                    let is_handled = messages::is_handled_in_time(began, &message, attempt).await;
                    (message, is_handled)
                });
                handled
                    .buffer_unordered(AT_ONCE)
                    .collect::<Vec<_>>()
            });
        futures::future::join_all(handling)
            .await
            .concat()
    }

    /// Attempts a delivery, if an attempt is due. Sends the message for the next attempt.
    async fn attempt(&self, message: &DeliveryMessage) -> Result<(), Error> {
        let webhooks = self.store.webhooks();
        let DeliveryMessage {
            organization_id,
            webhook_id,
            delivery_id,
            ..
        } = message;
        let begun = webhooks.begin(*organization_id, *webhook_id, delivery_id);
        let attempt = match begun.await? {
            Begun::Attempt(attempt) => attempt,
            Begun::Later(later) => {
                self.queue
                    .try_send(later.as_slice())
                    .await;
                return Ok(());
            }
        };
        let caller = &self.caller;
        let now = self.store.now();
        let event = caller.message_of(&attempt.delivery, attempt.web_url.as_ref());
        let outcome = caller
            .send(&attempt.webhook, &event, PATIENCE, now)
            .await;
        tracing::info!(
            organizationId = organization_id.get(),
            webhookId = webhook_id.get(),
            deliveryId = delivery_id,
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
        let next = webhooks.end(*attempt, outcome).await?;
        self.queue
            .try_send(next.as_slice())
            .await;
        Ok(())
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
