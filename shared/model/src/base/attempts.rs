//! Messages of queues, and the attempts of mails and deliveries. Each attempt begins with a
//! message.

use std::time::Duration;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::base::{Error, span};

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

/// The longest pause for which the queue holds a message back, in milliseconds. After a longer one,
/// the sweeper sends the message.
pub const LONGEST_DELAY: i64 = 15 * span::MINUTE;

/// The milliseconds that the queue has to deliver a message. After that, the sweeper sends another
/// one.
pub const DELIVERY: i64 = 2 * span::MINUTE;

/// The milliseconds by which two clocks may differ.
pub const SKEW: i64 = span::SECOND;

/// Declares the attempts of a record: its status, its message, the milliseconds of an attempt, and
/// the pauses after the first and each further one.
macro_rules! attempted {
    ($record:ident, $status:ident, $message:ident, $lease:expr, $pauses:expr) => {
        impl $record {
            /// Returns true if an attempt may begin: one is to come, and none is running.
            pub fn may_begin(&self, now: Timestamp) -> bool {
                let is_due = self
                    .next_attempt_at
                    .is_some_and(|at| at <= now.plus(SKEW));
                is_due
                    && self
                        .leased_until
                        .is_none_or(|until| until <= now)
            }

            /// Begins an attempt. It counts, whatever becomes of it.
            pub fn begin(&mut self, now: Timestamp) {
                let until = now.plus($lease);
                self.attempts += 1;
                self.leased_until = Some(until);
                self.due_at = self.due_at.max(Some(until));
            }

            /// Notes that the sweeper sent a message for it. After ten minutes, it sends yet
            /// another one.
            pub fn resent(&mut self, now: Timestamp) {
                self.due_at = Some(now.plus(10 * span::MINUTE));
            }

            /// The delay of the next attempt's message. `None` when there is none to come, and when
            /// the sweeper is to send it.
            fn delay(&self, now: Timestamp) -> Option<Duration> {
                let pause = self.next_attempt_at?.since(now).max(0);
                (pause <= LONGEST_DELAY).then(|| Duration::from_millis(pause.unsigned_abs()))
            }

            /// The pause after the last attempt; none after the last of all.
            fn pause(&self) -> Option<i64> {
                let attempt = usize::try_from(self.attempts).unwrap_or_default();
                $pauses
                    .get(attempt.saturating_sub(1))
                    .copied()
            }

            /// Plans the next attempt.
            fn go_on(&mut self, next: Timestamp, now: Timestamp) {
                self.leased_until = None;
                self.next_attempt_at = Some(next);
                let is_short = next.since(now) <= LONGEST_DELAY;
                self.due_at = Some(if is_short { next.plus(DELIVERY) } else { next });
            }

            fn end(&mut self, status: $status) {
                self.status = status;
                self.next_attempt_at = None;
                self.leased_until = None;
                self.due_at = None;
            }
        }

        impl QueueMessage for $message {
            fn group(&self) -> Option<String> {
                Some(self.organization_id.to_string())
            }

            fn delay(&self) -> Duration {
                self.delay
            }
        }
    };
}

pub(crate) use attempted;
