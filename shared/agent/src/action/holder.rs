//! Calls and outcomes of an approved action: transitions by the worker that holds it.

use model::base::Timestamp;

use crate::{
    action::{ActionState, AgentAction, CallResult, Effect, OpenCall, StepStatus, Try},
    connection::Idempotency,
    journal::Excerpt,
};

#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    pub state: ActionState,
    /// The target system's last answer.
    pub response: Option<Excerpt>,
    /// The reason if it did not succeed.
    pub error: Option<String>,
}

impl Outcome {
    pub const fn succeeded(response: Option<Excerpt>) -> Self {
        Self::new(ActionState::Succeeded, response, None)
    }

    /// Creates the outcome of an action that is certainly not done.
    pub fn failed(response: Option<Excerpt>, error: impl Into<String>) -> Self {
        Self::new(ActionState::Failed, response, Some(error.into()))
    }

    /// Creates the outcome of an action that may have been done.
    pub fn unknown(response: Option<Excerpt>, error: &str) -> Self {
        let error = format!("{error} The call may have been done; check the target system.");
        Self::new(ActionState::Unknown, response, Some(error))
    }

    const fn new(state: ActionState, response: Option<Excerpt>, error: Option<String>) -> Self {
        Self {
            state,
            response,
            error,
        }
    }
}

impl AgentAction {
    /// Records that the next call is about to be sent. The first one of a round that changes
    /// something is a try.
    pub fn sends(&mut self, target: Idempotency, now: Timestamp) {
        self.progress.call.sending = target == Idempotency::Unkeyed && self.is_about_to_change();
        self.progress
            .call
            .since
            .get_or_insert(now);
        let round = self.round.number;
        let last = self.progress.tries.last();
        if self.is_about_to_change() && last.is_none_or(|last| last.round != round) {
            self.progress
                .tries
                .push(Try { round, at: now });
        }
    }

    pub fn not_sent(&mut self) {
        self.progress.call.sending = false;
        if !self.progress.call.ambiguous {
            self.progress.call.since = None;
            self.not_tried();
        }
    }

    /// Takes back the try of this round, unless one of its steps changed something.
    fn not_tried(&mut self) {
        if !self.has_changed() {
            let round = self.round.number;
            self.progress
                .tries
                .retain(|attempt| attempt.round != round);
        }
    }

    /// Records a refusal, with its status if there was an answer. A transfer of money stays a try,
    /// unless the status says that the request never reached a bank.
    pub(crate) fn refused(&mut self, status: Option<u16>) {
        let reached_nobody =
            |status| matches!(status, 401 | 403..=405 | 407 | 410 | 411 | 413..=415 | 429 | 431);
        if self.content.transfer().is_none() || status.is_none_or(reached_nobody) {
            self.not_tried();
        }
    }

    /// Records that a read found the effect of the open call. Its step is done.
    pub fn found_done(&mut self, now: Timestamp) {
        let step = self.is_known(StepStatus::Done, now);
        self.progress.steps_done += 1;
        let reason = "A read found that the call took effect.";
        let result = CallResult::unsent(Effect::Done, reason, now);
        self.progress
            .unwritten
            .push((step, result));
    }

    /// Records the result of a step's call. Returns the state in which it ends the action; none
    /// while it goes on.
    pub fn received(
        &mut self,
        step: i64,
        result: CallResult,
        target: Idempotency,
    ) -> Option<ActionState> {
        let response = result.response.as_ref();
        let hash = response.map(Excerpt::hash);
        self.keep(step, result.effect.into(), hash, result.at);
        let ends = self.answered(result.effect, target);
        if result.effect == Effect::Refused {
            self.refused(response.map(|response| response.status));
        }
        self.progress
            .unwritten
            .push((step, result));
        ends
    }

    /// Records the effect of a call. Returns the state in which it ends the action. None if the
    /// step is done, or the call may be sent again with the same key.
    pub(crate) fn answered(&mut self, effect: Effect, target: Idempotency) -> Option<ActionState> {
        match effect {
            Effect::Done | Effect::DoneBefore => {
                let is_change = self.is_about_to_change();
                self.progress.already_done += i64::from(is_change && effect == Effect::DoneBefore);
                self.progress.steps_done += 1;
                self.progress.call = OpenCall::default();
                None
            }
            Effect::Refused => {
                self.progress.call = OpenCall::default();
                Some(ActionState::Failed)
            }
            Effect::NotNow => {
                self.not_sent();
                None
            }
            Effect::Unclear if target == Idempotency::Keyed => {
                self.progress.call.ambiguous = true;
                None
            }
            Effect::Undecided | Effect::UnderWay => {
                self.progress.call.ambiguous = true;
                if effect == Effect::UnderWay {
                    self.progress.call.under_way = Some(true);
                }
                Some(ActionState::Unknown)
            }
            // The call stays recorded as under way.
            Effect::Unclear => Some(ActionState::Unknown),
        }
    }

    /// Returns the outcome when its holder learns between two calls of the session's cancellation.
    /// Only its calls count, not the claim, since the holder is alive.
    pub fn stopped(&self, response: Option<Excerpt>) -> Outcome {
        let (state, why) = self.cancelled(self.may_be_sent());
        Outcome::new(state, response, Some(why.to_owned()))
    }

    /// True if a later call of its holder still depends on its alert: no call may have taken
    /// effect.
    pub fn depends_on_alert(&self) -> bool {
        !self.has_open_call() && !self.has_changed()
    }

    /// Returns the outcome when its holder learns between two calls that its alert is resolved.
    pub fn alert_resolved(&self, response: Option<Excerpt>) -> Outcome {
        Outcome {
            error: Some(Self::ALERT_RESOLVED.to_owned()),
            ..self.stopped(response)
        }
    }

    /// Returns the outcome when its holder gives up. `error` is the result of the last attempt.
    pub fn exhausted(&self, response: Option<Excerpt>, error: &str) -> Outcome {
        let error = format!("{error} Given up.");
        if self.may_be_sent() {
            return Outcome::unknown(response, &error);
        }
        let done = match self.progress.steps_done {
            0 => "It was not done.",
            _ => "Only the steps before it are done.",
        };
        Outcome::failed(response, format!("{error} {done}"))
    }

    /// Returns the retry time after an attempt without a result: after a minute, doubled each time,
    /// up to half an hour. A longer wait that the target system asked for applies instead. None if
    /// that is after the deadline, and it is given up.
    pub fn next_attempt(&self, retry_after: Option<i64>, now: Timestamp) -> Option<Timestamp> {
        let doubled = (self.progress.attempts - 1).clamp(0, 5);
        let pause = (Self::FIRST_PAUSE << doubled).min(Self::LONGEST_PAUSE);
        let next = now.plus(pause.max(retry_after.unwrap_or(0)));
        (next < self.deadline()).then_some(next)
    }

    /// Releases it until `next`, when the sweeper sends a message.
    pub fn release(&mut self, next: Timestamp, now: Timestamp) {
        self.state = ActionState::Queued;
        self.schedule.lease_until = None;
        self.schedule.not_before = Some(next);
        self.schedule.due_at = Some(next);
        self.updated_at = now;
    }

    pub fn record(&mut self, outcome: &Outcome, now: Timestamp) {
        self.end.excerpt_hash = outcome
            .response
            .as_ref()
            .map(Excerpt::hash);
        self.end
            .error
            .clone_from(&outcome.error);
        self.ends(outcome.state, now);
    }
}
