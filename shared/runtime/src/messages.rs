//! Messages of queues in functions: reading, handling, and asking for them again.

use std::{panic::AssertUnwindSafe, time::Duration};

use aws_lambda_events::sqs::{SqsBatchResponse, SqsMessage};
use futures::FutureExt;
use model::base::{Error, QueueMessage, Stopwatch};
use serde::de::DeserializeOwned;

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

/// As [`is_handled`], unless the invocation began 15 seconds ago: then the message is delivered
/// again.
pub async fn is_handled_in_time(
    began: Stopwatch,
    message: &SqsMessage,
    work: impl Future<Output = Result<(), Error>>,
) -> bool {
    began.elapsed() <= TO_BEGIN && is_handled(message, work).await
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
