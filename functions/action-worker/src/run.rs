//! Runs a claimed action, step by step.

use std::{ops::ControlFlow, time::Duration};

use agent::{
    ActionState, ActionStep, AgentAction, Answered, ApiCall, BreakerState, Connection, Excerpt,
    Outcome, Precondition, StepAnswer,
};
use model::{Error, Id, Stopwatch, Timestamp, span};
use store::{HeldAction, Lease, Store};
use targets::Targets;

use crate::{
    call::{self, Sending},
    limits::Limits,
    look,
};

/// Attempts to write an outcome before the message is left for redelivery.
const RECORDINGS: u32 = 5;

/// The number of these attempts that include the organization's total.
const COUNTED_RECORDINGS: u32 = 2;

/// A run of an action, within one lease.
pub(crate) struct Run<'a> {
    store: &'a Store,
    targets: &'a Targets,
    limits: &'a Limits,
    action: AgentAction,
    connection: Connection,
    /// True if the connection recently gave unclear answers.
    is_troubled: bool,
    /// True once the circuit breaker has opened.
    is_left_alone: bool,
    /// The begin of the next call, if already reserved.
    turn: Option<Timestamp>,
    /// Other connections of its precondition reads.
    looks_through: Vec<Connection>,
    /// Runs since the start of the lease.
    lease: Stopwatch,
    /// True if nothing was sent since the session was last read as executing. The claim read it for
    /// the first call.
    is_cleared: bool,
    /// The target system's last answer.
    response: Option<Excerpt>,
    /// The wait that it asks for, in milliseconds.
    retry_after: Option<i64>,
}

/// The end of a run.
enum End {
    /// An outcome.
    Outcome(Outcome),
    /// No result yet, with the reason.
    NotYet(String),
    /// The session was cancelled.
    Cancelled,
    /// Another worker took over.
    Lost,
}

impl<'a> Run<'a> {
    /// Creates the run of a claimed action.
    pub(crate) fn new(
        store: &'a Store,
        targets: &'a Targets,
        limits: &'a Limits,
        held: HeldAction,
    ) -> Self {
        Self {
            store,
            targets,
            limits,
            action: *held.action,
            connection: *held.connection,
            is_troubled: held.is_troubled,
            is_left_alone: false,
            turn: Some(held.begins),
            looks_through: held.looks_through,
            lease: held.since,
            is_cleared: true,
            response: None,
            retry_after: None,
        }
    }

    /// Runs the action and records its outcome. Returns the recorded outcome, if any.
    pub(crate) async fn run(mut self) -> Result<Option<ActionState>, Error> {
        let end = self.steps().await?;
        if !matches!(end, End::Lost) {
            self.gives_its_place_back().await;
        }
        let recorded = self.conclude(end).await?;
        let action = &self.action;
        tracing::info!(
            traceId = action.round.trace_id.as_deref(),
            organizationId = action.key.organization_id.get(),
            sessionId = action.key.session_id.get(),
            actionId = action.key.action_id,
            attempt = action.progress.attempts,
            outcome = recorded.map_or("none", ActionState::name),
            durationMs = u64::try_from(self.lease.elapsed().as_millis()).unwrap_or(u64::MAX),
        );
        Ok(recorded)
    }

    /// Runs the remaining steps.
    async fn steps(&mut self) -> Result<End, Error> {
        let steps = self.action.content.steps.clone();
        let done = usize::try_from(self.action.progress.steps_done).unwrap_or(0);
        for (at, step) in steps.iter().enumerate().skip(done) {
            if let ControlFlow::Break(end) = self.step(at, step).await? {
                return Ok(end);
            }
        }
        Ok(End::Outcome(Outcome::succeeded(self.response.take())))
    }

    /// Sends a step's call until an answer is clear or no time is left.
    async fn step(&mut self, at: usize, step: &ActionStep) -> Result<ControlFlow<End>, Error> {
        let Some(call) = &step.call else {
            self.action.not_sent();
            let error = format!("Step {} has to be done by a person.", step.order);
            return Ok(ends(Outcome::failed(self.response.clone(), error)));
        };
        let key = self.action.idempotency_key(at);
        let mut pauses = self.limits.pauses.iter();
        loop {
            if let end @ ControlFlow::Break(_) = self.wait_for_its_turn().await? {
                return Ok(end);
            }
            if call.changes()
                && let end @ ControlFlow::Break(_) = self.look().await
            {
                return Ok(end);
            }
            if self.action.progress.call.ambiguous {
                if self.finds_it_done().await {
                    return Ok(ControlFlow::Continue(()));
                }
                let kept_for = self.connection.keys_kept_for();
                if !self.action.keeps_key(kept_for, self.store.now()) {
                    let problem = "The target system may have forgotten the call's key by now.";
                    return Ok(ends(Outcome::unknown(self.response.clone(), problem)));
                }
            }
            if self.left() < self.limits.step_timeout {
                return Ok(ControlFlow::Break(self.out_of_time()));
            }
            if let end @ ControlFlow::Break(_) = self.clear().await? {
                return Ok(end);
            }
            let problem = match self.send(step.order, call, &key).await {
                (Answered::StepDone, _) => return Ok(ControlFlow::Continue(())),
                (Answered::Refused, problem) => {
                    return Ok(ends(Outcome::failed(self.response.clone(), problem)));
                }
                (Answered::Unknown, problem) => {
                    return Ok(ends(Outcome::unknown(self.response.clone(), &problem)));
                }
                (Answered::Again, problem) => problem,
            };
            if self.is_left_alone || !self.pause(pauses.next()).await {
                return Ok(ControlFlow::Break(End::NotYet(problem)));
            }
        }
    }

