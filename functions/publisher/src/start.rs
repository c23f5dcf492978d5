use lambda_runtime::Error;
use model::Clock;
use runtime::{
    FromStart, Start,
    background::Background,
    config::{self, Patience},
};
use store::Store;
use stream::{StreamEvent, StreamResponse};

use crate::Publisher;

impl FromStart for Publisher {
    fn from_start(start: &Start) -> Result<Self, Error> {
        let store = Store::new(start.dynamodb.clone(), &start.table, Clock::system());
        let environment = &start.environment;
        Ok(Self::new(
            store,
            start.queue(&config::webhook_queue_url(environment)?),
            start.queue(&config::sweep_queue_url(environment)?),
            start.queue(&config::change_dead_letter_queue_url(environment)?),
        ))
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
