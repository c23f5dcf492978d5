//! Delivery of messages from a queue to its function, as by Lambda's event source mapping.
//!
//! A message is deleted once the function has succeeded with it. A failed message stays in the
//! queue, hidden until its visibility timeout ends. The redrive policy counts its deliveries.

mod batch;
#[cfg(test)]
mod tests;

pub(crate) use batch::failures;

use std::{future::Future, time::Duration};

use aws_sdk_sqs::{
    Client,
    types::{DeleteMessageBatchRequestEntry, Message, MessageSystemAttributeName},
};
use bytes::Bytes;
use futures::FutureExt;
use serde_json::Value;

use crate::{
    console,
    engines::{EngineQueue, problem},
    function::InvocationError,
};

/// Most messages of an invocation.
const BATCH_SIZE: i32 = 10;
/// Wait time of a long poll; the longest that SQS allows.
const LONG_POLL: Duration = Duration::from_secs(20);
/// Pause after an error of the queue.
const PAUSE: Duration = Duration::from_secs(1);

/// A queue and the function that consumes it.
///
/// `invoke` takes the event and returns the function's answer, or an error if there is none.
#[derive(Clone, Debug)]
pub struct EventSourceMapping<I> {
    sqs: Client,
    queue: EngineQueue,
    invoke: I,
}

/// The outcome of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchOutcome {
    /// Number of received messages.
    pub received: usize,
    /// Number of failed messages, which stay in the queue.
    pub failed: usize,
}

/// The queue could not be read, or a finished message could not be deleted.
#[derive(Debug, thiserror::Error)]
#[error("the queue {queue}, {action}: {problem}")]
pub struct MappingError {
    queue: String,
    action: &'static str,
    problem: String,
}

/// A whole batch failed and stays in the queue.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Invocation(InvocationError),
    #[error(transparent)]
    Answer(batch::Unreadable),
}

impl<I, F> EventSourceMapping<I>
where
    I: Fn(Value) -> F,
    F: Future<Output = Result<Bytes, InvocationError>>,
{
    /// Returns a mapping of a queue.
    pub fn new(sqs: Client, queue: EngineQueue, invoke: I) -> Self {
        Self { sqs, queue, invoke }
    }

    /// Delivers batches, two at a time, until `stop` resolves. A started batch is finished.
    pub async fn run(&self, stop: impl Future<Output = ()>) {
        let stop = stop.shared();
        futures::join!(self.poll(stop.clone()), self.poll(stop));
    }

    async fn poll(&self, stop: impl Future<Output = ()> + Clone) {
        loop {
            // Stopping interrupts the wait for messages, never a batch.
            let received = tokio::select! {
                biased;
                () = stop.clone() => return,
                received = self.receive(LONG_POLL) => received,
            };
            let handled = match received {
                Ok(messages) => self.handle(messages).await,
                Err(error) => Err(error),
            };
            if let Err(error) = handled {
                console::warn(&error.to_string());
                tokio::select! {
                    () = stop.clone() => return,
                    () = tokio::time::sleep(PAUSE) => {}
                }
            }
        }
    }

    /// Delivers one batch. Waits up to `wait` (at most 20 s) for a first message.
    pub async fn poll_once(&self, wait: Duration) -> Result<BatchOutcome, MappingError> {
        let messages = self.receive(wait).await?;
        self.handle(messages).await
    }

    async fn receive(&self, wait: Duration) -> Result<Vec<Message>, MappingError> {
        let seconds = wait.min(LONG_POLL).as_secs();
        let received = self
            .sqs
            .receive_message()
            .queue_url(&self.queue.url)
            .max_number_of_messages(BATCH_SIZE)
            .wait_time_seconds(i32::try_from(seconds).unwrap_or(0))
            .message_system_attribute_names(MessageSystemAttributeName::All)
            .message_attribute_names("All")
            .send()
            .await
            .map_err(|error| self.error("receiving", problem(&error)))?;
        Ok(received.messages.unwrap_or_default())
    }

    fn error(&self, action: &'static str, problem: String) -> MappingError {
        MappingError {
            queue: self.queue.url.clone(),
            action,
            problem,
        }
    }

    async fn handle(&self, messages: Vec<Message>) -> Result<BatchOutcome, MappingError> {
        let received = messages.len();
        if received == 0 {
            return Ok(BatchOutcome::default());
        }
        let ids: Vec<_> = messages
            .iter()
            .filter_map(Message::message_id)
            .collect();
        let answer = (self.invoke)(batch::event(&messages, &self.queue.arn)).await;
        let failed = match answer
            .map_err(Failure::Invocation)
            .and_then(|answer| batch::failures(&answer, &ids).map_err(Failure::Answer))
        {
            Ok(failed) => failed,
            Err(failure) => {
                console::warn(&format!("a batch of {received} failed: {failure}"));
                return Ok(BatchOutcome {
                    received,
                    failed: received,
                });
            }
        };
        let done = messages.iter().filter(|message| {
            message
                .message_id()
                .is_none_or(|id| !failed.contains(id))
        });
        self.delete(done).await?;
        Ok(BatchOutcome {
            received,
            failed: failed.len(),
        })
    }

    async fn delete(&self, messages: impl Iterator<Item = &Message>) -> Result<(), MappingError> {
        let failed = |problem| self.error("deleting", problem);
        let entries: Vec<_> = messages
            .enumerate()
            .map(|(index, message)| {
                DeleteMessageBatchRequestEntry::builder()
                    .id(index.to_string())
                    .set_receipt_handle(
                        message
                            .receipt_handle()
                            .map(str::to_owned),
                    )
                    .build()
            })
            .collect::<Result<_, _>>()
            .map_err(|error| failed(error.to_string()))?;
        if entries.is_empty() {
            return Ok(());
        }
        self.sqs
            .delete_message_batch()
            .queue_url(&self.queue.url)
            .set_entries(Some(entries))
            .send()
            .await
            .map_err(|error| failed(problem(&error)))?;
        Ok(())
    }
}
