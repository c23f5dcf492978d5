//! The queue of approved actions: versioned messages that carry ids and nothing else, so that a
//! message never tells anything that the table does not know better.

use std::sync::Arc;

use aws_sdk_sqs::{
    Client,
    types::{MessageAttributeValue, SendMessageBatchRequestEntry},
};
use serde::{Deserialize, Serialize};

use crate::{
    Error,
    model::{AgentSessionId, OrganizationId},
    telemetry,
};

/// The attribute of a message that carries the trace of the request that sent it.
pub const TRACE_ID: &str = "traceId";

/// The most messages of one request.
const BATCH: usize = 10;

/// What is asked of the worker. It is delivered at least once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum Message {
    /// Run an approved action.
    RunAction {
        /// The organization that owns the session.
        organization_id: OrganizationId,
        /// The session.
        session_id: AgentSessionId,
        /// The action within the session.
        action_id: String,
    },
}

#[derive(Serialize, Deserialize)]
struct Envelope<M> {
    version: u32,
    #[serde(flatten)]
    message: M,
}

impl Message {
    const VERSION: u32 = 1;

    /// The message as it stands in the queue.
    pub fn to_text(&self) -> Result<String, Error> {
        serde_json::to_string(&Envelope {
            version: Self::VERSION,
            message: self,
        })
        .map_err(|error| Error::internal("writing a message", error))
    }

    /// Reads a message; an unknown version or type is an error.
    pub fn from_text(text: &str) -> Result<Self, Error> {
        let envelope: Envelope<Self> = serde_json::from_str(text)
            .map_err(|error| Error::internal("reading a message", error))?;
        if envelope.version == Self::VERSION {
            Ok(envelope.message)
        } else {
            Err(Error::internal(
                "reading a message",
                format!("version {} is unknown", envelope.version),
            ))
        }
    }
}

/// The queue of approved actions. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Queue {
    client: Client,
    url: Arc<str>,
}

impl Queue {
    /// The queue at that URL.
    #[must_use]
    pub fn new(client: Client, url: &str) -> Self {
        Self {
            client,
            url: url.into(),
        }
    }

    /// Sends messages, ten a request, all requests at once; answers for each message whether the
    /// queue took it. Nothing is lost by a failure, since the sweeper sends again.
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
                let trace = telemetry::trace_id().map(text_attribute).transpose()?;
                let attributes = trace.map(|trace| [(TRACE_ID.to_owned(), trace)].into());
                SendMessageBatchRequestEntry::builder()
                    .id(place.to_string())
                    .message_body(message.to_text()?)
                    .set_message_attributes(attributes)
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

fn text_attribute(text: String) -> Result<MessageAttributeValue, Error> {
    MessageAttributeValue::builder()
        .data_type("String")
        .string_value(text)
        .build()
        .map_err(|error| Error::internal("building a message", error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Id;

    #[test]
    fn a_message_carries_its_version_and_ids() {
        let message = Message::RunAction {
            organization_id: Id::new(1).unwrap(),
            session_id: Id::new(2).unwrap(),
            action_id: "s2-p1-a1".into(),
        };
        let text = message.to_text().unwrap();
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text).unwrap(),
            serde_json::json!({
                "version": 1, "type": "run_action",
                "organizationId": 1, "sessionId": 2, "actionId": "s2-p1-a1",
            })
        );
        assert_eq!(Message::from_text(&text).unwrap(), message);
    }

    #[test]
    fn what_is_no_message_of_a_known_version_is_refused() {
        for text in [
            "",
            "poison",
            "{}",
            r#"{"version":2,"type":"run_action","organizationId":1,"sessionId":2,"actionId":"a"}"#,
            r#"{"version":1,"type":"dance"}"#,
            r#"{"version":1,"type":"run_action","organizationId":1,"actionId":"a"}"#,
        ] {
            assert!(Message::from_text(text).is_err(), "{text}");
        }
    }
}
