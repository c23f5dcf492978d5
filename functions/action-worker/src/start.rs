use aws_lambda_events::sqs::{SqsBatchResponse, SqsEvent};
use lambda_runtime::Error;
use model::Clock;
use runtime::{
    FromStart, Start,
    background::Background,
    config::{self, Patience},
};
use store::Store;
use targets::Targets;

use crate::{Limits, Worker};

impl FromStart for Worker {
    fn from_start(start: &Start) -> Result<Self, Error> {
        let store = Store::new(start.dynamodb.clone(), &start.table, Clock::system());
        let queue = start.queue(&config::queue_url(&start.environment)?);
        let limits = Limits::read(&start.environment)?;
        Ok(Self::new(store, queue, Targets::of(start)?, limits))
    }
}

impl Background for Worker {
    type Event = SqsEvent;
    type Answer = SqsBatchResponse;
    const PATIENCE: Patience = Patience::Client;

    async fn handle(&self, event: SqsEvent) -> SqsBatchResponse {
        self.handle(event).await
    }
}
