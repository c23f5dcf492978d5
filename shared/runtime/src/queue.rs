//! The queues: of approved actions, of webhook deliveries, and of the sweeper.

use std::{sync::Arc, time::Duration};

use aws_sdk_sqs::{Client, types::SendMessageBatchRequestEntry};
use model::{Error, QueueMessage};

/// Most messages of one request.
const BATCH: usize = 10;

/// The time limit of messages that the sweeper sends otherwise.
const PATIENCE: Duration = Duration::from_secs(2);

pub trait Queued {
    fn text(&self) -> Result<String, Error>;

    /// The group in a shared queue. Its messages do not delay those of other groups.
    fn group(&self) -> Option<String> {
        None
    }

    /// The time for which the queue holds the message back, at most 15 minutes.
    fn delay(&self) -> Duration {
        Duration::ZERO
    }
}

impl<M: QueueMessage> Queued for M {
    fn text(&self) -> Result<String, Error> {
        self.to_text()
    }

    fn group(&self) -> Option<String> {
        QueueMessage::group(self)
    }

    fn delay(&self) -> Duration {
        QueueMessage::delay(self)
    }
}

/// A message that the queue holds back.
#[derive(Clone, Debug)]
pub struct Delayed<M> {
    pub message: M,
    /// The time for which the queue holds it back, at most 15 minutes.
    pub delay: Duration,
}

impl<M: Queued> Queued for Delayed<M> {
    fn text(&self) -> Result<String, Error> {
        self.message.text()
    }

    fn group(&self) -> Option<String> {
        self.message.group()
    }

    fn delay(&self) -> Duration {
        self.delay
    }
}

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
    pub async fn send<M: Queued>(&self, messages: &[M]) -> Vec<Result<(), Error>> {
        let requests = messages.chunks(BATCH).map(|some| self.send_batch(some));
        futures::future::join_all(requests)
            .await
            .into_iter()
            .flatten()
            .collect()
    }

    /// Sends messages of work that is recorded already. Logs a failure: the sweeper sends what is due. Waits
    /// two seconds at most.
    pub async fn try_send<M: Queued>(&self, messages: &[M]) {
        if messages.is_empty() {
            return;
        }
        let failure = match tokio::time::timeout(PATIENCE, self.send(messages)).await {
            Ok(sent) => sent.into_iter().find_map(Result::err),
            Err(elapsed) => Some(Error::Unavailable {
                what: "the queue",
                source: elapsed.into(),
            }),
        };
        if let Some(error) = failure {
            let cause = error.chain();
            tracing::warn!(cause, "the sweeper will send the messages");
        }
    }

    async fn send_batch<M: Queued>(&self, messages: &[M]) -> Vec<Result<(), Error>> {
        let failed = |source: &str| Error::Unavailable {
            what: "the queue",
            source: source.into(),
        };
        let entries: Result<Vec<_>, Error> = messages
            .iter()
            .enumerate()
            .map(|(place, message)| {
                SendMessageBatchRequestEntry::builder()
                    .id(place.to_string())
                    .message_body(message.text()?)
                    .set_message_group_id(message.group())
                    .set_delay_seconds(delay_seconds(message.delay()))
                    .build()
                    .map_err(|error| Error::internal("building a batch of messages", error))
            })
            .collect();
        let sent = match entries {
            Ok(entries) => {
                self.client
                    .send_message_batch()
                    .queue_url(&*self.url)
                    .set_entries(Some(entries))
                    .send()
                    .await
            }
            Err(error) => {
                let text = error.chain();
                return messages.iter().map(|_| Err(failed(&text))).collect();
            }
        };
        match sent {
            Ok(output) => (0..messages.len())
                .map(|place| {
                    let id = place.to_string();
                    if output.successful.iter().any(|entry| entry.id == id) {
                        Ok(())
                    } else {
                        Err(failed("the queue refused the message"))
                    }
                })
                .collect(),
            Err(error) => {
                let text = aws_sdk_sqs::error::DisplayErrorContext(error).to_string();
                messages.iter().map(|_| Err(failed(&text))).collect()
            }
        }
    }
}

/// Whole seconds that last as long as the delay, or longer; none for no delay.
fn delay_seconds(delay: Duration) -> Option<i32> {
    let seconds = i32::try_from(delay.as_millis().div_ceil(1_000)).ok();
    seconds.filter(|seconds| *seconds > 0)
}
