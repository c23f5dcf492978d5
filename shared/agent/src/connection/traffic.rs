//! The circuit breaker and the call limits of a connection.

use std::{collections::BTreeMap, pin::Pin};

use model::{
    base::{Error, OrganizationId, Slug, Timestamp, span},
    names,
};
use serde::{Deserialize, Serialize};

use crate::connection::Connection;

/// The state that all workers share about a connection. A connection without limits that gives
/// clear answers has none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConnectionTraffic {
    pub organization_id: OrganizationId,
    pub connection: Slug,
    pub breaker: Breaker,
    /// Actions at work, each with the end of its lease. Empty unless concurrent actions are
    /// limited.
    pub at_work: BTreeMap<String, Timestamp>,
    /// The earliest begin of the next call. None unless calls per second are limited.
    pub next_call: Option<Timestamp>,
    /// The earliest slot of the next action that has to wait. None unless one had to.
    #[serde(rename = "nextTurn")]
    pub next_slot: Option<Timestamp>,
}

/// The circuit breaker of a connection: no calls go to a system that gives unclear answers.
///
/// ```text
///            five unclear answers in a row               30 s pass, a claim
///   closed ────────────────────────────────▶ open ───────────────────────────▶ one probe
///      ▲                                      ▲                                  │  │
///      │                                      └──────────────────────────────────┘  │
///      │                                         unclear: for twice as long,        │
///      │                                         up to 15 minutes                   │
///      └────────────────────────────────────────────────────────────────────────────┘
///                                    a clear answer
/// ```
///
/// Any clear answer to a call that changes something closes it, even to a call from before it
/// opened. A clear answer to a read says nothing about such calls. Without calls, the count starts
/// over 15 minutes after an opening. A worker that knew of no trouble at its claim writes nothing
/// after a clear answer. Of overlapping calls, five unclear answers may thus open it despite a
/// clear one between them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Breaker {
    /// The revision of the connection with unclear answers. A new revision starts over.
    pub revision: i64,
    /// Unclear answers in a row.
    pub unclear: i64,
    /// The length of the current opening, in milliseconds; 0 while closed.
    pub pause: i64,
    /// The end of the opening; none while closed.
    pub open_until: Option<Timestamp>,
    pub probe_until: Option<Timestamp>,
}

names! {
    /// The state of a circuit breaker.
    pub enum BreakerState {
        /// Calls are sent.
        Closed,
        /// No calls are sent.
        Open,
        /// A probe is due or under way.
        Probing,
    }
}

#[derive(Clone, Copy, Debug)]
pub struct AdmissionRequest<'a> {
    /// Its unique name among the actions of its connection.
    pub action: &'a str,
    /// The length of its worker's lease, in milliseconds.
    pub lease: i64,
    /// The number of calls that it will probably send, at least 1.
    pub calls: i64,
    /// The slot that it waited for, if any.
    pub slot: Option<Timestamp>,
    pub now: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// The first call may begin at this instant, at most [a
    /// second](ConnectionTraffic::LONGEST_WAIT_OF_WORKERS) ahead.
    From(Timestamp),
    /// Ask again at this instant, which is its slot.
    Slot(Timestamp),
    /// Retry at this instant.
    Deferred(Timestamp),
}

pub type Counting<'a, T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send + 'a>>;

/// Counts reads for the limit of calls per second and for the breaker of their connection. The
/// store counts in the table, which the calls of target systems do not know.
pub trait ReadCounter: Send + Sync {
    /// Returns when each of so many reads may begin. An error is the instant of a retry: the
    /// breaker is open, or the limit of calls leaves no time.
    fn read_slots<'a>(
        &'a self,
        connection: &'a Connection,
        count: usize,
    ) -> Counting<'a, Result<Vec<Timestamp>, Timestamp>>;

    /// Records an unclear answer, which may open the breaker.
    fn unclear<'a>(&'a self, connection: &'a Connection) -> Counting<'a, ()>;

    fn now(&self) -> Timestamp;
}

