//! An approved action in the hands of those who run it: claims, calls, outcomes.

use super::{
    ActionState, AgentAction, AgentPolicy, AgentSessionStatus, Charge, HeldEffect, Proposers,
};
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
    /// Somebody else holds it, or its time has not come: it was given back until later, or an
    /// action comes first. Whoever ends that one sends a message, else the sweeper does.
    Busy,
    /// It was ended just now, with this outcome.
    Ended(ActionState),
    /// Nothing is sent for now, since that is paused, its connection is in trouble, or is called as
    /// much as it may be: it was given back just now, and is due again soon.
    PutOff,
    /// There is nothing to run: it ended before.
    Over,
}

/// What an answer to a call tells of its effect, or the lack of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Effect {
    /// It took place.
    Done,
    /// It had taken place before, whoever had it done.
    DoneBefore,
    /// It did not take place and will not.
    Refused,
    /// It did not take place; later it may.
    NotNow,
    /// It may have taken place.
    Unclear,
    /// It may have taken place, and no repeat of the call will tell.
    Undecided,
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

/// What a claim asks of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Called {
    /// What it makes of a call that is sent twice.
    pub idempotency: Idempotency,
    /// Which revision of it.
    pub revision: i64,
}

/// What a claim is judged by, beside the action itself.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// Where its session stands.
    pub session: AgentSessionStatus,
    /// Its connection, as far as a claim asks of it; none when there is none any more.
    pub connection: Option<Called>,
    /// Until when at least nothing is sent, where that is so.
    pub put_off: Option<Timestamp>,
    /// The name of the stack, which idempotency keys carry.
    pub stack: String,
    /// Where the actions stand that come first; none for one that does not read.
    pub before: Vec<Option<ActionState>>,
    /// Effects that others hold, among its own and those that exclude it.
    pub held: Vec<HeldEffect>,
    /// The organization's policy.
    pub policy: AgentPolicy,
    /// Who had it proposed.
    pub proposers: Proposers,
}

/// What anybody may do to an action.
impl AgentAction {
    /// Claims it for `lease` milliseconds, if it is there to be run. Its effects are claimed with
    /// it, in the same write.
    ///
    /// Before a system that does a repeated call again, the claim already notes that a call is
    /// under way, and an action that was left in that state ends as unknown: it is never sent
    /// again. What counts is how it may have been sent, whatever is configured since: through
    /// another revision of its connection, a repeated call could be another one.
    ///
    /// What is put off is given back as it is, without an attempt.
    pub fn claim(&mut self, around: &Surroundings, lease: i64, now: Timestamp) -> Claim {
        if self.state.has_ended() {
            return Claim::Over;
        }
        if self.is_held(now) {
            return Claim::Busy;
        }
        if let Some((outcome, why)) = self.obstacle(around, now) {
            self.end(outcome, &why, now);
            return Claim::Ended(outcome);
        }
        let waits = around.before.contains(&Some(ActionState::Queued))
            || around.before.contains(&Some(ActionState::Running));
        if waits || self.not_before.is_some_and(|at| now < at) {
            return Claim::Busy;
        }
        if let Some(until) = around.put_off {
            self.put_off_until(until, now);
            return Claim::PutOff;
        }
        // If its last holder is gone, it may have sent the call.
        self.ambiguous = self.may_have_taken_effect();
        self.stack.get_or_insert_with(|| around.stack.clone());
        self.state = ActionState::Running;
        self.token += 1;
        self.attempts += 1;
        self.resends = 0;
        self.put_off = false;
        self.not_before = None;
        self.lease_until = Some(now.plus(lease));
        let look = Self::DELIVERY.max(lease + Self::LEASE_MARGIN);
        self.due_at = Some(now.plus(look));
        self.started_at.get_or_insert(now);
        self.updated_at = now;
        self.connection_revision = around.connection.map(|called| called.revision);
        self.looking = self.looks_first();
        if !self.looking {
            let called = around.connection.map(|called| called.idempotency);
            self.sends(called.unwrap_or(Idempotency::Unkeyed));
        }
        Claim::Held(())
    }

    /// Gives it back as it is, without an attempt, until an instant.
    pub fn put_off_until(&mut self, until: Timestamp, now: Timestamp) {
        self.put_off = true;
        self.resends = 0;
        self.due_at = Some(until.min(self.deadline()));
        self.updated_at = now;
    }

