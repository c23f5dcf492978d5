use aws_lambda_events::sqs::{SqsBatchResponse, SqsEvent};
use lambda_runtime::Error;
use model::Clock;
use runtime::{
    FromStart, Start,
    background::Background,
    config::{self, Patience},
};
use store::Store;
use targets::webhooks::WebhookCaller;

use crate::WebhookSender;

impl FromStart for WebhookSender {
    fn from_start(start: &Start) -> Result<Self, Error> {
        let store = Store::new(start.dynamodb.clone(), &start.table, Clock::system());
        let queue = start.queue(&config::webhook_queue_url(&start.environment)?);
        Ok(Self::new(store, queue, WebhookCaller::of(start)?))
    }
}

impl Background for WebhookSender {
    type Event = SqsEvent;
    type Answer = SqsBatchResponse;
    const PATIENCE: Patience = Patience::Client;

    async fn handle(&self, event: SqsEvent) -> SqsBatchResponse {
        self.handle(event).await
    }
}
