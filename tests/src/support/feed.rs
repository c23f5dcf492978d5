//! The table's stream: hands it to its consumers.

use indexer::Indexer;
use local::engines::Stream;
use publisher::{Publisher, PublisherQueues};
use serde_json::{Value, json};
use shared::queue::Queue;
use stream::{StreamEvent, StreamResponse};
use tokio::sync::Mutex;

use crate::program::bodies;

use super::{Api, engines, patience::PATIENCE, roles};

/// The most records of a delivery.
const BATCH_SIZE: usize = 100;

impl Api {
    /// The table's stream, from its beginning.
    async fn new_stream(&self) -> Stream {
        engines::engines()
            .await
            .stream(&self.table, None)
            .unwrap()
    }

    /// The changes since the last call, at first all, as changed at the time of the test's clock.
    pub async fn changes(&self) -> Vec<Value> {
        let begins = async || Mutex::new(self.new_stream().await);
        let mut stream = self
            .stream
            .get_or_init(begins)
            .await
            .lock()
            .await;
        self.rest_of(&mut stream).await
    }

    /// All changes, whoever read them.
    pub async fn all_changes(&self) -> Vec<Value> {
        self.rest_of(&mut self.new_stream().await)
            .await
    }

    async fn rest_of(&self, stream: &mut Stream) -> Vec<Value> {
        let mut rest = Vec::new();
        loop {
            let mut records = stream.next(BATCH_SIZE).await.unwrap();
            if records.is_empty() {
                return rest;
            }
            for record in &mut records {
                let changed_at = &mut record["dynamodb"]["ApproximateCreationDateTime"];
                *changed_at = json!(self.clock.now().millis() / 1_000);
            }
            rest.append(&mut records);
        }
    }

    /// Delivers records to both consumers at the same time. Returns the failures of both.
    pub async fn delivers_changes(&self, records: &[Value]) -> StreamResponse {
        let publishing = Box::pin(self.delivers_to_publisher(records));
        let indexing = Box::pin(self.delivers_to_indexer(records));
        let (mut response, indexed) = tokio::join!(publishing, indexing);
        for failure in indexed.batch_item_failures {
            if !response
                .batch_item_failures
                .contains(&failure)
            {
                response
                    .batch_item_failures
                    .push(failure);
            }
        }
        response
    }

    /// Delivers records to a publisher, under its role.
    pub async fn delivers_to_publisher(&self, records: &[Value]) -> StreamResponse {
        let sqs = engines::engines().await.sqs();
        let queues = PublisherQueues {
            webhooks: self.webhook_queue().await,
            sweeps: Queue::new(sqs.clone(), &self.queues.sweeps.url),
            mails: Queue::new(sqs, &self.queues.mails.url),
            dead_letters: self.dead_changes().await,
        };
        let publisher = Publisher::new(self.store_of("publisher"), queues);
        // A busy machine makes no failure.
        let publisher = publisher.within(PATIENCE);
        let handling = Box::pin(publisher.handle(event(records)));
        roles::acting_as("publisher", handling).await
    }

    /// Delivers records to an indexer, under its role.
    pub async fn delivers_to_indexer(&self, records: &[Value]) -> StreamResponse {
        let store = self
            .store_of("indexer")
            .sending_mail(true);
        let indexer = Indexer::new(store, self.dead_changes().await);
        let handling = Box::pin(indexer.handle(event(records)));
        roles::acting_as("indexer", handling).await
    }

    async fn dead_changes(&self) -> Queue {
        Queue::new(engines::engines().await.sqs(), &self.queues.dead_changes)
    }

    /// Takes the messages of changes that were set aside.
    pub async fn takes_dead_changes(&self) -> Vec<Value> {
        let messages = bodies(&engines::engines().await.sqs(), &self.queues.dead_changes).await;
        let messages = messages
            .iter()
            .map(|text| serde_json::from_str(text));
        messages.map(Result::unwrap).collect()
    }

    /// Publishes what was changed so far. No record may fail.
    pub async fn publishes(&self) {
        self.delivers_all(&self.changes().await)
            .await;
    }

    /// Publishes changes. No record may fail.
    pub async fn delivers_all(&self, changes: &[Value]) {
        for records in changes.chunks(BATCH_SIZE) {
            let response = self.delivers_changes(records).await;
            assert_eq!(response, StreamResponse::default());
        }
    }
}

fn event(records: &[Value]) -> StreamEvent {
    serde_json::from_value(json!({ "Records": records })).unwrap()
}