    /// Why it ends instead of being claimed, and how.
    fn obstacle(&self, around: &Surroundings, now: Timestamp) -> Option<(ActionState, String)> {
        if around.session != AgentSessionStatus::Executing || self.stopping {
            let (outcome, why) = self.cancelled(self.may_have_taken_effect());
            return Some((outcome, why.to_owned()));
        }
        if self.sending || (!self.is_repeatable(around) && self.may_have_taken_effect()) {
            let why = "The worker was interrupted while a call was under way, and the target \
                       system may have done it. Check there; it is not sent again.";
            return Some((ActionState::Unknown, why.to_owned()));
        }
        if self.deadline() <= now {
            let why = "Given up after 24 hours, in which no attempt got a clear answer.";
            return Some((self.given_up(), why.to_owned()));
        }
        if let Some(why) = self.unapproved(around, now) {
            return Some((self.kept_back(), why));
        }
        if around.connection.is_none() {
            let why = "no_connection: the connection that it was approved for is gone. Nothing more \
                       was sent.";
            return Some((self.given_up(), why.to_owned()));
        }
        let failed = |state: &Option<ActionState>| {
            state.is_none_or(|state| state.has_ended() && state != ActionState::Succeeded)
        };
        if around.before.iter().any(failed) {
            let why = "predecessor_not_done: an action that comes first did not succeed. Nothing \
                       was sent.";
            return Some((self.kept_back(), why.to_owned()));
        }
        let held = around.held.first()?;
        Some((self.kept_back(), held.says()))
    }

    /// Why its approvals do not let it be run, if they do not. Once a call of it may have been sent, only
    /// that it is what was approved counts, and goes where that was to go: it may be half done.
    fn unapproved(&self, around: &Surroundings, now: Timestamp) -> Option<String> {
        let approvals = self.current_approvals();
        let mut digests = approvals
            .iter()
            .filter_map(|one| one.digest.as_ref())
            .peekable();
        // Those that were given before there were digests have none.
        if digests.peek().is_some() {
            let digest = self.digest();
            if digests.any(|approved| *approved != digest) {
                let why = "content_changed: it is not what was approved. Nothing more was sent.";
                return Some(why.to_owned());
            }
        }
        let approved = self.connection.as_ref().map(|approved| approved.revision);
        let now_there = around.connection.map(|called| called.revision);
        if let (Some(approved), Some(now_there)) = (approved, now_there)
            && approved != now_there
        {
            let why = "content_changed: its connection was changed since it was proposed; open \
                       another session. Nothing more was sent.";
            return Some(why.to_owned());
        }
        if self.has_sent() {
            return None;
        }
        let requirement = around.policy.requires(self.subject());
        if requirement.denies() {
            let why = "policy_denied: the policy lets nobody execute it by now. Nothing was sent.";
            return Some(why.to_owned());
        }
        let given = requirement.given(&approvals, around.proposers, now);
        if given < requirement.approvers() {
            if !approvals.iter().all(|one| one.is_valid(now)) {
                let why = "approval_expired: it was approved more than an hour ago. Nothing was \
                           sent.";
                return Some(why.to_owned());
            }
            let asked = requirement.says();
            return Some(format!(
                "approval_missing: the policy asks for {asked} by now, and of the approvals that were \
                 given {given} count. Nothing was sent."
            ));
        }
        let why = around.policy.caps.charge(self.subject()).err()?;
        Some(format!("cap_reached: {why}. Nothing was sent."))
    }

    /// Whether a call of it may have been sent since it was approved. Those who only looked at what it
    /// requires have sent none.
    fn has_sent(&self) -> bool {
        let only_looked = self.looking && self.steps_done == 0 && self.step_results.is_empty();
        self.attempts > 0 && !only_looked
    }

    /// What it takes of its day when it is claimed, if it takes anything: an action counts with the
    /// first claim after its approval.
    #[must_use]
    pub fn charge(&self, policy: &AgentPolicy) -> Option<Charge> {
        let charge = policy.caps.charge(self.subject()).ok()?;
        charge.filter(|_| self.attempts == 0)
    }

    /// Ends it instead of a claim, since the day has no room for it; answers the outcome.
    pub fn beyond_the_day(&mut self, now: Timestamp) -> ActionState {
        let outcome = self.kept_back();
        let why = "cap_reached: together with what was executed today it is above what the policy \
                   allows for a day (UTC). Nothing was sent.";
        self.end(outcome, why, now);
        outcome
    }

