//! Messages of queues.

use std::time::Duration;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::base::Error;

/// A message of a queue: a JSON object with the version of its form.
pub trait QueueMessage: Serialize {
    const VERSION: u32 = 1;

    /// The group, in a shared queue. Groups do not delay each other.
    fn group(&self) -> Option<String> {
        None
    }

    /// The time for which the queue holds the message back, at most 15 minutes.
    fn delay(&self) -> Duration {
        Duration::ZERO
    }

    fn to_text(&self) -> Result<String, Error> {
        let version = Self::VERSION;
        let message = self;
        serde_json::to_string(&Envelope { version, message })
            .map_err(|error| Error::internal("writing a message", error))
    }

    /// Parses a message; an unknown version or type is an error.
    fn from_text(text: &str) -> Result<Self, Error>
    where
        Self: DeserializeOwned,
    {
        let envelope: Envelope<Self> = serde_json::from_str(text)
            .map_err(|error| Error::internal("reading a message", error))?;
        if envelope.version == Self::VERSION {
            return Ok(envelope.message);
        }
        let problem = format!("version {} is unknown", envelope.version);
        Err(Error::internal("reading a message", problem))
    }
}

#[derive(Serialize, Deserialize)]
struct Envelope<M> {
    version: u32,
    #[serde(flatten)]
    message: M,
}