    /// Sends a call. Returns the next step and the problem.
    async fn send(&mut self, step: i64, call: &ApiCall, key: &str) -> (Answered, String) {
        let sending = Sending {
            key,
            timeout: self.limits.step_timeout,
            is_repeated: self.action.progress.call.ambiguous,
            now: self.store.now(),
        };
        let answer = call::send(self.targets, &self.connection, call, sending).await;
        self.response = answer.response;
        self.retry_after = answer.retry_after;
        if let Some(is_clear) = answer.is_clear {
            self.learns(is_clear).await;
        }
        let idempotency = self.connection.idempotency();
        let now = self.store.now();
        let status = answer.effect.into();
        let excerpt_hash = self.response.as_ref().map(Excerpt::hash);
        self.action.keep(step, status, excerpt_hash, now);
        let answered = self.action.answered(answer.effect, idempotency);
        if answered == Answered::Refused {
            let status = self.response.as_ref().map(|response| response.status);
            self.action.refused(status);
        }
        self.action.progress.answers.push(StepAnswer {
            step,
            at: now,
            effect: answer.effect.into(),
            problem: answer.problem.clone(),
            response: self.response.clone(),
        });
        (answered, answer.problem)
    }

    /// Checks the action's preconditions, unless this claim has checked them.
    async fn look(&mut self) -> ControlFlow<End> {
        if !self.action.progress.call.looking {
            return ControlFlow::Continue(());
        }
        let timeout = self.limits.look_timeout();
        if self.left() < timeout {
            return ControlFlow::Break(self.out_of_time());
        }
        let reads = self.action.required_reads();
        let connections = [&self.connection].into_iter().chain(&self.looks_through);
        let sight = look::see(self.targets, &reads, connections, timeout).await;
        // The coming call is not recorded yet, and the session may have been cancelled.
        self.is_cleared = false;
        match self.action.permits(&sight, self.store.now()) {
            Precondition::Holds => ControlFlow::Continue(()),
            Precondition::Changed(outcome) => ends(outcome),
            Precondition::NotKnown(problem) => ControlFlow::Break(End::NotYet(problem)),
        }
    }

    /// Reads whether the call in doubt took effect, where a read shows it. Its step is then done.
    async fn finds_it_done(&mut self) -> bool {
        let is_in_doubt = self.action.progress.call.ambiguous;
        let (reads, timeout) = (self.action.doubt_reads(), self.limits.look_timeout());
        if !is_in_doubt || reads.is_empty() || self.left() < timeout {
            return false;
        }
        let connections = [&self.connection].into_iter().chain(&self.looks_through);
        let sight = look::see(self.targets, &reads, connections, timeout).await;
        let is_done = self.action.was_done(&sight);
        if is_done {
            self.uncleared();
            self.action.found_done(self.store.now());
        }
        is_done
    }

    /// Ends the run without time for another call. No call was sent.
    fn out_of_time(&mut self) -> End {
        self.uncleared();
        End::NotYet("No time was left for the next call.".to_owned())
    }

    /// Takes back the announcement of the next call, which is not sent.
    fn uncleared(&mut self) {
        if std::mem::take(&mut self.is_cleared) {
            self.action.not_sent();
        }
    }
}

