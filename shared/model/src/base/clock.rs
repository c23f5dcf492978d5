//! The only place that reads a clock.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, Instant},
};

use chrono::Utc;

use crate::base::Timestamp;

/// A source of the current time: the system's, or one that a test sets and moves.
#[derive(Clone, Debug)]
pub struct Clock(Source);

#[derive(Clone, Debug)]
enum Source {
    System,
    /// Milliseconds since the Unix epoch.
    Fixed(Arc<AtomicI64>),
}

impl Clock {
    pub const fn system() -> Self {
        Self(Source::System)
    }

    /// A clock that stands still until [`advance`](Self::advance) moves it. Clones share the time.
    pub fn fixed(at: Timestamp) -> Self {
        Self(Source::Fixed(Arc::new(AtomicI64::new(at.millis()))))
    }

    /// The current time, in whole milliseconds.
    pub fn now(&self) -> Timestamp {
        match &self.0 {
            #[expect(
                clippy::disallowed_methods,
                reason = "this is the one place that reads it"
            )]
            Source::System => Timestamp::from(Utc::now()),
            Source::Fixed(millis) => Timestamp::from_millis(millis.load(Ordering::SeqCst)),
        }
    }

    /// Moves a fixed clock by `millis`. Does nothing to the system's clock.
    pub fn advance(&self, millis: i64) {
        if let Source::Fixed(at) = &self.0 {
            at.fetch_add(millis, Ordering::SeqCst);
        }
    }
}

/// Measures elapsed time on the machine's monotonic clock, which no test sets.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    pub fn start() -> Self {
        #[expect(
            clippy::disallowed_methods,
            reason = "this is the one place that reads it"
        )]
        Self(Instant::now())
    }

    pub fn elapsed(self) -> Duration {
        self.0.elapsed()
    }
}
