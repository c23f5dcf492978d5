//! An approved action in the hands of those who run it: claims, calls, outcomes.

use super::{ActionState, AgentAction, AgentSessionStatus};
use crate::{JsonText, Timestamp, span};

/// What a target system makes of a call that is sent twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idempotency {
    /// It honours idempotency keys: a call that is repeated with the same key is done once.
    Keyed,
    /// It does the call again, so that one which may have arrived is never repeated.
    Unkeyed,
}

/// What a worker gets that asks for an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim<A = ()> {
    /// The action is the worker's until its lease ends.
    Held(A),
    /// Somebody else holds it. Should they die, the sweeper sends another message.
    Busy,
    /// It was ended just now, with this outcome.
    Ended(ActionState),
    /// There is nothing to run: it ended before.
    Over,
}

/// What an answer to a call tells of its effect, or the lack of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It took place, now or before.
    Done,
    /// It did not take place and will not.
    Refused,
    /// It did not take place; later it may.
    NotNow,
    /// It may have taken place.
    Unclear,
}

/// How it goes on after an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answered {
    /// The step is done.
    StepDone,
    /// The call may be sent again, with the same key.
    Again,
    /// The action ends as failed.
    Refused,
    /// The action ends as unknown.
    Unknown,
}

/// How an action ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The state that it ends in.
    pub state: ActionState,
    /// The last answer of the target system.
    pub response: Option<JsonText>,
    /// Why it did not succeed.
    pub error: Option<String>,
}

impl Outcome {
    /// It is done.
    #[must_use]
    pub const fn succeeded(response: Option<JsonText>) -> Self {
        Self {
            state: ActionState::Succeeded,
            response,
            error: None,
        }
    }

    /// It was not done, for certain.
    pub fn failed(response: Option<JsonText>, error: impl Into<String>) -> Self {
        Self {
            state: ActionState::Failed,
            response,
            error: Some(error.into()),
        }
    }

    /// It may have been done.
    #[must_use]
    pub fn unknown(response: Option<JsonText>, error: &str) -> Self {
        Self {
            state: ActionState::Unknown,
            response,
            error: Some(format!(
                "{error} It may have been done; check the target system."
            )),
        }
    }
}

/// What anybody may do to an action.
impl AgentAction {
    /// Claims it for `lease` milliseconds, if it is there to be run.
    ///
    /// Before a system that does a repeated call again, the claim already notes that a call is
    /// under way, and an action that was left in that state ends as unknown: it is never sent
    /// again.
    pub fn claim(
        &mut self,
        session: AgentSessionStatus,
        target: Idempotency,
        lease: i64,
        now: Timestamp,
    ) -> Claim {
        if self.state.has_ended() {
            return Claim::Over;
        }
        if self.is_held(now) {
            return Claim::Busy;
        }
        if let Some((outcome, why)) = self.obstacle(session, target) {
            self.end(outcome, why, now);
            return Claim::Ended(outcome);
        }
        // Its last holder is gone, and may have sent the call.
        self.ambiguous |= target == Idempotency::Keyed && self.state == ActionState::Running;
        self.state = ActionState::Running;
        self.token += 1;
        self.attempts += 1;
        self.resends = 0;
        self.lease_until = Some(now.plus(lease));
        self.due_at = Some(now.plus(lease + Self::LEASE_MARGIN));
        self.started_at.get_or_insert(now);
        self.updated_at = now;
        self.sends(target);
        Claim::Held(())
    }

    /// Why it ends instead of being claimed, and how.
    fn obstacle(
        &self,
        session: AgentSessionStatus,
        target: Idempotency,
    ) -> Option<(ActionState, &'static str)> {
        if session != AgentSessionStatus::Executing {
            return Some(self.cancelled(self.may_have_taken_effect()));
        }
        if target == Idempotency::Unkeyed && self.sending {
            let why = "The worker was interrupted while a call was under way, and the target \
                       system may have done it. Check there; it is not sent again.";
            return Some((ActionState::Unknown, why));
        }
        self.is_last_attempt().then(|| {
            let why = "Given up after several attempts, none of which got a clear answer.";
            (self.given_up(), why)
        })
    }

    /// Whether a worker holds it at `now`.
    #[must_use]
    pub fn is_held(&self, now: Timestamp) -> bool {
        self.state == ActionState::Running && self.lease_until.is_some_and(|until| now < until)
    }

    /// Whether it was claimed as often as it may be.
    #[must_use]
    pub const fn is_last_attempt(&self) -> bool {
        self.attempts >= Self::MOST_ATTEMPTS
    }

    /// Ends a queued one, since its session is cancelled; answers whether it was queued.
    pub fn cancel(&mut self, now: Timestamp) -> bool {
        if self.state != ActionState::Queued {
            return false;
        }
        let (outcome, why) = self.cancelled(self.may_have_taken_effect());
        self.end(outcome, why, now);
        true
    }

