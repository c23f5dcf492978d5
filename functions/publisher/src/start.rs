use lambda_runtime::Error;
use model::Clock;
use runtime::{
    FromStart, Start,
    background::Background,
    config::{self, Patience},
};
use store::Store;
use stream::{StreamEvent, StreamResponse};

use crate::{Publisher, Queues};

impl FromStart for Publisher {
    fn from_start(start: &Start) -> Result<Self, Error> {
        let store = Store::new(start.dynamodb.clone(), &start.table, Clock::system());
        let environment = &start.environment;
        let queues = Queues {
            webhooks: start.queue(&config::webhook_queue_url(environment)?),
            sweeps: start.queue(&config::sweep_queue_url(environment)?),
            mails: start.queue(&config::mail_queue_url(environment)?),
            dead_letters: start.queue(&config::change_dead_letter_queue_url(environment)?),
        };
        Ok(Self::new(store, queues))
    }
}

impl Background for Publisher {
    type Event = StreamEvent;
    type Answer = StreamResponse;
    const PATIENCE: Patience = Patience::Background;

    async fn handle(&self, event: StreamEvent) -> StreamResponse {
        self.handle(event).await
    }
}