impl Breaker {
    /// Number of unclear answers in a row that open it.
    pub const OPENS_AFTER: i64 = 5;
    /// The first opening, in milliseconds.
    pub const FIRST_PAUSE: i64 = 30 * span::SECOND;
    /// The longest opening, in milliseconds.
    pub const LONGEST_PAUSE: i64 = 15 * span::MINUTE;

    fn new(revision: i64) -> Self {
        Self {
            revision,
            ..Self::default()
        }
    }

    pub fn state(&self, now: Timestamp) -> BreakerState {
        match self.open_until {
            None => BreakerState::Closed,
            Some(open) if now < open => BreakerState::Open,
            Some(_) => BreakerState::Probing,
        }
    }

    /// Returns until when no call is sent, if so. During a probe, other actions retry after the
    /// first pause.
    fn defer(&self, now: Timestamp) -> Option<Timestamp> {
        let open = self.open_until?;
        if now < open {
            return Some(open);
        }
        let probe = self
            .probe_until
            .filter(|until| now < *until)?;
        Some(probe.min(now.plus(Self::FIRST_PAUSE)))
    }

    /// Records an answer. Returns whether that changed anything. An unclear answer to a call from
    /// before the opening changes nothing.
    fn answered(&mut self, is_clear: bool, now: Timestamp) -> bool {
        if is_clear {
            let was_troubled = self.is_troubled();
            *self = Self::new(self.revision);
            return was_troubled;
        }
        match self.open_until {
            Some(open) if now < open => return false,
            Some(open) if open.plus(Self::LONGEST_PAUSE) < now => {
                *self = Self::new(self.revision);
                self.unclear = 1;
            }
            Some(_) => self.open((self.pause * 2).min(Self::LONGEST_PAUSE), now),
            None => {
                self.unclear += 1;
                if self.unclear >= Self::OPENS_AFTER {
                    self.open(Self::FIRST_PAUSE, now);
                }
            }
        }
        true
    }

    fn open(&mut self, pause: i64, now: Timestamp) {
        self.pause = pause;
        self.open_until = Some(now.plus(pause));
        self.probe_until = None;
    }

    const fn is_troubled(&self) -> bool {
        self.unclear > 0 || self.open_until.is_some()
    }
}

impl ConnectionTraffic {
    /// The longest wait of a worker for an action's first call, in milliseconds. Before a longer
    /// wait, an action gets a slot and occupies no worker.
    pub const LONGEST_WAIT_OF_WORKERS: i64 = span::SECOND;
    /// The farthest slot, in milliseconds. Beyond it, an action asks again without one.
    pub const FARTHEST_SLOT: i64 = 10 * span::MINUTE;
    /// The longest wait for a further call or for a read, in milliseconds. Beyond it, the action is
    /// released.
    pub const LONGEST_WAIT: i64 = 20 * span::SECOND;
    /// The retry delay of an action that found the concurrency limit reached, in milliseconds.
    pub const FULL: i64 = 10 * span::SECOND;

    pub fn none(connection: &Connection) -> Self {
        Self {
            organization_id: connection.organization_id,
            connection: connection.name.clone(),
            breaker: Breaker::default(),
            at_work: BTreeMap::new(),
            next_call: None,
            next_slot: None,
        }
    }

    pub fn breaker_of(&self, connection: &Connection) -> Breaker {
        let own = (self.breaker.revision == connection.revision).then_some(self.breaker);
        own.unwrap_or_else(|| Breaker::new(connection.revision))
    }

    /// True if the connection recently gave unclear answers.
    pub fn is_troubled(&self, connection: &Connection) -> bool {
        self.breaker_of(connection)
            .is_troubled()
    }

