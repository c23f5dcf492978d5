//! The queues: of approved actions, of webhook deliveries, and of the sweeper.

use std::{collections::HashSet, sync::Arc, time::Duration};

use aws_sdk_sqs::{Client, error::DisplayErrorContext, types::SendMessageBatchRequestEntry};
use model::base::{Error, QueueMessage, Source};

use crate::telemetry;

/// Most messages of one request.
const BATCH: usize = 10;

/// The time limit of messages that the sweeper sends otherwise.
const PATIENCE: Duration = Duration::from_secs(2);

/// A queue. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Queue {
    client: Client,
    url: Arc<str>,
}

impl Queue {
    pub fn new(client: Client, url: &str) -> Self {
        Self {
            client,
            url: url.into(),
        }
    }

    /// Sends messages, ten a request, all requests at once. Returns a result for each message. A
    /// failure loses nothing, since the sweeper sends again.
    pub async fn send<M: QueueMessage>(&self, messages: &[M]) -> Vec<Result<(), Error>> {
        let requests = messages.chunks(BATCH);
        let requests = requests.map(|some| self.send_batch(some, QueueMessage::delay));
        let sent = futures::future::join_all(requests).await;
        sent.into_iter().flatten().collect()
    }

    /// Sends messages of work that is recorded already. Logs a failure: the sweeper sends what is
    /// due. Waits two seconds at most.
    pub async fn try_send<M: QueueMessage>(&self, messages: &[M]) {
        if !messages.is_empty() {
            log_failure(self.send(messages)).await;
        }
    }

    /// As [`try_send`](Self::try_send), of a message that the queue holds back for `delay`, at most
    /// 15 minutes.
    pub async fn try_send_after<M: QueueMessage>(&self, message: M, delay: Duration) {
        log_failure(self.send_batch(&[message], |_| delay)).await;
    }

    async fn send_batch<M: QueueMessage>(
        &self,
        messages: &[M],
        delay: impl Fn(&M) -> Duration,
    ) -> Vec<Result<(), Error>> {
        let result = |accepted: &Result<HashSet<String>, String>, place: usize| match accepted {
            Ok(accepted) if accepted.contains(&place.to_string()) => Ok(()),
            Ok(_) => Err(failed("the queue refused the message")),
            Err(text) => Err(failed(text.as_str())),
        };
        let accepted = self.accepted(messages, delay).await;
        let places = 0..messages.len();
        places
            .map(|place| result(&accepted, place))
            .collect()
    }

    /// Sends a batch. Returns the places of the messages that the queue accepted, or why it took
    /// none.
    async fn accepted<M: QueueMessage>(
        &self,
        messages: &[M],
        delay: impl Fn(&M) -> Duration,
    ) -> Result<HashSet<String>, String> {
        let entry = |(place, message): (usize, &M)| {
            SendMessageBatchRequestEntry::builder()
                .id(place.to_string())
                .message_body(message.to_text()?)
                .set_message_group_id(message.group())
                .set_delay_seconds(delay_seconds(delay(message)))
                .build()
                .map_err(|error| Error::internal("building a batch of messages", error))
        };
        let entries: Result<Vec<_>, Error> = messages
            .iter()
            .enumerate()
            .map(entry)
            .collect();
        let batch = self
            .client
            .send_message_batch()
            .queue_url(&*self.url);
        let batch = batch.set_entries(Some(entries.map_err(|error| error.chain())?));
        let sent = batch.send().await;
        let sent = sent.map_err(|error| DisplayErrorContext(error).to_string())?;
        Ok(sent
            .successful
            .into_iter()
            .map(|entry| entry.id)
            .collect())
    }
}

async fn log_failure(sending: impl Future<Output = Vec<Result<(), Error>>>) {
    let failure = match tokio::time::timeout(PATIENCE, sending).await {
        Ok(sent) => sent.into_iter().find_map(Result::err),
        Err(elapsed) => Some(failed(elapsed)),
    };
    if let Some(error) = failure {
        telemetry::warn("the sweeper will send the messages", &error);
    }
}

fn failed(source: impl Into<Source>) -> Error {
    Error::Unavailable {
        what: "the queue",
        source: source.into(),
    }
}

/// Whole seconds that last as long as the delay, or longer; none for no delay.
fn delay_seconds(delay: Duration) -> Option<i32> {
    let seconds = i32::try_from(delay.as_millis().div_ceil(1_000)).ok();
    seconds.filter(|seconds| *seconds > 0)
}
