//! The change feed: hands the table's stream to the publisher.

use local::engines::Stream;
use publisher::{Publisher, StreamEvent, StreamResponse};
use serde_json::{Value, json};
use shared::queue::Queue;

use super::{Api, engines, roles};

/// The most records of a delivery.
const BATCH_SIZE: usize = 100;

impl Api {
    /// The table's stream, from its beginning.
    pub async fn stream(&self) -> Stream {
        let engines = engines::engines().await;
        engines.stream(&self.table, None).unwrap()
    }

    /// The records of a stream that were not read yet, as changed at the time of the test's clock.
    pub async fn changes(&self, stream: &mut Stream) -> Vec<Value> {
        let mut all = Vec::new();
        loop {
            let mut records = stream.next(BATCH_SIZE).await.unwrap();
            if records.is_empty() {
                return all;
            }
            for record in &mut records {
                let changed_at = &mut record["dynamodb"]["ApproximateCreationDateTime"];
                *changed_at = json!(self.clock.now().millis() / 1_000);
            }
            all.append(&mut records);
        }
    }

    /// Delivers records to a publisher, under its role.
    pub async fn delivers_changes(&self, records: &[Value]) -> StreamResponse {
        let (store, webhooks) = (self.store_of("publisher"), self.webhook_queue().await);
        let sqs = engines::engines().await.sqs();
        let sweeps = Queue::new(sqs, &self.queues.sweeps.url);
        let publisher = Publisher::new(store, webhooks, sweeps);
        let event = json!({ "Records": records });
        let event: StreamEvent = serde_json::from_value(event).unwrap();
        roles::acting_as("publisher", publisher.handle(event)).await
    }

    /// Publishes what was changed so far. No record may fail.
    pub async fn publishes(&self, stream: &mut Stream) {
        for records in self.changes(stream).await.chunks(BATCH_SIZE) {
            let response = self.delivers_changes(records).await;
            assert_eq!(response, StreamResponse::default());
        }
    }
}
