//! Runs a claimed action: does the work that its [`Progress`] returns.

use std::time::Duration;

use agent::{
    action::{ActionState, CallResult, Effect, Outcome},
    check::TargetRead,
    connection::{ApiCall, BreakerState, Connection},
    transition::{Called, NextCall, Progress, RunEnd, Wait, Work},
};
use model::base::{Error, Id, Stopwatch, span};
use runtime::telemetry::{self, Metric};
use store::agent::{HeldAction, Lease};
use targets::{NoResponse, Sending};

use crate::context::Context;

/// Attempts to write an outcome before the message is left for redelivery.
const RECORDINGS: u32 = 5;

/// The number of these attempts that include the organization's total.
const COUNTED_RECORDINGS: u32 = 2;

/// A run of an action, within one lease.
pub(crate) struct Run<'a> {
    context: &'a Context,
    progress: Progress,
    connection: Connection,
    read_connections: Vec<Connection>,
    /// True if the connection recently gave unclear answers.
    is_troubled: bool,
    /// Runs since the start of the lease.
    lease: Stopwatch,
}

impl<'a> Run<'a> {
    pub(crate) fn new(context: &'a Context, held: HeldAction) -> Self {
        let called = Called::of(&held.connection);
        let limits = context.limits.of_run();
        let progress = Progress::new(*held.action, called, held.begins, limits);
        Self {
            context,
            progress: progress.through(&held.connection),
            connection: *held.connection,
            read_connections: held.read_connections,
            is_troubled: held.is_troubled,
            lease: held.since,
        }
    }