    /// Whether a call that may have been sent can be sent once more, as the same one.
    fn is_repeatable(&self, around: &Surroundings) -> bool {
        around.connection.is_some_and(|called| {
            let sent = self.connection_revision;
            called.idempotency == Idempotency::Keyed
                && sent.is_none_or(|sent| sent == called.revision)
        })
    }

    /// Whether a worker holds it at `now`.
    #[must_use]
    pub fn is_held(&self, now: Timestamp) -> bool {
        self.state == ActionState::Running && self.lease_until.is_some_and(|until| now < until)
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
    pub fn may_be_resent(&self, now: Timestamp) -> bool {
        now < self.deadline()
    }

    /// Notes that the sweeper sent another message for it, and when the next is due: after two
    /// minutes, and twice as long each time, up to an hour.
    pub fn resent(&mut self, now: Timestamp) {
        let doubled = self.resends.clamp(0, 5);
        let pause = (Self::DELIVERY << doubled).min(span::HOUR);
        self.due_at = Some(now.plus(pause).min(self.deadline()));
        self.put_off = false;
        self.resends += 1;
    }

    /// Whether an effect may have taken place that nobody has confirmed: an answer did not tell,
    /// or the one who claimed it is gone, and was to send a call that changes something.
    fn may_have_taken_effect(&self) -> bool {
        let is_gone =
            self.state == ActionState::Running && !self.looking && self.is_about_to_change();
        self.has_open_call() || is_gone
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

    /// How it ends when something stands in its way: skipped, unless it got somewhere.
    fn kept_back(&self) -> ActionState {
        let (outcome, _) = self.cancelled(self.may_have_taken_effect());
        outcome
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
        self.plan_looks(now);
    }
}

/// What the worker does to an action that it holds.
impl AgentAction {
    /// Notes that the next call is about to be sent.
    pub fn sends(&mut self, target: Idempotency) {
        self.sending = target == Idempotency::Unkeyed && self.is_about_to_change();
    }

    /// Notes that the call that was about to be sent was not.
    pub fn not_sent(&mut self) {
        self.sending = false;
    }

    /// Notes what became of a call.
    pub fn answered(&mut self, effect: Effect, target: Idempotency) -> Answered {
        match effect {
            Effect::Done | Effect::DoneBefore => {
                let is_change = self.is_about_to_change();
                self.already_done += i64::from(is_change && effect == Effect::DoneBefore);
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
            Effect::Undecided => {
                self.ambiguous = true;
                Answered::Unknown
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
        let error = format!("{error} Given up.");
        if self.has_open_call() {
            Outcome::unknown(response, &error)
        } else if self.steps_done > 0 {
            Outcome::failed(
                response,
                format!("{error} Only the steps before it are done."),
            )
        } else {
            Outcome::failed(response, format!("{error} It was not done."))
        }
    }

    /// When it may be claimed again after an attempt that came to nothing: after a minute, and
    /// twice as long each time, up to half an hour, or as long as the target system asked for. None
    /// when that is too late, and it is given up.
    #[must_use]
    pub fn next_attempt(&self, retry_after: Option<i64>, now: Timestamp) -> Option<Timestamp> {
        let doubled = (self.attempts - 1).clamp(0, 5);
        let pause = (Self::FIRST_PAUSE << doubled).min(Self::LONGEST_PAUSE);
        let next = now.plus(pause.max(retry_after.unwrap_or(0)));
        (next < self.deadline()).then_some(next)
    }

    /// Gives it back, to be claimed again from an instant on, when the sweeper sends a message.
    pub fn release(&mut self, next: Timestamp, now: Timestamp) {
        self.state = ActionState::Queued;
        self.lease_until = None;
        self.not_before = Some(next);
        self.due_at = Some(next);
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
        self.plan_looks(now);
    }
}

/// The minutes that an action saved, where they could not be counted with its outcome.
impl AgentAction {
    /// Notes that they are to be counted later.
    pub fn count_later(&mut self, now: Timestamp) {
        self.uncounted = self.saved() > 0;
        if self.uncounted {
            self.due_at = Some(now.plus(span::MINUTE));
        }
    }

    /// Notes that they are counted.
    pub fn counted(&mut self) {
        self.uncounted = false;
        self.due_at = None;
    }
}
