//! A worker's run of a claimed action, within one lease: a pure state machine. The worker does the
//! returned work, reports its result, and asks for the next.
//!
//! ```text
//!         ┌──────────────── again, after a pause ────────────────┐
//!         ▼                                                      │
//!   wait for a slot ──▶ read preconditions ──▶ read the effect ──┤
//!         ▲             until they hold        of a call in      │
//!         │                                    doubt             │
//!         └── the step is done ◀── send the call ◀───────────────┘
//! ```

use std::time::Duration;

use model::base::Timestamp;

use crate::{
    action::{ActionState, AgentAction, CallResult, Outcome},
    check::{Observation, TargetRead},
    connection::{ApiCall, Connection, ConnectionIdentity, Excerpt, Idempotency},
};

use super::{
    claim::Called,
    holder::{
        exhausted, found_done, next_attempt, not_sent, received, sends, stopped,
        stopped_by_resolution,
    },
    precondition::{Precondition, permits, permits_account},
};

#[derive(Clone, Debug)]
pub struct RunLimits {
    /// The timeout of a call, including its response.
    pub call: Duration,
    /// The timeout of concurrent reads.
    pub reads: Duration,
    /// Pauses before the retries, one per retry.
    pub pauses: Vec<Duration>,
    /// The longest pause, if the target system requests one.
    pub longest_pause: Duration,
}

/// The work of a worker that comes next.
#[derive(Clone, Debug, PartialEq)]
pub enum Work {
    /// Send these reads, and report [`observed`](Progress::observed).
    Read(Vec<TargetRead>),
    Wait(Wait),
    /// Send this call, and report [`received`](Progress::received).
    Send(NextCall),
    End(RunEnd),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Reserve a slot of the connection, and report it with [`reserved`](Progress::reserved).
    Slot,
    For(Duration),
}

#[derive(Clone, Debug, PartialEq)]
pub struct NextCall {
    pub call: ApiCall,
    pub key: String,
    /// True if it may have been sent before with this key.
    pub is_repeated: bool,
    /// True if the table announces it. Otherwise the worker [announces](Progress::announce) it
    /// first.
    pub is_announced: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub enum RunEnd {
    Outcome(Outcome),
    /// Release the action until an instant, for this reason.
    Release(Timestamp, String),
    /// Another worker took over.
    Lost,
}

#[derive(Debug)]
pub struct Progress {
    pub action: AgentAction,
    idempotency: Idempotency,
    /// Milliseconds for which the system keeps an idempotency key.
    kept_for: i64,
    limits: RunLimits,
    /// The read of the connection's account; none once the account is confirmed in this run.
    identity: Option<ConnectionIdentity>,
    stage: Stage,
    /// True if the table announces the next call, and nothing was sent or waited for since.
    is_announced: bool,
    /// True if the circuit breaker is open: no call is repeated.
    is_left_alone: bool,
    retries: usize,
    response: Option<Excerpt>,
    /// The pause that it requests, in milliseconds.
    retry_after: Option<i64>,
}

/// The part of an attempt that comes next.
#[derive(Clone, Debug)]
enum Stage {
    Slot,
    /// The begin of the next call; an error is the instant of a retry.
    Reserved(Result<Timestamp, Timestamp>),
    Preconditions,
    Doubt,
    /// The reads did not show the effect of the call in doubt.
    StillInDoubt,
    Send,
    /// The last call had no result, for this reason.
    Retry(String),
    /// Nothing more is sent in this run, for this reason.
    NotYet(String),
    End(RunEnd),
}

const NO_TIME: &str = "No time was left for the next call.";

impl Progress {
    /// Creates the progress of a claimed action, whose first call may begin at `begins`.
    pub fn new(action: AgentAction, called: Called, begins: Timestamp, limits: RunLimits) -> Self {
        Self {
            action,
            idempotency: called.idempotency,
            kept_for: called.kept_for,
            limits,
            identity: None,
            stage: Stage::Reserved(Ok(begins)),
            // The claim read the session for the first call.
            is_announced: true,
            is_left_alone: false,
            retries: 0,
            response: None,
            retry_after: None,
        }
    }

    /// Adds that the account of the connection is read before the first call.
    #[must_use]
    pub fn through(mut self, connection: &Connection) -> Self {
        let identity = connection.identity.clone();
        self.identity = identity.filter(|_| self.action.content.account().is_some());
        self
    }

