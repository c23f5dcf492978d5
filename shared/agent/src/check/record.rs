//! Checks of target systems: their purposes, their times, and the records of their results.

use model::{
    base::{JsonText, Timestamp, span},
    names,
};
use serde_json::{Value, json};

use crate::check::{
    Facts, Observation, Reconciliation, ResolvedWhen, TargetRead, Verification, facts::reads_with,
    observation::kept, reads_of,
};

/// A planned check of target systems: its purpose, its reads and its times.
#[derive(Clone, Copy, Debug)]
pub struct Check<'a> {
    pub purpose: Purpose<'a>,
    pub(crate) reads: &'a [TargetRead],
    pub(crate) timetable: Timetable,
}

#[derive(Clone, Copy, Debug)]
pub enum Purpose<'a> {
    /// An action had its effect.
    Effect(&'a Verification),
    /// A call with an unclear result took effect.
    Call(&'a Reconciliation),
    /// The matter of an alert is settled.
    AlertEnd(&'a ResolvedWhen),
}

impl<'a> Check<'a> {
    pub fn reads(&self) -> Vec<TargetRead> {
        match self.purpose {
            Purpose::Effect(verify) => reads_of(self.reads, verify.all_conditions()),
            Purpose::Call(reconcile) => {
                reads_with(self.reads, reconcile.conditions(), reconcile.mark())
            }
            Purpose::AlertEnd(end) => reads_of(self.reads, &end.conditions),
        }
    }

    pub(crate) fn of_alert(end: &'a ResolvedWhen) -> Self {
        Self {
            purpose: Purpose::AlertEnd(end),
            reads: &end.reads,
            timetable: Timetable::ALERT_END,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Timetable {
    /// Milliseconds after the end of the action. Without one, pauses after the check before, of
    /// which the last one ends the checks.
    times: &'static [i64],
    /// The end of the action, and the time of the last planned check.
    period: Option<(Timestamp, Timestamp)>,
    /// One more check, also after the last planned one.
    further: Option<Timestamp>,
}

impl Timetable {
    /// Times of the checks of a call, in milliseconds after the end of the action.
    pub(crate) const OF_CALL: &'static [i64] = &[
        15 * span::SECOND,
        span::MINUTE,
        5 * span::MINUTE,
        30 * span::MINUTE,
        3 * span::HOUR,
        12 * span::HOUR,
    ];
    /// Times of the checks of an effect, in milliseconds after the end of the action. They apply
    /// within the time of the effect; one more check follows at its end.
    pub(crate) const OF_EFFECT: &'static [i64] = &[
        0,
        15 * span::SECOND,
        span::MINUTE,
        5 * span::MINUTE,
        15 * span::MINUTE,
        30 * span::MINUTE,
        span::HOUR,
        3 * span::HOUR,
        6 * span::HOUR,
        12 * span::HOUR,
    ];
    /// The shortest time between two checks of an action, in milliseconds.
    const BETWEEN: i64 = 15 * span::SECOND;

    /// Checks of an alert's end. After the last one, the alert stays open until a user resolves it,
    /// or settles another action.
    pub(crate) const ALERT_END: Self = Self {
        times: Self::OF_EFFECT.split_at(1).1,
        period: None,
        further: None,
    };

    /// Creates the times of checks of an action that ended at `end`.
    pub(crate) const fn of(times: &'static [i64], end: Timestamp, within: i64) -> Self {
        let period = Some((end, end.plus(within)));
        Self {
            times,
            period,
            further: None,
        }
    }

    /// Adds a check at an instant.
    pub(crate) const fn with(self, further: Option<Timestamp>) -> Self {
        Self { further, ..self }
    }

    /// True if the time of the last planned check has come.
    pub(crate) fn is_over(&self, now: Timestamp) -> bool {
        let ends = self
            .period
            .map(|(_, until)| self.further.max(Some(until)));
        ends.flatten()
            .is_some_and(|end| end <= now)
    }

    /// Returns the time of the next check after so many. After the planned times, half of the last
    /// of them passes between two checks. The time is at most the last planned one, unless that has
    /// passed.
    pub(crate) fn next(&self, checks: i64, now: Timestamp) -> Option<Timestamp> {
        let place = usize::try_from(checks).unwrap_or(usize::MAX);
        let planned = self.times.get(place);
        let Some((since, until)) = self.period else {
            return planned.map(|pause| now.plus(*pause));
        };
        let last = self
            .times
            .last()
            .copied()
            .unwrap_or_default();
        let planned = planned.map_or(now.plus(last / 2), |time| since.plus(*time));
        let soonest = now.plus(Self::BETWEEN);
        let next = planned.max(soonest);
        let next = if now < until {
            next.min(until)
        } else {
            next.max(now.plus(5 * span::MINUTE))
        };
        let further = self
            .further
            .map(|further| further.max(soonest));
        Some(further.map_or(next, |further| further.min(next)))
    }
}

/// A precondition check that is not in the journal yet.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckResult {
    pub at: Timestamp,
    pub found: Facts,
    pub problem: Option<String>,
}

impl CheckResult {
    pub(crate) fn detail(&self) -> Value {
        json!({ "found": kept(&self.found), "problem": self.problem })
    }
}

/// The checks of one purpose, and what they found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CheckRecord {
    pub status: CheckStatus,
    /// Number of checks so far.
    pub count: i64,
    pub at: Option<Timestamp>,
    /// The next check; none once the status is final.
    pub next: Option<Timestamp>,
    /// The facts found by the last check, by `read.fact`.
    pub found: Option<JsonText>,
    /// The reason if the last check did not pass.
    pub problem: Option<String>,
}

names! {
    /// The purpose of the checks after the end of an action.
    pub enum CheckPurpose {
        /// An answer of a call was unclear: did the call take effect?
        Call,
        /// The action succeeded: did it have its effect?
        Effect,
    }
}

names! {
    /// The result of the checks of a target system.
    #[derive(Default)]
    pub enum CheckStatus {
        /// More checks follow.
        Pending = default,
        /// The call took effect, or the action had its effect.
        Done,
        /// The call took no effect, or the effect was not found in time.
        NotDone,
        /// The checks are over, and none of them told. A person decides.
        Unknown,
    }
}

impl CheckRecord {
    pub(crate) fn first(next: Option<Timestamp>) -> Self {
        Self {
            next,
            ..Self::default()
        }
    }

    pub(crate) fn is_pending(&self) -> bool {
        self.status == CheckStatus::Pending
    }

    /// Records a check with its result, and plans the next. Returns the details of its journal
    /// entry.
    pub(crate) fn add(
        &mut self,
        purpose: CheckPurpose,
        observation: &Observation,
        (status, problem): (CheckStatus, Option<String>),
        timetable: Timetable,
        now: Timestamp,
    ) -> Value {
        self.status = status;
        self.count += 1;
        self.at = Some(now);
        self.found = Some(JsonText(kept(&observation.facts)));
        self.problem = problem;
        let next = timetable.next(self.count, now);
        self.next = next.filter(|_| self.is_pending());
        json!({
            "purpose": purpose,
            "status": status,
            "count": self.count,
            "found": self.found.as_ref().map(|facts| &facts.0),
            "problem": self.problem,
        })
    }
}
