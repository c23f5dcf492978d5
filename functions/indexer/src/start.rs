use lambda_runtime::Error;
use model::Clock;
use runtime::{
    FromStart, Start,
    background::Background,
    config::{self, Patience},
};
use store::Store;
use stream::{StreamEvent, StreamResponse};

use crate::Indexer;

impl FromStart for Indexer {
    fn from_start(start: &Start) -> Result<Self, Error> {
        let store = Store::new(start.dynamodb.clone(), &start.table, Clock::system());
        let store = store.sending_mail(config::sends_mail(&start.environment));
        let dead_letters = config::change_dead_letter_queue_url(&start.environment)?;
        Ok(Self::new(store, start.queue(&dead_letters)))
    }
}

impl Background for Indexer {
    type Event = StreamEvent;
    type Answer = StreamResponse;
    const PATIENCE: Patience = Patience::Background;

    async fn handle(&self, event: StreamEvent) -> StreamResponse {
        self.handle(event).await
    }
}
