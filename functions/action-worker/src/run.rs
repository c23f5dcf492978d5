//! Runs an action that was claimed, step by step.

use std::{ops::ControlFlow, time::Duration};

use model::{
    ActionState, ActionStep, AgentAction, Answered, Error, Id, Idempotency, JsonText, Outcome,
    Stopwatch,
};
use runtime::target_systems::TargetSystem;
use store::{Lease, Store};

use crate::{call, limits::Limits};

/// How often a result is written before the message is left to be delivered again.
const RECORDINGS: u32 = 4;

/// Whether a message is done with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Done {
    /// It can be forgotten.
    Handled,
    /// It is to be delivered again.
    Again,
}

/// What a run came to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ran {
    /// The outcome that it recorded, if any.
    pub(crate) recorded: Option<ActionState>,
    /// What becomes of the message.
    pub(crate) done: Done,
}

/// A run of an action, within one lease.
pub(crate) struct Run<'a> {
    store: &'a Store,
    http: &'a reqwest::Client,
    limits: &'a Limits,
    action: AgentAction,
    /// Since the claim.
    lease: Stopwatch,
    /// Nothing was sent since the session was last seen to execute. The claim has seen that for
    /// the first call.
    is_cleared: bool,
    /// The last answer of the target system.
    response: Option<JsonText>,
}

/// How a run ends.
enum End {
    /// With an outcome.
    Outcome(Outcome),
    /// Nothing came of it yet, and why.
    NotYet(String),
    /// The session was cancelled.
    Cancelled,
    /// Somebody else took over.
    Lost,
}

impl<'a> Run<'a> {
    /// A run of an action that was claimed just now.
    pub(crate) fn new(
        store: &'a Store,
        http: &'a reqwest::Client,
        limits: &'a Limits,
        action: AgentAction,
    ) -> Self {
        Self {
            store,
            http,
            limits,
            action,
            lease: Stopwatch::start(),
            is_cleared: true,
            response: None,
        }
    }

    /// Runs the action before its target system, if there is one, and records what became of it.
    /// `is_last` says that its message is not delivered again.
    pub(crate) async fn run(
        mut self,
        system: Option<&TargetSystem>,
        is_last: bool,
    ) -> Result<Ran, Error> {
        let end = match system {
            Some(system) => self.steps(system).await?,
            None => self.no_target(),
        };
        let ran = self.conclude(end, is_last).await?;
        let action = &self.action;
        tracing::info!(
            traceId = action.trace_id.as_deref(),
            organizationId = action.organization_id.get(),
            sessionId = action.session_id.get(),
            actionId = action.action_id,
            attempt = action.attempts,
            outcome = ran.recorded.map_or("none", ActionState::name),
            durationMs = u64::try_from(self.lease.elapsed().as_millis()).unwrap_or(u64::MAX),
        );
        Ok(ran)
    }

    fn no_target(&mut self) -> End {
        self.action.not_sent();
        let name = &self.action.target_system;
        let error = format!("No target system {name:?} is configured.");
        End::Outcome(Outcome::failed(None, error))
    }

    /// The steps that are not done yet.
    async fn steps(&mut self, system: &TargetSystem) -> Result<End, Error> {
        let steps = self.action.steps.clone();
        let done = usize::try_from(self.action.steps_done).unwrap_or(0);
        for (at, step) in steps.iter().enumerate().skip(done) {
            if let ControlFlow::Break(end) = self.step(at, step, system).await? {
                return Ok(end);
            }
        }
        Ok(End::Outcome(Outcome::succeeded(self.response.take())))
    }

