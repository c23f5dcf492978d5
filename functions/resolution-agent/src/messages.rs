//! Messages to the worker.

use std::time::Duration;

use shared::{agent::Message, queue::Queue};

/// Time limit for sending to the queue.
const PATIENCE: Duration = Duration::from_secs(2);

/// Sends messages. Whatever they ask for is recorded already, so a queue that refuses them delays the
/// work and loses none: the sweeper sends what is due.
pub async fn send(queue: &Queue, messages: &[Message]) {
    let sent = tokio::time::timeout(PATIENCE, queue.send(messages)).await;
    let cause = match sent {
        Ok(sent) => sent
            .into_iter()
            .find_map(Result::err)
            .map(|error| error.chain()),
        Err(_) => Some("the queue did not respond in time".to_owned()),
    };
    if let Some(cause) = cause {
        tracing::warn!(
            cause,
            "sending to the queue failed; the sweeper will send the messages"
        );
    }
}
