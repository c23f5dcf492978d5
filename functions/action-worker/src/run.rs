//! Runs an action that was claimed, step by step.

use std::time::{Duration, Instant};

use model::{ActionState, AgentAction, Error, Id, JsonText};
use store::{Beat, Verdict};

use crate::{
    Done, Worker,
    call::{self, Answer},
};

/// How often a result is written before the message is left to be delivered again.
const RECORDINGS: u32 = 4;

/// How a run ends.
enum End {
    /// With an outcome.
    Verdict(Verdict),
    /// Nothing came of it yet.
    NotYet(Option<JsonText>, String),
    /// The session was cancelled.
    Cancelled(Option<JsonText>),
    /// Somebody else took over.
    Lost,
}

impl Worker {
    /// Runs an action and records what became of it.
    pub(crate) async fn run(
        &self,
        mut action: AgentAction,
        last: bool,
        trace: Option<&str>,
    ) -> Result<Done, Error> {
        let started = Instant::now();
        let end = self.steps(&mut action, started).await?;
        let (outcome, done) = match end {
            End::Verdict(verdict) => (self.record(&action, &verdict).await?, Done::Handled),
            End::Cancelled(response) => (self.cancelled(&action, response).await?, Done::Handled),
            End::Lost => (None, Done::Handled),
            End::NotYet(response, error) => self.not_yet(&action, response, error, last).await?,
        };
        tracing::info!(
            // A message of the sweeper has none of its own.
            traceId = trace.or(action.trace_id.as_deref()),
            organizationId = action.organization_id.get(),
            sessionId = action.session_id.get(),
            actionId = action.action_id,
            attempt = action.attempts,
            outcome = outcome.map_or("none", ActionState::name),
            durationMs = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        );
        Ok(done)
    }

    async fn steps(&self, action: &mut AgentAction, started: Instant) -> Result<End, Error> {
        let failed = |response, error: String| {
            Ok(End::Verdict(Verdict {
                state: ActionState::Failed,
                response,
                error: Some(error),
            }))
        };
        let Some(system) = self.targets.get(&action.target_system) else {
            action.sending = false;
            let error = format!("No target system {:?} is configured.", action.target_system);
            return failed(None, error);
        };
        let honours_keys = system.idempotency_header.is_some();
        let mut response = None;
        // The claim has checked the session for the first call.
        let mut is_first = true;
        let done = usize::try_from(action.steps_done).unwrap_or(0);
        for (at, step) in action.steps.clone().into_iter().enumerate().skip(done) {
            let Some(call) = step.call else {
                action.sending = false;
                let error = format!("Step {} has to be done by a person.", step.order);
                return failed(response, error);
            };
            let key = idempotency_key(action, at);
            let mut pauses = self.limits.pauses.iter();
            loop {
                if !is_first {
                    action.sending = !honours_keys;
                    match self.store.agent().go_on(action).await? {
                        Beat::GoOn => {}
                        // That call was not sent after all.
                        Beat::Cancelled => {
                            action.sending = false;
                            return Ok(End::Cancelled(response));
                        }
                        Beat::Lost => return Ok(End::Lost),
                    }
                }
                is_first = false;
                let timeout = self.limits.step_timeout.min(self.left(started));
                let (http, repeated) = (&self.http, action.ambiguous);
                let error = match call::send(http, system, &call, &key, timeout, repeated).await {
                    Answer::Done(answer) => {
                        response = Some(answer);
                        action.steps_done += 1;
                        action.sending = false;
                        action.ambiguous = false;
                        break;
                    }
                    Answer::Refused(answer, error) => {
                        action.sending = false;
                        action.ambiguous = false;
                        return failed(answer, error);
                    }
                    Answer::NotNow(answer, error) => {
                        action.sending = false;
                        response = answer;
                        error
                    }
                    Answer::Unclear(answer, error) if !honours_keys => {
                        return Ok(End::Verdict(Verdict {
                            state: ActionState::Unknown,
                            response: answer,
                            error: Some(format!(
                                "{error} It may have been done; check the target system."
                            )),
                        }));
                    }
                    Answer::Unclear(answer, error) => {
                        action.ambiguous = true;
                        response = answer;
                        error
                    }
                };
                match pauses.next() {
                    // A call needs time to be answered in, too.
                    Some(pause) if *pause < self.left(started) / 2 => {
                        tokio::time::sleep(*pause).await;
                    }
                    _ => return Ok(End::NotYet(response, error)),
                }
            }
        }
        Ok(End::Verdict(Verdict {
            state: ActionState::Succeeded,
            response,
            error: None,
        }))
    }

    /// What is left of the lease.
    fn left(&self, started: Instant) -> Duration {
        self.limits.lease.saturating_sub(started.elapsed())
    }

    /// Gives the action back for another attempt, or ends it when this was the last.
    async fn not_yet(
        &self,
        action: &AgentAction,
        response: Option<JsonText>,
        error: String,
        last: bool,
    ) -> Result<(Option<ActionState>, Done), Error> {
        if last || action.attempts >= AgentAction::MOST_ATTEMPTS {
            let (state, advice) = if action.ambiguous {
                let advice = "It may have been done; check the target system.";
                (ActionState::Unknown, advice)
            } else {
                (ActionState::Failed, "It was not done.")
            };
            let verdict = Verdict {
                state,
                response,
                error: Some(format!("{error} Given up. {advice}")),
            };
            let outcome = self.record(action, &verdict).await?;
            return Ok((outcome, if last { Done::Again } else { Done::Handled }));
        }
        match self.store.agent().release(action).await? {
            Beat::GoOn => Ok((None, Done::Again)),
            Beat::Lost => Ok((None, Done::Handled)),
            Beat::Cancelled => {
                let outcome = self.cancelled(action, response).await?;
                Ok((outcome, Done::Handled))
            }
        }
    }

    /// Records how far an action had got when its session was cancelled.
    async fn cancelled(
        &self,
        action: &AgentAction,
        response: Option<JsonText>,
    ) -> Result<Option<ActionState>, Error> {
        let mut released = action.clone();
        released.state = ActionState::Queued;
        let (state, error) = released.cancelled();
        let verdict = Verdict {
            state,
            response,
            error: Some(error.to_owned()),
        };
        self.record(action, &verdict).await
    }

    /// Records an outcome; none when the action was no longer the worker's. What is known of a
    /// call is worth several tries.
    async fn record(
        &self,
        action: &AgentAction,
        verdict: &Verdict,
    ) -> Result<Option<ActionState>, Error> {
        let mut recordings = 1;
        loop {
            match self.store.agent().record(action, verdict).await {
                Ok(true) => {
                    self.count(verdict.state);
                    return Ok(Some(verdict.state));
                }
                Ok(false) => return Ok(None),
                Err(error) if recordings == RECORDINGS => return Err(error),
                Err(_) => tokio::time::sleep(Duration::from_millis(100 << recordings)).await,
            }
            recordings += 1;
        }
    }
}

/// The same for every attempt at a step, and for no other step.
fn idempotency_key(action: &AgentAction, step: usize) -> String {
    format!(
        "wd-{}-{}-{}-{}",
        action.organization_id,
        action.session_id,
        action.action_id,
        step + 1
    )
}