    /// Returns the next work. `left` is the rest of the lease.
    pub fn next(&mut self, now: Timestamp, left: Duration) -> Work {
        if let Stage::End(end) = &self.stage {
            return Work::End(end.clone());
        }
        let place = self.action.progress.next_step();
        let Some(step) = self.action.content.steps.get(place) else {
            return Work::End(RunEnd::Outcome(Outcome::succeeded(self.response.take())));
        };
        let Some(call) = step.call.clone() else {
            let error = format!("Step {} has to be done by a person.", step.order);
            not_sent(&mut self.action);
            let response = self.response.clone();
            return Work::End(RunEnd::Outcome(Outcome::failed(response, error)));
        };
        loop {
            self.stage = match std::mem::replace(&mut self.stage, Stage::Slot) {
                Stage::Slot => return Work::Wait(Wait::Slot),
                Stage::Reserved(slot) => {
                    let (Ok(at) | Err(at)) = slot;
                    let wait = at.millis() - now.millis();
                    let wait = Duration::from_millis(u64::try_from(wait).unwrap_or(0));
                    if slot.is_ok() && wait.is_zero() {
                        Stage::Preconditions
                    } else if slot.is_err() || wait + self.limits.call > left {
                        self.no_time(
                            "The connection's limit of calls left no time for the next call.",
                        )
                    } else {
                        // The session's status is stale after the wait.
                        self.withdraw();
                        self.stage = Stage::Preconditions;
                        return Work::Wait(Wait::For(wait));
                    }
                }
                Stage::Preconditions if self.identity.is_none() && !self.checks(&call) => {
                    Stage::Doubt
                }
                Stage::Preconditions if left < self.limits.reads => self.no_time(NO_TIME),
                Stage::Preconditions => {
                    self.stage = Stage::Preconditions;
                    return Work::Read(self.reads_before(&call));
                }
                Stage::Doubt if !self.action.progress.is_in_doubt() => Stage::Send,
                Stage::Doubt => {
                    let reads = self.action.doubt_reads();
                    if !reads.is_empty() && left >= self.limits.reads {
                        self.stage = Stage::Doubt;
                        return Work::Read(reads);
                    }
                    Stage::StillInDoubt
                }
                Stage::StillInDoubt
                    if self
                        .action
                        .progress
                        .keeps_key(self.kept_for, now) =>
                {
                    Stage::Send
                }
                Stage::StillInDoubt => {
                    let problem = match self.action.progress.lost_since() {
                        Some(_) => AgentAction::LOST,
                        None => "The target system may have forgotten the call's key by now.",
                    };
                    self.end(|response| Outcome::unknown(response, problem))
                }
                Stage::Send if left < self.limits.call => self.no_time(NO_TIME),
                Stage::Send => {
                    self.stage = Stage::Send;
                    return Work::Send(NextCall {
                        call,
                        key: self.action.idempotency_key(place),
                        is_repeated: self.action.progress.is_in_doubt(),
                        is_announced: std::mem::take(&mut self.is_announced),
                    });
                }
                Stage::Retry(problem) => match self.pause(left) {
                    Some(pause) => return Work::Wait(Wait::For(pause)),
                    None => Stage::NotYet(problem),
                },
                Stage::NotYet(problem) => Stage::End(self.not_yet(problem, now)),
                Stage::End(end) => {
                    self.stage = Stage::End(end.clone());
                    return Work::End(end);
                }
            }
        }
    }

    /// Reports a slot: the begin of the next call. An error is the instant of a retry.
    pub fn reserved(&mut self, slot: Result<Timestamp, Timestamp>) {
        self.stage = Stage::Reserved(slot);
    }

    /// True if its preconditions are read before this call.
    fn checks(&self, call: &ApiCall) -> bool {
        call.changes() && self.action.progress.call.unchecked
    }

    /// Returns the reads before a call: of the account, unless it is confirmed, and of the
    /// preconditions.
    fn reads_before(&self, call: &ApiCall) -> Vec<TargetRead> {
        let system = &self.action.content.target_system;
        let account = self
            .identity
            .iter()
            .map(|identity| identity.read(system));
        let mut reads: Vec<TargetRead> = account.collect();
        if self.checks(call) {
            reads.extend(self.action.required_reads());
        }
        reads
    }