    /// Runs the action and records its outcome. Returns the recorded outcome, if any.
    pub(crate) async fn run(mut self) -> Result<Option<ActionState>, Error> {
        let end = loop {
            let store = &self.context.store;
            let lease = self.context.limits.lease;
            let left = lease.saturating_sub(self.lease.elapsed());
            match self.progress.next(store.now(), left) {
                Work::Read(reads) => self.read(&reads).await,
                Work::Wait(Wait::Slot) => {
                    let slot = store
                        .connections()
                        .slot(&self.connection)
                        .await?;
                    self.progress.reserved(slot);
                }
                Work::Wait(Wait::For(pause)) => tokio::time::sleep(pause).await,
                Work::Send(call) => self.send(&call).await?,
                Work::End(end) => break end,
            }
        };
        if end != RunEnd::Lost {
            self.end_work().await;
        }
        let recorded = self.conclude(end).await?;
        let action = &self.progress.action;
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

    /// Sends reads and reports their observation.
    async fn read(&mut self, reads: &[TargetRead]) {
        let connections = [&self.connection]
            .into_iter()
            .chain(&self.read_connections);
        let observation = self
            .context
            .observe(reads, connections)
            .await;
        self.progress
            .observed(&observation, self.context.store.now());
    }

    /// Sends a call, once it is announced, and reports its result.
    async fn send(&mut self, call: &NextCall) -> Result<(), Error> {
        if !call.is_announced && !self.announce().await? {
            return Ok(());
        }
        let result = self
            .context
            .call(&self.connection, call)
            .await;
        if let Some(is_clear) = result.is_clear {
            self.learn(is_clear).await;
        }
        self.progress.received(result);
        Ok(())
    }

    /// Stores the announcement of the next call. Returns whether it may be sent.
    async fn announce(&mut self) -> Result<bool, Error> {
        let agent = self.context.store.agent();
        let progress = &mut self.progress;
        if progress.action.depends_on_alert()
            && agent
                .alert_is_resolved(&progress.action)
                .await?
        {
            progress.alert_resolved();
            return Ok(false);
        }
        progress.announce(self.context.store.now());
        let lease = agent
            .heartbeat(&mut progress.action)
            .await?;
        match lease {
            Lease::Held => {}
            Lease::Cancelled => progress.cancelled(),
            Lease::Lost => progress.lost(),
        }
        Ok(lease == Lease::Held)
    }

    /// Records whether the system answered clearly, if that changes the breaker. A failure is only
    /// logged, since the call's result matters more.
    async fn learn(&mut self, is_clear: bool) {
        if is_clear && !self.is_troubled {
            return;
        }
        self.is_troubled = !is_clear;
        let connections = self.context.store.connections();
        match connections
            .answered(&self.connection, is_clear)
            .await
        {
            Ok(breaker) => {
                let is_open = breaker.state(self.context.store.now()) == BreakerState::Open;
                if self.progress.breaker_is_open(is_open) {
                    tracing::warn!(
                        organizationId = self.connection.organization_id.get(),
                        connection = &*self.connection.name,
                        pauseSeconds = breaker.pause / span::SECOND,
                        "the circuit breaker of a connection opened"
                    );
                    telemetry::count(Metric::BreakerOpened, self.context.store.now());
                }
            }
            Err(error) => telemetry::warn("cannot record a connection's answer", &error),
        }
    }

    /// Ends the action's place among the concurrent ones. Without this, the end of its lease does.
    /// After a takeover, the place is the new holder's.
    async fn end_work(&self) {
        let connections = self.context.store.connections();
        let ends = connections.ends(&self.connection, &self.progress.action);
        if let Err(error) = ends.await {
            telemetry::warn("cannot free a place of a connection", &error);
        }
    }

    /// Records the end. Returns the recorded outcome, if any.
    async fn conclude(&self, end: RunEnd) -> Result<Option<ActionState>, Error> {
        let (next, problem) = match end {
            RunEnd::Outcome(outcome) => return self.record(&outcome).await,
            RunEnd::Lost => return Ok(None),
            RunEnd::Release(next, problem) => (next, problem),
        };
        let agent = self.context.store.agent();
        match agent
            .release(&self.progress.action, next)
            .await?
        {
            Lease::Held => {
                let key = &self.progress.action.key;
                tracing::info!(
                    organizationId = key.organization_id.get(),
                    sessionId = key.session_id.get(),
                    actionId = key.action_id,
                    connection = &*self.connection.name,
                    problem,
                    %next,
                    "released"
                );
                Ok(None)
            }
            Lease::Cancelled => {
                self.record(&self.progress.stopped())
                    .await
            }
            Lease::Lost => Ok(None),
        }
    }

    /// Records an outcome; none if the action has another holder. A call's result is worth several
    /// attempts, and more than a counter on the dashboard.
    async fn record(&self, outcome: &Outcome) -> Result<Option<ActionState>, Error> {
        let agent = self.context.store.agent();
        let action = &self.progress.action;
        let mut recordings = 1;
        loop {
            let recorded = if recordings <= COUNTED_RECORDINGS {
                agent.record(action, outcome).await
            } else {
                agent
                    .record_uncounted(action, outcome)
                    .await
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

impl Context {
    /// Sends a call and reads its response.
    async fn call(&self, connection: &Connection, next: &NextCall) -> CallResult {
        let call = &next.call;
        let is_repeated = next.is_repeated;
        let sending = Sending {
            key: Some(&next.key),
            timeout: self.limits.step_timeout,
        };
        let no_response = match self
            .targets
            .send(connection, call, sending)
            .await
        {
            Ok(head) => {
                let response = head.read(connection).await;
                return CallResult::of(call, response, is_repeated, self.store.now());
            }
            Err(no_response) => no_response,
        };
        let problem = no_response.problem();
        let now = self.store.now();
        match no_response {
            NoResponse::Unsendable(_) => {
                CallResult::unsent(ApiCall::unsendable(is_repeated), problem, now)
            }
            NoResponse::NotSent(_) => CallResult::unsent(Effect::NotNow, problem, now),
            NoResponse::Unreachable => CallResult::unanswered(Effect::NotNow, problem, now),
            NoResponse::BrokenOff(_) => CallResult::unanswered(call.unclear(), problem, now),
        }
    }
}