    /// Sends a step's call until an answer tells what became of it, or no time is left.
    async fn step(
        &mut self,
        at: usize,
        step: &ActionStep,
        system: &TargetSystem,
    ) -> Result<ControlFlow<End>, Error> {
        let Some(call) = &step.call else {
            self.action.not_sent();
            let error = format!("Step {} has to be done by a person.", step.order);
            return Ok(ends(Outcome::failed(self.response.clone(), error)));
        };
        let key = self.action.idempotency_key(at);
        let target = system.idempotency();
        let mut pauses = self.limits.pauses.iter();
        loop {
            if let end @ ControlFlow::Break(_) = self.clear(target).await? {
                return Ok(end);
            }
            let timeout = self.limits.step_timeout.min(self.left());
            let repeated = self.action.ambiguous;
            let answer = call::send(self.http, system, call, &key, timeout, repeated).await;
            self.response = answer.response;
            let problem = answer.problem;
            match self.action.answered(answer.effect, target) {
                Answered::StepDone => return Ok(ControlFlow::Continue(())),
                Answered::Refused => {
                    return Ok(ends(Outcome::failed(self.response.clone(), problem)));
                }
                Answered::Unknown => {
                    return Ok(ends(Outcome::unknown(self.response.clone(), &problem)));
                }
                Answered::Again if self.pause(pauses.next()).await => {}
                Answered::Again => return Ok(ControlFlow::Break(End::NotYet(problem))),
            }
        }
    }
}

/// Between two calls.
impl Run<'_> {
    /// Whether the next call may be sent. That it is about to be is on record when it may.
    async fn clear(&mut self, target: Idempotency) -> Result<ControlFlow<End>, Error> {
        if std::mem::take(&mut self.is_cleared) {
            return Ok(ControlFlow::Continue(()));
        }
        self.action.sends(target);
        Ok(match self.store.agent().heartbeat(&self.action).await? {
            Lease::Held => ControlFlow::Continue(()),
            Lease::Cancelled => {
                self.action.not_sent();
                ControlFlow::Break(End::Cancelled)
            }
            Lease::Lost => ControlFlow::Break(End::Lost),
        })
    }

    /// Waits, if there is a pause left and time for a call after it; answers whether it waited.
    async fn pause(&self, pause: Option<&Duration>) -> bool {
        match pause {
            // A call needs time to be answered in, too.
            Some(pause) if *pause < self.left() / 2 => {
                tokio::time::sleep(*pause).await;
                true
            }
            _ => false,
        }
    }

    /// What is left of the lease.
    fn left(&self) -> Duration {
        self.limits.lease.saturating_sub(self.lease.elapsed())
    }
}

/// The end.
impl Run<'_> {
    async fn conclude(&self, end: End, is_last: bool) -> Result<Ran, Error> {
        match end {
            End::Outcome(outcome) => self.record(&outcome).await.map(handled),
            End::NotYet(problem) => self.not_yet(&problem, is_last).await,
            End::Cancelled => self.stopped().await,
            End::Lost => Ok(handled(None)),
        }
    }

    /// Gives the action back for another attempt, or ends it when this was the last.
    async fn not_yet(&self, problem: &str, is_last: bool) -> Result<Ran, Error> {
        if is_last || self.action.is_last_attempt() {
            let outcome = self.action.exhausted(self.response.clone(), problem);
            let recorded = self.record(&outcome).await?;
            // What nothing came of becomes a dead letter, so that a person hears of it.
            let done = if is_last { Done::Again } else { Done::Handled };
            return Ok(Ran { recorded, done });
        }
        match self.store.agent().release(&self.action).await? {
            Lease::Held => Ok(Ran {
                recorded: None,
                done: Done::Again,
            }),
            Lease::Cancelled => self.stopped().await,
            Lease::Lost => Ok(handled(None)),
        }
    }

    /// Records how far the action had got when its session was cancelled.
    async fn stopped(&self) -> Result<Ran, Error> {
        let outcome = self.action.stopped(self.response.clone());
        self.record(&outcome).await.map(handled)
    }

    /// Records an outcome; none when the action was no longer this worker's. What is known of a
    /// call is worth several tries.
    async fn record(&self, outcome: &Outcome) -> Result<Option<ActionState>, Error> {
        let mut recordings = 1;
        loop {
            match self.store.agent().record(&self.action, outcome).await {
                Ok(recorded) => return Ok(recorded.then_some(outcome.state)),
                Err(error) if recordings == RECORDINGS => return Err(error),
                Err(_) => tokio::time::sleep(Duration::from_millis(100 << recordings)).await,
            }
            recordings += 1;
        }
    }
}

const fn ends(outcome: Outcome) -> ControlFlow<End> {
    ControlFlow::Break(End::Outcome(outcome))
}

const fn handled(recorded: Option<ActionState>) -> Ran {
    Ran {
        recorded,
        done: Done::Handled,
    }
}
