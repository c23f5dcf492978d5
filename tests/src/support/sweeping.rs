//! The sweeper: a minute's start, and the runs that it starts.

use std::time::Duration;

use aws_sdk_sqs::Client;
use shared::{
    model::base::QueueMessage,
    queue::Queue,
    store::{base::Store, upkeep::SweepMessage},
};
use sweeper::{Event, SweepAnswer, Sweeper, SweeperQueues, Swept};
use targets::ProviderCaller;

use crate::program::bodies;

use super::{Api, engines, event};

/// A sweeper, and the queue that starts its runs.
pub struct Sweeping {
    /// The sweeper, as its function has it.
    pub sweeper: Sweeper,
    sqs: Client,
    url: String,
}

impl Sweeping {
    /// Sets another time limit of a run.
    pub fn within(self, budget: Duration) -> Self {
        let sweeper = self.sweeper.within(budget);
        Self { sweeper, ..self }
    }

    /// A minute passes: every shard that has due work is worked through. Returns what all runs did.
    pub async fn sweep(&self) -> Swept {
        let mut swept = Swept {
            errors: self.sweeper.start().await.errors,
            ..Swept::default()
        };
        for message in self.messages().await {
            match SweepMessage::from_text(&message).unwrap() {
                SweepMessage::Shard { shard } => swept += self.sweeper.sweep(shard).await,
                SweepMessage::Cleanup(_) => assert_eq!(self.handles(&message).await, 0),
            }
        }
        swept
    }

    /// Hands a message to the function. Returns how many it wants again.
    pub async fn handles(&self, message: &str) -> usize {
        let messages = Event::Messages(event(&[(message, 1)]));
        match self.sweeper.handle(messages).await {
            SweepAnswer::Messages(response) => response.batch_item_failures.len(),
            SweepAnswer::Minute(started) => panic!("{started:?}"),
        }
    }

    /// The messages of the queue, which are taken out of it.
    pub async fn messages(&self) -> Vec<String> {
        bodies(&self.sqs, &self.url).await
    }
}

impl Api {
    /// A sweeper under its role.
    pub async fn sweeper(&self) -> Sweeping {
        let sqs = engines::engines().await.sqs();
        let store = self
            .store_of("sweeper")
            .sending_mail(true);
        self.sweeper_of(store, sqs.clone(), sqs)
    }

    /// A sweeper on a store, whose messages of actions and deliveries go elsewhere.
    pub fn sweeper_of(&self, store: Store, elsewhere: Client, sqs: Client) -> Sweeping {
        let queues = SweeperQueues {
            actions: Queue::new(elsewhere.clone(), &self.queues.actions.url),
            webhooks: Queue::new(elsewhere.clone(), &self.queues.webhooks.url),
            mails: Queue::new(elsewhere, &self.queues.mails.url),
            sweeps: Queue::new(sqs.clone(), &self.queues.sweeps.url),
        };
        Sweeping {
            sweeper: Sweeper::new(store, queues, ProviderCaller::new(true)),
            sqs,
            url: self.queues.sweeps.url.clone(),
        }
    }
}
