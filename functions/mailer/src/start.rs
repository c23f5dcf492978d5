use aws_lambda_events::sqs::{SqsBatchResponse, SqsEvent};
use lambda_runtime::Error;
use model::Clock;
use runtime::{
    FromStart, Start,
    background::Background,
    config::{self, Patience},
};
use store::Store;

use crate::{Mailer, post::Post, writer::Writer};

impl FromStart for Mailer {
    fn from_start(start: &Start) -> Result<Self, Error> {
        let store = Store::new(start.dynamodb.clone(), &start.table, Clock::system());
        let queue = start.queue(&config::mail_queue_url(&start.environment)?);
        let writer = Writer::of(&start.environment)?;
        Ok(Self::new(
            store,
            queue,
            writer,
            Post::of(&start.environment)?,
        ))
    }
}

impl Background for Mailer {
    type Event = SqsEvent;
    type Answer = SqsBatchResponse;
    const PATIENCE: Patience = Patience::Client;

    async fn handle(&self, event: SqsEvent) -> SqsBatchResponse {
        self.handle(event).await
    }
}
