use lambda_runtime::Error;
use model::Clock;
use runtime::{
    FromStart, Start,
    background::Background,
    config::{self, Patience},
};
use store::Store;

use crate::{Answer, Event, Queues, Sweeper};

impl FromStart for Sweeper {
    fn from_start(start: &Start) -> Result<Self, Error> {
        let store = Store::new(start.dynamodb.clone(), &start.table, Clock::system());
        let environment = &start.environment;
        let store = store.sending_mail(config::sends_mail(environment));
        let queues = Queues {
            actions: start.queue(&config::queue_url(environment)?),
            webhooks: start.queue(&config::webhook_queue_url(environment)?),
            mails: start.queue(&config::mail_queue_url(environment)?),
            sweeps: start.queue(&config::sweep_queue_url(environment)?),
        };
        Ok(Self::new(store, queues))
    }
}

impl Background for Sweeper {
    type Event = Event;
    type Answer = Answer;
    const PATIENCE: Patience = Patience::Background;

    async fn handle(&self, event: Event) -> Answer {
        self.handle(event).await
    }
}
