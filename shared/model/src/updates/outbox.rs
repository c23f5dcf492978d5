//! The outbox: mails and webhook deliveries, and their attempts. Each attempt begins with a message
//! of a queue.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::base::{QueueMessage, Timestamp, span};

/// The longest pause for which the queue holds a message back, in milliseconds. After a longer one,
/// the sweeper sends the message.
pub(super) const LONGEST_DELAY: i64 = 15 * span::MINUTE;

/// The milliseconds that the queue has to deliver a message. After that, the sweeper sends another
/// one.
pub(super) const DELIVERY: i64 = 2 * span::MINUTE;

/// The milliseconds by which two clocks may differ.
pub(super) const SKEW: i64 = span::SECOND;

/// A record that is sent in attempts: a mail or a delivery.
pub trait Outgoing {
    type Message: QueueMessage;

    fn attempts(&mut self) -> &mut SendAttempts;

    /// The message for the next attempt. `None` when there is none to come, and when the sweeper is
    /// to send it.
    fn message(&self, now: Timestamp) -> Option<Self::Message>;
}

/// The attempts to send a record. Its item has them beside its other attributes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SendAttempts {
    /// Attempts since it was created or sent again by a user.
    pub attempts: i64,
    /// The problem of the last attempt; none after a success.
    pub last_error: Option<String>,
    /// The instant of the next attempt; none when there is none to come.
    pub next_attempt_at: Option<Timestamp>,
    /// The end of the running attempt.
    pub leased_until: Option<Timestamp>,
    /// The instant from which the sweeper sends a message for it; none when no attempt is to come.
    pub due_at: Option<Timestamp>,
}

impl SendAttempts {
    pub(super) fn new(first: Timestamp) -> Self {
        let mut new = Self::default();
        new.plan(first);
        new
    }

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

    /// Begins an attempt of at most `lease` milliseconds. It counts, whatever becomes of it.
    pub fn begin(&mut self, lease: i64, now: Timestamp) {
        let until = now.plus(lease);
        self.attempts += 1;
        self.leased_until = Some(until);
        self.due_at = self.due_at.max(Some(until));
    }

    /// Notes that the sweeper sent a message for it. After ten minutes, it sends yet another one.
    pub fn resent(&mut self, now: Timestamp) {
        self.due_at = Some(now.plus(10 * span::MINUTE));
    }

    /// The delay of the next attempt's message. `None` when there is none to come, and when the
    /// sweeper is to send it.
    pub(super) fn delay(&self, now: Timestamp) -> Option<Duration> {
        let pause = self.next_attempt_at?.since(now).max(0);
        (pause <= LONGEST_DELAY).then(|| Duration::from_millis(pause.unsigned_abs()))
    }

    /// The pause after the last attempt; none after the last of all.
    pub(super) fn pause(&self, pauses: &[i64]) -> Option<i64> {
        let attempt = usize::try_from(self.attempts).unwrap_or_default();
        pauses
            .get(attempt.saturating_sub(1))
            .copied()
    }

    /// Plans the next attempt. A running one goes on.
    pub(super) fn plan(&mut self, next: Timestamp) {
        self.next_attempt_at = Some(next);
        self.due_at = Some(next.plus(DELIVERY));
    }

    /// Ends an attempt by a problem, and plans the next one.
    pub(super) fn retry(&mut self, problem: String, next: Timestamp, now: Timestamp) {
        self.plan(next);
        if next.since(now) > LONGEST_DELAY {
            self.due_at = Some(next);
        }
        self.last_error = Some(problem);
        self.leased_until = None;
    }

    /// Ends the last attempt, by a problem or by none.
    pub(super) fn end(&mut self, problem: Option<String>) {
        self.last_error = problem;
        self.next_attempt_at = None;
        self.leased_until = None;
        self.due_at = None;
    }
}