/// The shared state of the connection.
impl Run<'_> {
    /// Waits for the slot of the next call, if calls are limited.
    async fn wait_for_its_turn(&mut self) -> Result<ControlFlow<End>, Error> {
        let turn = match self.turn.take() {
            Some(turn) => Ok(turn),
            None => self.store.connections().turn(&self.connection).await?,
        };
        let (Ok(at) | Err(at)) = turn;
        let wait = at.millis() - self.store.now().millis();
        let wait = Duration::from_millis(u64::try_from(wait).unwrap_or(0));
        if wait.is_zero() && turn.is_ok() {
            return Ok(ControlFlow::Continue(()));
        }
        if turn.is_err() || wait + self.limits.step_timeout > self.left() {
            self.uncleared();
            let problem = "The connection's limit of calls left no time for the next call.";
            return Ok(ControlFlow::Break(End::NotYet(problem.to_owned())));
        }
        // The session's status is stale after the wait.
        self.uncleared();
        tokio::time::sleep(wait).await;
        Ok(ControlFlow::Continue(()))
    }

    /// Records whether the system answered clearly, if that changes the breaker. A failure is only
    /// logged, since the call's result matters more.
    async fn learns(&mut self, is_clear: bool) {
        if is_clear && !self.is_troubled {
            return;
        }
        self.is_troubled = !is_clear;
        let connections = self.store.connections();
        match connections.answered(&self.connection, is_clear).await {
            Ok(breaker) => {
                let is_open = breaker.state(self.store.now()) == BreakerState::Open;
                if is_open && !self.is_left_alone {
                    tracing::warn!(
                        organizationId = self.connection.organization_id.get(),
                        connection = &*self.connection.name,
                        pauseSeconds = breaker.pause / span::SECOND,
                        "the circuit breaker of a connection opened"
                    );
                }
                self.is_left_alone = is_open;
            }
            Err(error) => {
                let cause = error.chain();
                tracing::warn!(cause, "cannot record a connection's answer");
            }
        }
    }

    /// Ends the action's place among the concurrent ones. Without this, the end of its lease does.
    /// After a takeover, the place is the new holder's.
    async fn gives_its_place_back(&self) {
        let connections = self.store.connections();
        if let Err(error) = connections.ends(&self.connection, &self.action).await {
            let cause = error.chain();
            tracing::warn!(cause, "cannot free a place of a connection");
        }
    }
}

/// Steps between two calls.
impl Run<'_> {
    /// Returns whether the next call may be sent. The announcement of the call is then stored.
    async fn clear(&mut self) -> Result<ControlFlow<End>, Error> {
        if std::mem::take(&mut self.is_cleared) {
            return Ok(ControlFlow::Continue(()));
        }
        let agent = self.store.agent();
        if self.action.depends_on_alert() && agent.alert_is_resolved(&self.action).await? {
            return Ok(ends(self.action.alert_resolved(self.response.clone())));
        }
        self.action
            .sends(self.connection.idempotency(), self.store.now());
        Ok(
            match self.store.agent().heartbeat(&mut self.action).await? {
                Lease::Held => ControlFlow::Continue(()),
                Lease::Cancelled => {
                    self.action.not_sent();
                    ControlFlow::Break(End::Cancelled)
                }
                Lease::Lost => ControlFlow::Break(End::Lost),
            },
        )
    }

    /// Waits, if a pause and time for a call are left. Returns whether it waited.
    async fn pause(&self, pause: Option<&Duration>) -> bool {
        let asked = self.retry_after.map(i64::unsigned_abs);
        let asked = asked.map_or(Duration::ZERO, Duration::from_millis);
        match pause.map(|pause| asked.max(*pause)) {
            Some(pause)
                if pause <= Limits::LONGEST_WAIT
                    && pause + self.limits.step_timeout < self.left() =>
            {
                tokio::time::sleep(pause).await;
                true
            }
            _ => false,
        }
    }

    /// Returns the rest of the lease.
    fn left(&self) -> Duration {
        self.limits.lease.saturating_sub(self.lease.elapsed())
    }
}

/// The end of a run.
impl Run<'_> {
    /// Records the end. Returns the recorded outcome, if any.
    async fn conclude(&self, end: End) -> Result<Option<ActionState>, Error> {
        match end {
            End::Outcome(outcome) => self.record(&outcome).await,
            End::NotYet(problem) => self.not_yet(&problem).await,
            End::Cancelled => self.stopped().await,
            End::Lost => Ok(None),
        }
    }

    /// Releases the action for another attempt, or ends it if that would be too late.
    async fn not_yet(&self, problem: &str) -> Result<Option<ActionState>, Error> {
        let next = self.action.next_attempt(self.retry_after, self.store.now());
        let Some(next) = next else {
            let outcome = self.action.exhausted(self.response.clone(), problem);
            return self.record(&outcome).await;
        };
        match self.store.agent().release(&self.action, next).await? {
            Lease::Held => {
                tracing::info!(problem, %next, "released");
                Ok(None)
            }
            Lease::Cancelled => self.stopped().await,
            Lease::Lost => Ok(None),
        }
    }

    /// Records the progress of an action whose session was cancelled.
    async fn stopped(&self) -> Result<Option<ActionState>, Error> {
        let outcome = self.action.stopped(self.response.clone());
        self.record(&outcome).await
    }

    /// Records an outcome; none if the action has another holder. A call's result is worth several
    /// attempts, and more than a counter on the dashboard.
    async fn record(&self, outcome: &Outcome) -> Result<Option<ActionState>, Error> {
        let agent = self.store.agent();
        let mut recordings = 1;
        loop {
            let recorded = if recordings <= COUNTED_RECORDINGS {
                agent.record(&self.action, outcome).await
            } else {
                agent.record_uncounted(&self.action, outcome).await
            };
            match recorded {
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
