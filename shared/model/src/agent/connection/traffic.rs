//! How a connection answers and how much it is called: the rules of its breaker and of its limits.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::Connection;
use crate::{OrganizationId, Slug, Timestamp, span};

/// What all workers know together of a connection. There is none of a connection that is not limited
/// and gives clear answers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ConnectionTraffic {
    /// The owning organization.
    pub organization_id: OrganizationId,
    /// The connection.
    pub connection: Slug,
    /// How it answers.
    pub breaker: Breaker,
    /// Actions that are at work, each until its lease ends. Only of a connection that takes so many
    /// at once.
    #[serde(default)]
    pub at_work: BTreeMap<String, Timestamp>,
    /// When the next call may begin. Only of a connection that takes so many a second.
    #[serde(default)]
    pub next_call: Option<Timestamp>,
}

/// The breaker of a connection: a system that gives no clear answers is left alone for a while.
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
/// Any clear answer closes it, also one that somebody waited for since before it opened. A worker that
/// knew of no trouble when it claimed its action writes nothing when it gets a clear answer, so that of
/// calls that overlap, five unclear answers may open it though a clear one came between them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Breaker {
    /// The revision of the connection that did not answer clearly; another one begins anew.
    pub revision: i64,
    /// Unclear answers in a row.
    pub unclear: i64,
    /// How long it was opened for, in milliseconds; 0 while it is closed.
    pub pause: i64,
    /// Until when it is open; none while it is closed.
    pub open_until: Option<Timestamp>,
    /// Until when a probe is under way, unless its answer comes before.
    pub probe_until: Option<Timestamp>,
}

/// Where a breaker stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BreakerState {
    /// Calls are sent.
    Closed,
    /// None is sent.
    Open,
    /// The next call decides, or one that is under way.
    Probing,
}

/// An action that asks to be at work.
#[derive(Clone, Copy, Debug)]
pub struct Asking<'a> {
    /// Its name among all actions of its connection.
    pub action: &'a str,
    /// How long it would be its worker's, in milliseconds.
    pub lease: i64,
    /// When it asks.
    pub now: Timestamp,
}

/// What an action gets that asks to be at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// Its first call may begin then.
    From(Timestamp),
    /// It is to ask again then.
    PutOff(Timestamp),
}

impl Breaker {
    /// The unclear answers in a row that open it.
    pub const OPENS_AFTER: i64 = 5;
    /// How long it is open at first, in milliseconds.
    pub const FIRST_PAUSE: i64 = 30 * span::SECOND;
    /// The longest that it is open, in milliseconds.
    pub const LONGEST_PAUSE: i64 = 15 * span::MINUTE;

    /// Where it stands.
    #[must_use]
    pub fn state(&self, now: Timestamp) -> BreakerState {
        match self.open_until {
            None => BreakerState::Closed,
            Some(open) if now < open => BreakerState::Open,
            Some(_) => BreakerState::Probing,
        }
    }

    /// Until when nothing is sent, where that is so. While a probe is under way, others ask again
    /// after the first pause.
    fn put_off(&self, now: Timestamp) -> Option<Timestamp> {
        let open = self.open_until?;
        if now < open {
            return Some(open);
        }
        let probe = self.probe_until.filter(|until| now < *until)?;
        Some(probe.min(now.plus(Self::FIRST_PAUSE)))
    }

    /// Notes an answer; tells whether that changed anything. One that is not clear and was sent before
    /// it opened is no news.
    fn answered(&mut self, is_clear: bool, now: Timestamp) -> bool {
        if is_clear {
            let was_troubled = self.is_troubled();
            *self = Self {
                revision: self.revision,
                ..Self::default()
            };
            return was_troubled;
        }
        match self.open_until {
            Some(open) if now < open => return false,
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
    /// The longest that an action waits for its turn rather than to be given back, in milliseconds.
    pub const LONGEST_WAIT: i64 = 20 * span::SECOND;
    /// When an action asks again for which there was no place among those at work, in milliseconds.
    pub const FULL: i64 = 10 * span::SECOND;

    /// Of a connection of which nothing is known.
    #[must_use]
    pub fn none(connection: &Connection) -> Self {
        Self {
            organization_id: connection.organization_id,
            connection: connection.name.clone(),
            breaker: Breaker::default(),
            at_work: BTreeMap::new(),
            next_call: None,
        }
    }

    /// The breaker of this revision of the connection.
    #[must_use]
    pub fn breaker_of(&self, connection: &Connection) -> Breaker {
        if self.breaker.revision == connection.revision {
            self.breaker
        } else {
            Breaker {
                revision: connection.revision,
                ..Breaker::default()
            }
        }
    }

    /// Whether the connection gave unclear answers of late.
    #[must_use]
    pub fn is_troubled(&self, connection: &Connection) -> bool {
        self.breaker_of(connection).is_troubled()
    }

    /// Lets an action be at work, if the breaker and the limits allow it. It is the probe of a breaker
    /// whose pause is over, has a place among those at work until its lease ends or
    /// [it ends](Self::ends), and a turn for its first call. One that is put off changes nothing.
    pub fn admit(&mut self, connection: &Connection, asking: Asking<'_>) -> Admission {
        let now = asking.now;
        let mut breaker = self.breaker_of(connection);
        if let Some(until) = breaker.put_off(now) {
            return Admission::PutOff(until);
        }
        if !self.has_place(connection, asking) {
            return Admission::PutOff(now.plus(Self::FULL));
        }
        let begins = match self.turn(connection, now) {
            Ok(begins) => begins,
            Err(free) => return Admission::PutOff(free),
        };
        let until = now.plus(asking.lease);
        if breaker.state(now) == BreakerState::Probing {
            breaker.probe_until = Some(until);
            self.breaker = breaker;
        }
        if connection.limits.concurrent.is_some() {
            self.at_work.retain(|_, until| now < *until);
            self.at_work.insert(asking.action.to_owned(), until);
        }
        Admission::From(begins)
    }

    /// Lets another call of an action begin that is at work: answers when it may. Otherwise when it is
    /// worth asking again.
    pub fn turn(
        &mut self,
        connection: &Connection,
        now: Timestamp,
    ) -> Result<Timestamp, Timestamp> {
        let Some(most) = connection.limits.per_second else {
            return Ok(now);
        };
        // Rounded up, so that no second has more of them.
        let apart = (span::SECOND + most - 1) / most;
        let latest = now.plus(Self::LONGEST_WAIT);
        let next = self.next_call.unwrap_or(now).max(now);
        if next > latest {
            // Later than that, only a clock that is ahead has put it.
            return Err(next.min(latest.plus(apart)));
        }
        self.next_call = Some(next.plus(apart));
        Ok(next)
    }

    /// Has an action end that was at work; tells whether it had a place.
    pub fn ends(&mut self, action: &str) -> bool {
        self.at_work.remove(action).is_some()
    }

    /// Notes an answer of a connection; tells whether that changed anything. An older revision's says
    /// nothing of a newer one.
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

    fn has_place(&self, connection: &Connection, asking: Asking<'_>) -> bool {
        let Some(most) = connection.limits.concurrent else {
            return true;
        };
        let at_work = self.at_work.iter();
        let others =
            at_work.filter(|(other, until)| asking.now < **until && **other != asking.action);
        i64::try_from(others.count()).is_ok_and(|others| others < most)
    }
}
