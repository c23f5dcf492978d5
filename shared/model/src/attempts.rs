//! Attempts of mails and deliveries. Each begins with a message of a queue.

use crate::span;

/// The longest pause for which the queue holds a message back, in milliseconds. After a longer one, the
/// sweeper sends the message.
pub const LONGEST_DELAY: i64 = 15 * span::MINUTE;

/// The milliseconds that the queue has to deliver a message. After that, the sweeper sends another one.
pub const DELIVERY: i64 = 2 * span::MINUTE;

/// The milliseconds after which the sweeper sends yet another message.
pub const RESENT: i64 = 10 * span::MINUTE;

/// The milliseconds by which two clocks may differ.
pub const SKEW: i64 = span::SECOND;

/// Declares the attempts of a record: its status, its message, the milliseconds of an attempt, and the pauses after the
/// first and each further one.
macro_rules! attempted {
    ($record:ident, $status:ident, $message:ident, $lease:expr, $pauses:expr) => {
        impl $record {
            /// Returns true if an attempt may begin: one is to come, and none is running.
            pub fn may_begin(&self, now: Timestamp) -> bool {
                let is_due = self.next_attempt_at.is_some_and(|at| at <= now.plus(SKEW));
                is_due && self.leased_until.is_none_or(|until| until <= now)
            }

            /// Begins an attempt. It counts, whatever becomes of it.
            pub fn begin(&mut self, now: Timestamp) {
                let until = now.plus($lease);
                self.attempts += 1;
                self.leased_until = Some(until);
                self.due_at = self.due_at.max(Some(until));
            }

            /// Notes that the sweeper sent a message for it.
            pub fn resent(&mut self, now: Timestamp) {
                self.due_at = Some(now.plus($crate::attempts::RESENT));
            }

            /// The delay of the next attempt's message. `None` when there is none to come, and when the sweeper is to
            /// send it.
            fn delay(&self, now: Timestamp) -> Option<Duration> {
                let pause = self.next_attempt_at?.since(now).max(0);
                (pause <= LONGEST_DELAY).then(|| Duration::from_millis(pause.unsigned_abs()))
            }

            /// The pause after the last attempt; none after the last of all.
            fn pause(&self) -> Option<i64> {
                let attempt = usize::try_from(self.attempts).unwrap_or_default();
                $pauses.get(attempt.saturating_sub(1)).copied()
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
