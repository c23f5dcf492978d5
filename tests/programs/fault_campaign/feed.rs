//! The table's stream on its way to its consumers, in shards that overtake one another. Deliveries
//! come late, and some come again, whole or in part.

use std::{
    hash::{DefaultHasher, Hash, Hasher},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use local::{
    engines::{Engines, Stream},
    function::Functions,
};
use serde_json::{Value, json};
use tokio::{sync::mpsc, task::JoinHandle};

use crate::fates::Fates;

/// Shards of the stream. Changes of an item are in one of them.
const SHARDS: usize = 4;

/// The most records of a delivery.
const BATCH_SIZE: usize = 100;

const CONSUMERS: [&str; 2] = ["publisher", "indexer"];

/// Timeout of the consumers.
const TIMEOUT: Duration = Duration::from_mins(1);

/// Pause at the end of the stream, and after a failure.
const PAUSE: Duration = Duration::from_millis(100);

/// The most milliseconds by which a delivery is late.
const LATE: u64 = 1_000;

/// Deliveries of a hundred that come again.
const AGAIN: u64 = 20;

/// The number of records that a consumer has still to handle.
#[derive(Clone, Debug, Default)]
pub struct Unpublished(Arc<AtomicUsize>);

impl Unpublished {
    pub fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

/// Delivers the stream until the tasks are aborted.
pub fn start(
    engines: &Engines,
    functions: &Functions,
    fates: &Arc<Fates>,
    unpublished: &Unpublished,
) -> Vec<JoinHandle<()>> {
    let mut stream = engines
        .stream(engines.table_name(), None)
        .unwrap();
    let mut tasks = Vec::new();
    let mut shards = Vec::new();
    let places = (0..SHARDS).flat_map(|number| CONSUMERS.map(|consumer| (number, consumer)));
    for (number, consumer) in places {
        let (sender, records) = mpsc::unbounded_channel();
        shards.push(sender);
        let shard = Shard {
            consumer,
            sequence: format!("shard {number} of {consumer}"),
            records,
            functions: functions.clone(),
            fates: fates.clone(),
            unpublished: unpublished.clone(),
        };
        tasks.push(tokio::spawn(shard.deliver()));
    }
    let unpublished = unpublished.clone();
    tasks.push(tokio::spawn(async move {
        loop {
            let records = stream
                .next(1_000)
                .await
                .unwrap_or_default();
            if records.is_empty() {
                tokio::time::sleep(PAUSE).await;
            }
            for record in records {
                let first = shard_of(&record) * CONSUMERS.len();
                for shard in &shards[first..first + CONSUMERS.len()] {
                    unpublished
                        .0
                        .fetch_add(1, Ordering::SeqCst);
                    let _ = shard.send(record.clone());
                }
            }
        }
    }));
    tasks
}

fn shard_of(record: &Value) -> usize {
    let mut hasher = DefaultHasher::new();
    record["dynamodb"]["Keys"]
        .to_string()
        .hash(&mut hasher);
    usize::try_from(hasher.finish() % SHARDS as u64).unwrap()
}

/// A shard of the stream, for one of its consumers.
struct Shard {
    consumer: &'static str,
    /// Names its sequence of random numbers.
    sequence: String,
    records: mpsc::UnboundedReceiver<Value>,
    functions: Functions,
    fates: Arc<Fates>,
    unpublished: Unpublished,
}

impl Shard {
    async fn deliver(mut self) {
        let mut batch = Vec::new();
        while self
            .records
            .recv_many(&mut batch, BATCH_SIZE)
            .await
            > 0
        {
            if !self.fates.are_none() {
                let late = self.fates.below(&self.sequence, LATE);
                tokio::time::sleep(Duration::from_millis(late)).await;
            }
            let published = batch.len();
            let mut left = batch.as_slice();
            while !left.is_empty() {
                let done = self.publish(left).await;
                left = &left[done..];
                if done == 0 {
                    tokio::time::sleep(PAUSE).await;
                }
            }
            if self.fates.below(&self.sequence, 100) < AGAIN {
                let most = u64::try_from(published).unwrap();
                let from = self.fates.below(&self.sequence, most);
                self.publish(&batch[usize::try_from(from).unwrap()..])
                    .await;
            }
            self.unpublished
                .0
                .fetch_sub(published, Ordering::SeqCst);
            batch.clear();
        }
    }

    /// Delivers records. Returns how many of them, from the first on, are published.
    async fn publish(&self, records: &[Value]) -> usize {
        let event = json!({ "Records": records }).to_string();
        let answer = (self.functions).invoke(self.consumer, event.into(), TIMEOUT);
        let Ok(answer) = answer.await else { return 0 };
        let answer: Value = serde_json::from_slice(&answer).unwrap();
        let failures = answer["batchItemFailures"]
            .as_array()
            .into_iter()
            .flatten();
        let failed = failures.filter_map(|failure| failure["itemIdentifier"].as_str());
        let failed: Vec<&str> = failed.collect();
        let first = records.iter().position(|record| {
            Stream::position(record).is_some_and(|position| failed.contains(&position))
        });
        first.unwrap_or(records.len())
    }
}
