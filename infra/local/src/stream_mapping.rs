//! Delivery of the table's stream to one of its consumers, as by Lambda's event source mapping.
//!
//! The consumer gets the records that pass the filter of the template. A batch is delivered until
//! the function succeeds with it. After a partial failure, the earliest failed record comes again
//! with all after it. The position is kept in a file between runs.

use std::{future::Future, path::PathBuf, time::Duration};

use bytes::Bytes;
use serde_json::{Value, json};

use crate::{
    atomic_file, console,
    engines::{EngineError, Engines, Stream},
    event_source_mapping::failures,
    function::InvocationError,
    template::StreamSource,
};

/// Most records that are read at once. Most of them may be of kinds that the consumer does not get.
const READ_SIZE: usize = 1_000;
/// Pause at the end of the stream.
const IDLE: Duration = Duration::from_millis(250);
/// Pause after a failure.
const PAUSE: Duration = Duration::from_secs(1);

/// A stream and the function that consumes it.
///
/// `invoke` takes the event and returns the function's answer, or an error if there is none.
#[derive(Debug)]
pub struct StreamMapping<I> {
    stream: Stream,
    source: StreamSource,
    /// The file with the position of the last record that was handled.
    position: PathBuf,
    /// Records that were read and pass the filter, in their order.
    waiting: Vec<Value>,
    /// The position of the last record that was read, whether it passed or not.
    read_to: Option<String>,
    invoke: I,
}