    /// Ends one that nobody will run any more: unknown if a call may have taken effect, else
    /// failed. Answers the outcome; none when it has ended or somebody holds it.
    pub fn give_up(&mut self, why: &str, now: Timestamp) -> Option<ActionState> {
        if self.state.has_ended() || self.is_held(now) {
            return None;
        }
        let outcome = self.given_up();
        self.end(outcome, why, now);
        Some(outcome)
    }

    /// Whether the sweeper may send another message for it, and does not give it up yet.
    #[must_use]
    pub const fn may_be_resent(&self) -> bool {
        self.resends < Self::MOST_RESENDS
    }

    /// Notes that the sweeper sent another message for it, and when the next is due: after 30
    /// seconds, and twice as long each time, up to an hour.
    pub fn resent(&mut self, now: Timestamp) {
        let doubled = self.resends.clamp(0, 7);
        let pause = (Self::DELIVERY << doubled).min(span::HOUR);
        self.due_at = Some(now.plus(pause));
        self.resends += 1;
    }

    /// Whether an effect may have taken place that nobody has confirmed: an answer did not tell,
    /// or the one who claimed it is gone.
    fn may_have_taken_effect(&self) -> bool {
        self.has_open_call() || self.state == ActionState::Running
    }

    /// Whether a call is on record whose effect is not.
    const fn has_open_call(&self) -> bool {
        self.ambiguous || self.sending
    }

    /// How it ends when it is given up.
    fn given_up(&self) -> ActionState {
        if self.may_have_taken_effect() {
            ActionState::Unknown
        } else {
            ActionState::Failed
        }
    }

    /// How it ends when its session is cancelled: skipped, unless it got somewhere. `unclear` says
    /// that a call may have taken effect.
    const fn cancelled(&self, unclear: bool) -> (ActionState, &'static str) {
        if unclear {
            let why = "Cancelled while it was not known whether it took effect; check the target \
                       system.";
            (ActionState::Unknown, why)
        } else if self.steps_done > 0 {
            let why = "Cancelled after some of its steps were done.";
            (ActionState::Failed, why)
        } else {
            (ActionState::Skipped, "Cancelled before it started.")
        }
    }

    /// Ends it without an answer of the target system.
    fn end(&mut self, outcome: ActionState, error: &str, now: Timestamp) {
        self.state = outcome;
        self.error = Some(error.to_owned());
        self.lease_until = None;
        self.sending = false;
        self.due_at = None;
        self.executed_at = Some(now);
        self.updated_at = now;
    }
}

/// What the worker does to an action that it holds.
impl AgentAction {
    /// Notes that the next call is about to be sent.
    pub fn sends(&mut self, target: Idempotency) {
        self.sending = target == Idempotency::Unkeyed;
    }

    /// Notes that the call that was about to be sent was not.
    pub fn not_sent(&mut self) {
        self.sending = false;
    }

    /// Notes what became of a call.
    pub fn answered(&mut self, effect: Effect, target: Idempotency) -> Answered {
        match effect {
            Effect::Done => {
                self.steps_done += 1;
                self.sending = false;
                self.ambiguous = false;
                Answered::StepDone
            }
            Effect::Refused => {
                self.sending = false;
                self.ambiguous = false;
                Answered::Refused
            }
            Effect::NotNow => {
                self.sending = false;
                Answered::Again
            }
            Effect::Unclear if target == Idempotency::Keyed => {
                self.ambiguous = true;
                Answered::Again
            }
            // It stays on record as under way.
            Effect::Unclear => Answered::Unknown,
        }
    }

    /// How it ends when its holder learns between two calls that the session was cancelled. What
    /// counts are its calls, not that it is claimed: the holder is here, and knows.
    #[must_use]
    pub fn stopped(&self, response: Option<JsonText>) -> Outcome {
        let (state, why) = self.cancelled(self.has_open_call());
        Outcome {
            state,
            response,
            error: Some(why.to_owned()),
        }
    }

    /// How it ends when its holder tries no more. `error` says what the last attempt came to.
    #[must_use]
    pub fn exhausted(&self, response: Option<JsonText>, error: &str) -> Outcome {
        if self.ambiguous {
            Outcome::unknown(response, &format!("{error} Given up."))
        } else {
            Outcome::failed(response, format!("{error} Given up. It was not done."))
        }
    }

    /// Gives it back, to be claimed again when its message is redelivered.
    pub fn release(&mut self, now: Timestamp) {
        self.state = ActionState::Queued;
        self.lease_until = None;
        self.due_at = Some(now.plus(Self::DELIVERY));
        self.updated_at = now;
    }

    /// Ends it with what became of it.
    pub fn record(&mut self, outcome: &Outcome, now: Timestamp) {
        self.state = outcome.state;
        self.response.clone_from(&outcome.response);
        self.error.clone_from(&outcome.error);
        self.lease_until = None;
        self.due_at = None;
        self.executed_at = Some(now);
        self.updated_at = now;
    }
}

/// An answer of a target system as results keep it.
#[must_use]
pub fn answer(status: u16, body: serde_json::Value) -> JsonText {
    let members = [
        ("status".to_owned(), status.into()),
        ("body".to_owned(), body),
    ];
    JsonText(members.into_iter().collect())
}
