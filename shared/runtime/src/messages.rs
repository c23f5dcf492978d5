//! Messages of queues in functions: reading, handling, and asking for them again.

use std::{collections::BTreeMap, panic::AssertUnwindSafe, time::Duration};

use aws_lambda_events::sqs::{SqsBatchResponse, SqsEvent, SqsMessage};
use futures::{FutureExt, StreamExt, future::join_all, stream};
use model::base::{Error, QueueMessage, Stopwatch, Timestamp};
use serde::de::DeserializeOwned;

use crate::{queue::Queue, telemetry};

/// Messages of a group that are handled at the same time.
const AT_ONCE: usize = 5;

/// The time of an invocation within which attempts begin.
const TO_BEGIN: Duration = Duration::from_secs(15);

pub fn read<M: QueueMessage + DeserializeOwned>(message: &SqsMessage) -> Result<M, Error> {
    M::from_text(
        message
            .body
            .as_deref()
            .unwrap_or_default(),
    )
}

/// Waits for the work of a message. Returns whether it succeeded. An error or a panic is logged and
/// does not affect other messages.
pub async fn is_handled(
    message: &SqsMessage,
    work: impl Future<Output = Result<(), Error>>,
) -> bool {
    let cause = match AssertUnwindSafe(Box::pin(work))
        .catch_unwind()
        .await
    {
        Ok(Ok(())) => return true,
        Ok(Err(error)) => error.chain(),
        Err(_) => "a panic".to_owned(),
    };
    let message_id = message
        .message_id
        .as_deref()
        .unwrap_or_default();
    tracing::error!(messageId = message_id, cause, "cannot handle a message");
    false
}

/// Handles a batch: all groups of messages at the same time, and five messages of each. `work`
/// returns the message for the next attempt, which is sent. An error or a panic of one message does
/// not affect the others. Messages that are not begun within 15 seconds are delivered again.
pub async fn handle_groups<M, G, W>(
    event: SqsEvent,
    queue: &Queue,
    now: Timestamp,
    group: impl Fn(&M) -> G,
    work: impl Fn(M) -> W,
) -> SqsBatchResponse
where
    M: QueueMessage + DeserializeOwned,
    G: Ord,
    W: Future<Output = Result<Option<M>, Error>>,
{
    let began = Stopwatch::start();
    let mut groups: BTreeMap<Option<G>, Vec<_>> = BTreeMap::new();
    for message in event.records {
        let content = read::<M>(&message);
        groups
            .entry(content.as_ref().ok().map(&group))
            .or_default()
            .push((message, content));
    }
    let work = &work;
    let handling = groups.into_values().map(|messages| {
        let handled = stream::iter(messages).map(async |(message, content)| {
            let attempt = async {
                let next = work(content?).await?;
                queue.try_send(next.as_slice()).await;
                Ok(())
            };
            let is_handled = began.elapsed() <= TO_BEGIN && is_handled(&message, attempt).await;
            (message, is_handled)
        });
        handled
            .buffer_unordered(AT_ONCE)
            .collect::<Vec<_>>()
    });
    let handled = telemetry::metered(join_all(handling), now).await;
    response(handled.into_iter().flatten())
}

/// Returns the answer that requests unhandled messages again.
pub fn response(handled: impl IntoIterator<Item = (SqsMessage, bool)>) -> SqsBatchResponse {
    let mut response = SqsBatchResponse::default();
    for (message, is_handled) in handled {
        if !is_handled {
            // Without an id, the whole batch is delivered again.
            response.add_failure(message.message_id.unwrap_or_default());
        }
    }
    response
}
