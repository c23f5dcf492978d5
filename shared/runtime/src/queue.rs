//! The queue of approved actions.

use std::sync::Arc;

use agent::Message;
use aws_sdk_sqs::{Client, types::SendMessageBatchRequestEntry};
use model::Error;

/// Most messages of one request.
const BATCH: usize = 10;

/// The queue of approved actions. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Queue {
    client: Client,
    url: Arc<str>,
}

impl Queue {
    /// Returns the queue at a URL.
    #[must_use]
    pub fn new(client: Client, url: &str) -> Self {
        Self {
            client,
            url: url.into(),
        }
    }

    /// Sends messages, ten a request, all requests at once. Returns a result for each message. A
    /// failure loses nothing, since the sweeper sends again.
    pub async fn send(&self, messages: &[Message]) -> Vec<Result<(), Error>> {
        let requests = messages.chunks(BATCH).map(|some| self.send_batch(some));
        futures::future::join_all(requests)
            .await
            .into_iter()
            .flatten()
            .collect()
    }

    async fn send_batch(&self, messages: &[Message]) -> Vec<Result<(), Error>> {
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
                    .message_body(message.to_text()?)
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