impl<I, F> StreamMapping<I>
where
    I: Fn(Value) -> F,
    F: Future<Output = Result<Bytes, InvocationError>>,
{
    /// Returns a mapping of the engines' table.
    pub fn new(
        engines: &Engines,
        source: StreamSource,
        position: PathBuf,
        invoke: I,
    ) -> Result<Self, EngineError> {
        let after = std::fs::read_to_string(&position).ok();
        Ok(Self {
            stream: engines.stream(engines.table_name(), after)?,
            source,
            position,
            waiting: Vec::new(),
            read_to: None,
            invoke,
        })
    }

    /// Delivers batches until `stop` resolves. A started batch is finished.
    pub async fn run(mut self, stop: impl Future<Output = ()>) {
        tokio::pin!(stop);
        loop {
            let pause = self.step().await;
            tokio::select! {
                biased;
                () = &mut stop => return,
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// Delivers a batch of the waiting records. Reads the next ones if none waits. Returns the
    /// pause before the next step.
    async fn step(&mut self) -> Duration {
        if self.waiting.is_empty() {
            let mut records = match self.stream.next(READ_SIZE).await {
                Ok(records) if records.is_empty() => return IDLE,
                Ok(records) => records,
                Err(error) => {
                    console::warn(&error.to_string());
                    return PAUSE;
                }
            };
            let last = records
                .last()
                .and_then(Stream::position);
            self.read_to = last.map(str::to_owned);
            records.retain(|record| self.source.passes(record));
            self.waiting = records;
            if self.waiting.is_empty() {
                self.keep_position(None);
                return Duration::ZERO;
            }
        }
        let size = self
            .waiting
            .len()
            .min(self.source.batch_size);
        let batch = &self.waiting[..size];
        let done = match (self.invoke)(json!({ "Records": batch })).await {
            Ok(answer) => handled(&answer, batch),
            Err(error) => Err(error.to_string()),
        };
        let done = done.unwrap_or_else(|problem| {
            console::warn(&format!("a batch of {size} changes failed: {problem}"));
            0
        });
        let last = self.waiting.drain(..done).next_back();
        if last.is_some() {
            self.keep_position(last.as_ref());
        }
        if done == size { Duration::ZERO } else { PAUSE }
    }

    /// Keeps the position of the last handled record. With none waiting, those that did not pass
    /// are behind it, too.
    fn keep_position(&self, last: Option<&Value>) {
        let read_to = self
            .read_to
            .as_deref()
            .filter(|_| self.waiting.is_empty());
        let Some(position) = read_to.or_else(|| Stream::position(last?)) else {
            return;
        };
        if let Err(error) = atomic_file::write(&self.position, position.as_bytes()) {
            console::warn(&format!("the position in the stream was not kept: {error}"));
        }
    }
}

/// Returns the number of records before the first failed one.
fn handled(answer: &[u8], batch: &[Value]) -> Result<usize, String> {
    let positions = || {
        batch
            .iter()
            .filter_map(Stream::position)
    };
    let sent_positions: Vec<&str> = positions().collect();
    let failed = failures(answer, &sent_positions).map_err(|error| error.to_string())?;
    let first = positions().position(|position| failed.contains(position));
    Ok(first.unwrap_or(batch.len()))
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use aws_sdk_dynamodb::types::AttributeValue;

    use super::*;
    use crate::template::Template;

    async fn put(engines: &Engines, id: &str, kind: &str) {
        let text = |text: &str| AttributeValue::S(text.to_owned());
        let put = engines
            .dynamodb()
            .put_item()
            .table_name(engines.table_name());
        let put = put
            .item("pk", text(id))
            .item("sk", text(id))
            .item("kind", text(kind));
        put.send().await.unwrap();
    }

    fn of_publisher() -> StreamSource {
        Template::deployed()
            .unwrap()
            .stream("publisher")
            .unwrap()
    }

    fn records(positions: &[&str]) -> Vec<Value> {
        let record = |position: &&str| json!({"dynamodb": {"SequenceNumber": position}});
        positions.iter().map(record).collect()
    }

    #[test]
    fn records_before_the_first_failed_one_are_handled() {
        let batch = records(&["1", "2", "3"]);
        let failed = |positions: &[&str]| {
            let failed = positions
                .iter()
                .map(|position| json!({"itemIdentifier": position}));
            json!({"batchItemFailures": failed.collect::<Vec<_>>()}).to_string()
        };
        for (positions, expected) in [(&[][..], 3), (&["3", "2"], 1), (&["1"], 0)] {
            assert_eq!(handled(failed(positions).as_bytes(), &batch), Ok(expected));
        }
        handled(failed(&["4"]).as_bytes(), &batch).unwrap_err();
    }

    #[tokio::test]
    async fn a_failed_batch_comes_again_and_a_position_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let position = folder.path().join("position");
        let engines = Engines::in_memory().await.unwrap();
        let put = async |id: &str| put(&engines, id, "task").await;
        let seen = Arc::new(Mutex::new(Vec::new()));
        let mapping = || {
            let seen = Arc::clone(&seen);
            let invoke = move |event: Value| {
                let ids = event["Records"]
                    .as_array()
                    .unwrap()
                    .iter();
                let ids = ids.map(|record| record["dynamodb"]["NewImage"]["pk"]["S"].clone());
                let ids: Vec<Value> = ids.collect();
                let mut seen = seen.lock().unwrap();
                seen.push(json!(ids));
                // The second record fails the first time.
                let second = Stream::position(&event["Records"][1]).map(str::to_owned);
                let answer = second
                    .filter(|_| seen.len() == 1)
                    .map_or_else(
                        || json!({}),
                        |failed| json!({"batchItemFailures": [{"itemIdentifier": failed}]}),
                    );
                async move { Ok(Bytes::from(answer.to_string())) }
            };
            StreamMapping::new(&engines, of_publisher(), position.clone(), invoke).unwrap()
        };
        put("a").await;
        put("b").await;
        let mut first = mapping();
        assert_eq!(first.step().await, PAUSE);
        assert_eq!(first.step().await, Duration::ZERO);
        assert_eq!(first.step().await, IDLE);
        put("c").await;
        let mut second = mapping();
        assert_eq!(second.step().await, Duration::ZERO);
        let seen = seen.lock().unwrap().clone();
        assert_eq!(seen, [json!(["a", "b"]), json!(["b"]), json!(["c"])]);
    }

    /// The words of a long task never delay the change of another organization: the consumer gets
    /// one batch.
    #[tokio::test]
    async fn records_that_the_template_filters_are_not_delivered() {
        let folder = tempfile::tempdir().unwrap();
        let position = folder.path().join("position");
        let engines = Engines::in_memory().await.unwrap();
        put(&engines, "task", "task").await;
        for word in 0..600 {
            put(&engines, &format!("word {word}"), "indexed_word").await;
        }
        put(&engines, "tag", "tag").await;
        let batches = Arc::new(Mutex::new(Vec::new()));
        let invoke = |event: Value| {
            let records = event["Records"]
                .as_array()
                .unwrap()
                .iter();
            let keys = records.map(|record| record["dynamodb"]["NewImage"]["pk"]["S"].clone());
            batches
                .lock()
                .unwrap()
                .push(keys.collect::<Vec<Value>>());
            async { Ok(Bytes::from("{}")) }
        };
        let mapping =
            || StreamMapping::new(&engines, of_publisher(), position.clone(), invoke).unwrap();
        let mut first = mapping();
        while first.step().await != IDLE {}
        assert_eq!(*batches.lock().unwrap(), [[json!("task"), json!("tag")]]);
        // The position is behind those that were not delivered.
        put(&engines, "another word", "indexed_word").await;
        assert_eq!(first.step().await, Duration::ZERO);
        assert_eq!(mapping().step().await, IDLE);
        assert_eq!(batches.lock().unwrap().len(), 1);
    }
}