    /// Judges the account, and then the preconditions.
    fn permits(&mut self, observation: &Observation, now: Timestamp) -> Precondition {
        if let Some(identity) = &self.identity {
            let account = identity.account(observation);
            match permits_account(&mut self.action, account) {
                Precondition::Holds => self.identity = None,
                other => return other,
            }
        }
        let step = self
            .action
            .content
            .steps
            .get(self.action.progress.next_step());
        let call = step.and_then(|step| step.call.as_ref());
        if call.is_some_and(|call| self.checks(call)) {
            permits(&mut self.action, observation, now)
        } else {
            Precondition::Holds
        }
    }

    pub fn observed(&mut self, observation: &Observation, now: Timestamp) {
        self.stage = if matches!(self.stage, Stage::Preconditions) {
            // The next call is not announced yet, and the session may have been cancelled.
            self.is_announced = false;
            match self.permits(observation, now) {
                Precondition::Holds => Stage::Doubt,
                Precondition::Changed(outcome) => Stage::End(RunEnd::Outcome(outcome)),
                Precondition::NotKnown(problem) => Stage::NotYet(problem),
            }
        } else if self.action.was_done(observation) {
            self.withdraw();
            found_done(&mut self.action, now);
            self.retries = 0;
            Stage::Slot
        } else {
            Stage::StillInDoubt
        };
    }

    /// Records that the next call is about to be sent, to be stored before it is.
    pub fn announce(&mut self, now: Timestamp) {
        sends(&mut self.action, self.idempotency, now);
    }

    /// Reports that the alert is resolved. Nothing more is sent.
    pub fn alert_resolved(&mut self) {
        self.stage = self.end(|response| stopped_by_resolution(&self.action, response));
    }

    /// Reports that the session was cancelled before the announced call.
    pub fn cancelled(&mut self) {
        not_sent(&mut self.action);
        self.stage = self.end(|response| stopped(&self.action, response));
    }

    /// Reports that another worker took over.
    pub fn lost(&mut self) {
        self.stage = Stage::End(RunEnd::Lost);
    }

    /// Reports the state of the circuit breaker. Returns true if it has opened.
    pub fn breaker_is_open(&mut self, is_open: bool) -> bool {
        let was_open = std::mem::replace(&mut self.is_left_alone, is_open);
        is_open && !was_open
    }

    pub fn received(&mut self, result: CallResult) {
        self.response
            .clone_from(&result.response);
        self.retry_after = result.retry_after;
        let place = self.action.progress.next_step();
        let step = self.action.content.steps.get(place);
        let step = step.map_or_else(|| self.action.progress.steps_done + 1, |step| step.order);
        let problem = result.problem.clone();
        let ends = received(&mut self.action, step, result, self.idempotency);
        self.stage = match ends {
            Some(ActionState::Unknown) => self.end(|response| Outcome::unknown(response, &problem)),
            Some(_) => self.end(|response| Outcome::failed(response, problem)),
            None if self.action.progress.next_step() == place => Stage::Retry(problem),
            None => {
                self.retries = 0;
                Stage::Slot
            }
        };
    }

    /// Returns the outcome of an action whose session was cancelled.
    pub fn stopped(&self) -> Outcome {
        stopped(&self.action, self.response.clone())
    }

    /// Ends the run with the outcome that the last response gives.
    fn end(&self, outcome: impl FnOnce(Option<Excerpt>) -> Outcome) -> Stage {
        Stage::End(RunEnd::Outcome(outcome(self.response.clone())))
    }

    /// Takes back the announcement of the next call, which is not sent.
    fn withdraw(&mut self) {
        if std::mem::take(&mut self.is_announced) {
            not_sent(&mut self.action);
        }
    }

    fn no_time(&mut self, why: &str) -> Stage {
        self.withdraw();
        Stage::NotYet(why.to_owned())
    }

    /// Returns the pause before a retry. None without time for another call.
    fn pause(&mut self, left: Duration) -> Option<Duration> {
        let planned = *self.limits.pauses.get(self.retries)?;
        self.retries += 1;
        let requested = self
            .retry_after
            .map_or(0, i64::unsigned_abs);
        let pause = planned.max(Duration::from_millis(requested));
        let has_time = pause <= self.limits.longest_pause && pause + self.limits.call < left;
        (has_time && !self.is_left_alone).then_some(pause)
    }

    /// Returns the end of a run without a result: another attempt, unless that would be too late.
    fn not_yet(&self, problem: String, now: Timestamp) -> RunEnd {
        match next_attempt(&self.action, self.retry_after, now) {
            Some(next) => RunEnd::Release(next, problem),
            None => RunEnd::Outcome(exhausted(&self.action, self.response.clone(), &problem)),
        }
    }
}
