//! Delivery of the table's stream to one of its consumers, as by Lambda's event source mapping.
//!
//! A batch is delivered until the function succeeds with it. After a partial failure, the earliest failed
//! record comes again with all after it. The position is kept in a file between runs.

use std::{future::Future, path::PathBuf, time::Duration};

use bytes::Bytes;
use serde_json::{Value, json};

use crate::{
    atomic_file, console,
    engines::{Engines, Error, Stream},
    event_source_mapping::failures,
    function::InvocationError,
};

/// Most records of an invocation.
const BATCH_SIZE: usize = 100;
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
    /// The file with the position of the last record that was handled.
    position: PathBuf,
    invoke: I,
}

impl<I, F> StreamMapping<I>
where
    I: Fn(Value) -> F,
    F: Future<Output = Result<Bytes, InvocationError>>,
{
    /// Returns a mapping of the engines' table.
    pub fn new(engines: &Engines, position: PathBuf, invoke: I) -> Result<Self, Error> {
        let after = std::fs::read_to_string(&position).ok();
        Ok(Self {
            stream: engines.stream(engines.table_name(), after)?,
            position,
            invoke,
        })
    }

    /// Delivers batches until `stop` resolves. A started batch is finished.
    pub async fn run(mut self, stop: impl Future<Output = ()>) {
        tokio::pin!(stop);
        let mut batch = Vec::new();
        loop {
            let pause = self.step(&mut batch).await;
            tokio::select! {
                biased;
                () = &mut stop => return,
                () = tokio::time::sleep(pause) => {}
            }
        }
    }

    /// Delivers what is left of a batch, or else the next one. Returns the pause before the next step.
    async fn step(&mut self, batch: &mut Vec<Value>) -> Duration {
        if batch.is_empty() {
            match self.stream.next(BATCH_SIZE).await {
                Ok(records) if records.is_empty() => return IDLE,
                Ok(records) => *batch = records,
                Err(error) => {
                    console::warn(&error.to_string());
                    return PAUSE;
                }
            }
        }
        let done = match (self.invoke)(json!({ "Records": batch })).await {
            Ok(answer) => handled(&answer, batch),
            Err(error) => Err(error.to_string()),
        };
        let done = done.unwrap_or_else(|problem| {
            console::warn(&format!(
                "a batch of {} changes failed: {problem}",
                batch.len()
            ));
            0
        });
        let last = batch.drain(..done).next_back();
        if let Some(position) = last.as_ref().and_then(Stream::position)
            && let Err(error) = atomic_file::write(&self.position, position.as_bytes())
        {
            console::warn(&format!("the position in the stream was not kept: {error}"));
        }
        if batch.is_empty() {
            Duration::ZERO
        } else {
            PAUSE
        }
    }
}

/// Returns the number of records before the first failed one.
fn handled(answer: &[u8], batch: &[Value]) -> Result<usize, String> {
    let positions = || batch.iter().filter_map(Stream::position);
    let known: Vec<&str> = positions().collect();
    let failed = failures(answer, &known).map_err(|error| error.to_string())?;
    let first = positions().position(|position| failed.contains(position));
    Ok(first.unwrap_or(batch.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(positions: &[&str]) -> Vec<Value> {
        let record = |position: &&str| json!({"dynamodb": {"SequenceNumber": position}});
        positions.iter().map(record).collect()
    }

    #[test]
    fn records_before_the_first_failed_one_are_handled() {
        let batch = records(&["1", "2", "3"]);
        let failed = |positions: &[&str]| {
            let failed = positions.iter().map(|one| json!({"itemIdentifier": one}));
            json!({"batchItemFailures": failed.collect::<Vec<_>>()}).to_string()
        };
        for (positions, expected) in [(&[][..], 3), (&["3", "2"], 1), (&["1"], 0)] {
            assert_eq!(handled(failed(positions).as_bytes(), &batch), Ok(expected));
        }
        handled(failed(&["4"]).as_bytes(), &batch).unwrap_err();
    }

    #[tokio::test]
    async fn a_failed_batch_comes_again_and_a_position_is_kept() {
        use std::sync::{Arc, Mutex};

        let folder = tempfile::tempdir().unwrap();
        let position = folder.path().join("position");
        let engines = Engines::in_memory().await.unwrap();
        let put = async |id: &str| {
            let text = |text: &str| aws_sdk_dynamodb::types::AttributeValue::S(text.to_owned());
            let put = engines
                .dynamodb()
                .put_item()
                .table_name(engines.table_name());
            put.item("pk", text(id))
                .item("sk", text(id))
                .send()
                .await
                .unwrap();
        };
        let seen = Arc::new(Mutex::new(Vec::new()));
        let mapping = || {
            let seen = Arc::clone(&seen);
            let invoke = move |event: Value| {
                let ids = event["Records"].as_array().unwrap().iter();
                let ids = ids.map(|one| one["dynamodb"]["NewImage"]["pk"]["S"].clone());
                let ids: Vec<Value> = ids.collect();
                let mut seen = seen.lock().unwrap();
                seen.push(json!(ids));
                // The second record fails the first time.
                let second = Stream::position(&event["Records"][1]).map(str::to_owned);
                let answer = second.filter(|_| seen.len() == 1).map_or_else(
                    || json!({}),
                    |failed| json!({"batchItemFailures": [{"itemIdentifier": failed}]}),
                );
                async move { Ok(Bytes::from(answer.to_string())) }
            };
            StreamMapping::new(&engines, position.clone(), invoke).unwrap()
        };
        put("a").await;
        put("b").await;
        let (mut first, mut batch) = (mapping(), Vec::new());
        assert_eq!(first.step(&mut batch).await, PAUSE);
        assert_eq!(first.step(&mut batch).await, Duration::ZERO);
        assert_eq!(first.step(&mut batch).await, IDLE);
        put("c").await;
        let mut second = mapping();
        assert_eq!(second.step(&mut batch).await, Duration::ZERO);
        let seen = seen.lock().unwrap().clone();
        assert_eq!(seen, [json!(["a", "b"]), json!(["b"]), json!(["c"])]);
    }
}