    /// Admits an action if the breaker and the limits permit. After an opening, the action is the
    /// probe. An admitted action is at work until its lease ends or [it ends](Self::ends), and its
    /// first call gets a slot. If that is too far ahead, it gets a slot. A deferred action without
    /// a slot changes nothing.
    pub fn admit(&mut self, connection: &Connection, request: AdmissionRequest<'_>) -> Admission {
        let now = request.now;
        let mut breaker = self.breaker_of(connection);
        if let Some(until) = breaker.defer(now) {
            return Admission::Deferred(until);
        }
        if !self.has_place(connection, request) {
            return Admission::Deferred(now.plus(Self::FULL));
        }
        let begins = match self.line_up(connection, request) {
            Admission::From(begins) => begins,
            deferred => return deferred,
        };
        let until = now.plus(request.lease);
        if breaker.state(now) == BreakerState::Probing {
            breaker.probe_until = Some(until);
            self.breaker = breaker;
        }
        if connection.limits.concurrent.is_some() {
            self.at_work
                .retain(|_, until| now < *until);
            self.at_work
                .insert(request.action.to_owned(), until);
        }
        Admission::From(begins)
    }

    /// Reserves a slot for the first call of an action, or gives it a slot behind those that wait.
    /// An action whose slot has come goes before newcomers.
    fn line_up(&mut self, connection: &Connection, request: AdmissionRequest<'_>) -> Admission {
        let now = request.now;
        let Some(apart) = apart(connection) else {
            return Admission::From(now);
        };
        let soon = now.plus(Self::LONGEST_WAIT_OF_WORKERS);
        let free = self.next_call.unwrap_or(now).max(now);
        let end_of_line = self.next_slot.unwrap_or(now).max(free);
        if free <= soon && request.slot.unwrap_or(end_of_line) <= soon {
            self.next_call = Some(free.plus(apart));
            return Admission::From(free);
        }
        let farthest = now.plus(Self::FARTHEST_SLOT);
        if farthest < end_of_line {
            return Admission::Deferred(farthest);
        }
        self.next_slot = Some(end_of_line.plus(apart * request.calls));
        Admission::Slot(end_of_line)
    }

    /// Reserves a slot for another call of an action at work. Returns its begin, or when to retry.
    pub fn slot(
        &mut self,
        connection: &Connection,
        now: Timestamp,
    ) -> Result<Timestamp, Timestamp> {
        let Some(apart) = apart(connection) else {
            return Ok(now);
        };
        let latest = now.plus(Self::LONGEST_WAIT);
        let next = self.next_call.unwrap_or(now).max(now);
        if next > latest {
            // Only a fast clock can have set a later slot.
            return Err(next.min(latest.plus(apart)));
        }
        self.next_call = Some(next.plus(apart));
        Ok(next)
    }

    /// Removes an ended action. Returns whether it counted as at work.
    pub fn ends(&mut self, action: &str) -> bool {
        self.at_work.remove(action).is_some()
    }

    /// Records an answer of a connection. Returns whether that changed anything. An older
    /// revision's answer says nothing about a newer revision.
    pub fn answered(&mut self, connection: &Connection, is_clear: bool, now: Timestamp) -> bool {
        if connection.revision < self.breaker.revision {
            return false;
        }
        let mut breaker = self.breaker_of(connection);
        let is_news = breaker.answered(is_clear, now);
        if is_news {
            self.breaker = breaker;
        }
        is_news
    }

    fn has_place(&self, connection: &Connection, request: AdmissionRequest<'_>) -> bool {
        let Some(most) = connection.limits.concurrent else {
            return true;
        };
        let at_work = self.at_work.iter();
        let others =
            at_work.filter(|(other, until)| request.now < **until && **other != request.action);
        i64::try_from(others.count()).is_ok_and(|others| others < most)
    }
}

/// Returns the milliseconds between two calls; none without a limit. Rounded up, so that no second
/// exceeds the limit.
fn apart(connection: &Connection) -> Option<i64> {
    let most = connection.limits.per_second?;
    Some((span::SECOND + most - 1) / most)
}
