//! Claims, calls and outcomes of an approved action.

use super::{
    ActionState, AgentAction, AgentPolicy, AgentSessionStatus, Approvers, Charge,
    ConnectionTraffic, Effect, Excerpt, HeldRecord, Idempotency, OpenCall, Proposers, StepAnswer,
    StepStatus,
};
use model::{Timestamp, span};

/// The result of a worker's claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim<A = ()> {
    /// The worker holds the action until its lease ends.
    Held(A),
    /// Another worker holds it, its retry time has not come, or a predecessor runs. The end of the
    /// predecessor sends a message, or the sweeper does.
    Busy,
    /// This claim ended it, with this outcome.
    Ended(ActionState),
    /// This claim deferred it; it is due again soon. A pause applies, or its connection is failing
    /// or at its limit.
    PutOff,
    /// This claim gave it a turn at its connection, for which it needs a message.
    Turn(Timestamp),
    /// Nothing to run: it ended before.
    Over,
}

/// The next step after an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answered {
    /// The step is done.
    StepDone,
    /// The call may be sent again with the same key.
    Again,
    /// The action ends as failed.
    Refused,
    /// The action ends as unknown.
    Unknown,
}

/// The end of an action.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The final state.
    pub state: ActionState,
    /// The target system's last answer.
    pub response: Option<Excerpt>,
    /// The reason if it did not succeed.
    pub error: Option<String>,
}

impl Outcome {
    /// Creates the outcome of an action that is done.
    #[must_use]
    pub const fn succeeded(response: Option<Excerpt>) -> Self {
        Self {
            state: ActionState::Succeeded,
            response,
            error: None,
        }
    }

    /// Creates the outcome of an action that is certainly not done.
    pub fn failed(response: Option<Excerpt>, error: impl Into<String>) -> Self {
        Self {
            state: ActionState::Failed,
            response,
            error: Some(error.into()),
        }
    }

    /// Creates the outcome of an action that may have been done.
    #[must_use]
    pub fn unknown(response: Option<Excerpt>, error: &str) -> Self {
        Self {
            state: ActionState::Unknown,
            response,
            error: Some(format!(
                "{error} The call may have been done; check the target system."
            )),
        }
    }
}

/// The connection's properties that a claim needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Called {
    /// Its treatment of a repeated call.
    pub idempotency: Idempotency,
    /// Its revision.
    pub revision: i64,
    /// Milliseconds for which it keeps an idempotency key.
    pub kept_for: i64,
}

/// The claim context: everything besides the action that a claim depends on.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// The status of its session.
    pub session: AgentSessionStatus,
    /// Its connection; none if it does not exist any more.
    pub connection: Option<Called>,
    /// Retry at: until this instant nothing is sent.
    pub put_off: Option<Timestamp>,
    /// The name of the stack, part of idempotency keys.
    pub stack: String,
    /// The states of the actions that must succeed first; none for an unreadable record.
    pub before: Vec<Option<ActionState>>,
    /// The states of the actions that it replaces; none for an unreadable record.
    pub unless: Vec<Option<ActionState>>,
    /// For each of its records, the instants of other actions' tries of its effect.
    pub tries: Vec<Vec<Timestamp>>,
    /// Records that other actions hold.
    pub held: Vec<HeldRecord>,
    /// The organization's policy.
    pub policy: AgentPolicy,
    /// Of the users who approved it, those who still may.
    pub approvers: Approvers,
    /// The users with an interest in it.
    pub proposers: Proposers,
    /// True if its alert is resolved.
    pub is_resolved: bool,
}

impl Surroundings {
    /// Returns why an action that comes first blocks it.
    fn blocks(&self) -> Option<&'static str> {
        let failed = |state: &Option<ActionState>| {
            state.is_none_or(|state| state.has_ended() && state != ActionState::Succeeded)
        };
        let may_succeed =
            |state: &Option<ActionState>| state.is_none_or(|one| one == ActionState::Unknown);
        if self.before.iter().any(failed) {
            Some(
                "predecessor_not_done: an action that comes first did not succeed. Nothing was sent.",
            )
        } else if self.unless.contains(&Some(ActionState::Succeeded)) {
            Some("not_needed: the action that comes first succeeded. Nothing was sent.")
        } else if self.unless.iter().any(may_succeed) {
            Some(
                "predecessor_unknown: the outcome of the action that comes first is unknown. Nothing \
                 was sent.",
            )
        } else {
            None
        }
    }
}

/// Transitions of an action without a holder.
impl AgentAction {
    /// The error of an action whose alert was resolved before it was sent.
    const ALERT_RESOLVED: &'static str =
        "alert_resolved: the alert was resolved before it ran. Nothing was sent.";

    /// Claims it for `lease` milliseconds, if it can run. Its records are claimed in the same
    /// write.
    ///
    /// For a system without idempotency keys, the claim already records that a call is under way.
    /// An action left in that state ends as unknown and is never sent again. The recorded
    /// connection revision counts, not the current one: through another revision, a repeated call
    /// could be a different call.
    ///
    /// A deferred action stays as it is, without an attempt.
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
        let mut before = around.before.iter().chain(&around.unless);
        let waits = before.any(|state| state.is_some_and(|state| !state.has_ended()));
        // A message of its turn is under way.
        let soon = now.plus(ConnectionTraffic::LONGEST_WAIT_OF_WORKERS);
        let has_turn = self.schedule.turn.is_some_and(|turn| soon < turn);
        if waits || has_turn || self.schedule.not_before.is_some_and(|at| now < at) {
            return Claim::Busy;
        }
        if let Some(until) = around.put_off {
            self.put_off_until(until, now);
            return Claim::PutOff;
        }
        // A holder that is gone may have sent the call.
        self.progress.call.ambiguous = self.may_have_taken_effect();
        self.progress
            .stack
            .get_or_insert_with(|| around.stack.clone());
        self.state = ActionState::Running;
        self.fence.token += 1;
        self.progress.attempts += 1;
        self.schedule.resends = 0;
        self.schedule.put_off = false;
        self.schedule.turn = None;
        self.schedule.not_before = None;
        self.schedule.lease_until = Some(now.plus(lease));
        let look = Self::DELIVERY.max(lease + Self::LEASE_MARGIN);
        self.schedule.due_at = Some(now.plus(look));
        self.progress.started_at.get_or_insert(now);
        self.updated_at = now;
        self.progress.connection_revision = around.connection.map(|called| called.revision);
        self.progress.call.looking = self.looks_first();
        if !self.progress.call.looking {
            let called = around.connection.map(|called| called.idempotency);
            self.sends(called.unwrap_or(Idempotency::Unkeyed), now);
        }
        Claim::Held(())
    }

    /// Defers it until an instant, without an attempt.
    pub fn put_off_until(&mut self, until: Timestamp, now: Timestamp) {
        self.schedule.put_off = true;
        self.schedule.resends = 0;
        self.schedule.due_at = Some(until.min(self.deadline()));
        self.updated_at = now;
    }

    /// Defers it until its turn, without an attempt. The sweeper sends a message if that of the turn
    /// got lost.
    pub fn wait_for_turn(&mut self, turn: Timestamp, now: Timestamp) {
        self.put_off_until(turn.plus(Self::DELIVERY), now);
        self.schedule.turn = Some(turn);
    }

    /// Returns the outcome and the reason if it ends instead of being claimed.
    fn obstacle(&self, around: &Surroundings, now: Timestamp) -> Option<(ActionState, String)> {
        if around.session != AgentSessionStatus::Executing || self.fence.stopping {
            let (outcome, why) = self.cancelled(self.may_have_taken_effect());
            return Some((outcome, why.to_owned()));
        }
        if self.progress.call.sending
            || (!self.is_repeatable(around, now) && self.may_have_taken_effect())
        {
            let why = "The worker was interrupted while a call was under way, and the target \
                       system may have done it. Check there; it is not sent again.";
            return Some((ActionState::Unknown, why.to_owned()));
        }
        if self.deadline() <= now {
            let why = "No attempt got a clear answer within 24 hours.";
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
        let why = around.blocks().map(str::to_owned);
        let why = why.or_else(|| Some(around.held.first()?.says()));
        let why = why.or_else(|| {
            let attempts = self.content.attempts?;
            let own = self.earlier_tries();
            let mut tries = around.tries.iter();
            tries.find_map(|tries| attempts.refuse(&[tries.as_slice(), &own].concat(), now))
        })?;
        Some((self.kept_back(), why))
    }

    /// Returns why its approvals do not permit it to run. Once a call may have taken effect, only
    /// its content and its connection count: it may be half done. An answer that proves that
    /// nothing was done, such as a 429, changes nothing: policy, approvals and caps count again.
    fn unapproved(&self, around: &Surroundings, now: Timestamp) -> Option<String> {
        let approvals = self.current_approvals();
        let says = |why: &str| Some(why.to_owned());
        if self.content.records.is_empty() {
            return says(
                "content_changed: it was proposed by an earlier release; open another session. Nothing \
                 more was sent.",
            );
        }
        let digest = self.digest();
        let mut digests = approvals.iter().filter_map(|one| one.digest.as_ref());
        if digests.any(|approved| *approved != digest) {
            return says(
                "content_changed: the action is not the approved one. Nothing more was sent.",
            );
        }
        let approved = self.content.connection.as_ref();
        if let (Some(approved), Some(now_there)) = (approved, around.connection)
            && approved.revision != now_there.revision
        {
            return says(
                "content_changed: its connection was changed since it was proposed; open another \
                 session. Nothing more was sent.",
            );
        }
        if self.may_have_taken_effect() || self.has_changed() {
            return None;
        }
        if around.is_resolved {
            return says(Self::ALERT_RESOLVED);
        }
        let approvals = around.approvers.standing(&approvals);
        let requirement = around.policy.requires(self.content.subject());
        let requirement = requirement.and(&self.round.rules);
        if requirement.denies() {
            return says(
                "policy_denied: the policy now allows no user to execute it. Nothing was sent.",
            );
        }
        let given = requirement.given(&approvals, &around.proposers, now);
        if given < requirement.approvers() {
            if !approvals.iter().all(|one| one.is_valid(now)) {
                return says(
                    "approval_expired: it was approved more than an hour ago. Nothing was sent.",
                );
            }
            let asked = requirement.says();
            return Some(format!(
                "approval_missing: the policy now requires {asked}; {given} of the given approvals \
                 count. Nothing was sent."
            ));
        }
        let why = around.policy.caps.charge(self.content.subject()).err()?;
        Some(format!("cap_reached: {why}. Nothing was sent."))
    }

    /// Returns its charge to the daily caps, if any. An action is charged at the first claim after
    /// its approval.
    #[must_use]
    pub fn charge(&self, policy: &AgentPolicy) -> Option<Charge> {
        let charge = policy.caps.charge(self.content.subject()).ok()?;
        charge.filter(|_| self.progress.attempts == 0)
    }

    /// Ends it instead of a claim, since a daily cap is reached. Returns the outcome.
    pub fn beyond_the_day(&mut self, now: Timestamp) -> ActionState {
        let outcome = self.kept_back();
        let why = "cap_reached: with the actions of today, it exceeds a cap of the policy for a day \
                   (UTC). Nothing was sent.";
        self.end(outcome, why, now);
        outcome
    }

    /// True if a call that may have been sent can be repeated as the same call, through the same
    /// connection, while the system keeps its key. After that, a read may still find its effect.
    fn is_repeatable(&self, around: &Surroundings, now: Timestamp) -> bool {
        around.connection.is_some_and(|called| {
            let sent = self.progress.connection_revision;
            called.idempotency == Idempotency::Keyed
                && sent.is_none_or(|sent| sent == called.revision)
                && (self.keeps_key(called.kept_for, now) || !self.doubt_reads().is_empty())
        })
    }

    /// True if the system still keeps the key of the open call, for as long as it keeps keys.
    #[must_use]
    pub fn keeps_key(&self, kept_for: i64, now: Timestamp) -> bool {
        let since = self.progress.call.since;
        since.is_none_or(|since| now < since.plus(kept_for))
    }

    /// True if a worker holds it at `now`.
    #[must_use]
    pub fn is_held(&self, now: Timestamp) -> bool {
        self.state == ActionState::Running
            && self.schedule.lease_until.is_some_and(|until| now < until)
    }

    /// Ends a queued action whose session is cancelled. Returns whether it was queued.
    pub fn cancel(&mut self, now: Timestamp) -> bool {
        if self.state != ActionState::Queued {
            return false;
        }
        let (outcome, why) = self.cancelled(self.may_have_taken_effect());
        self.end(outcome, why, now);
        true
    }

    /// Gives up an action that no worker will run. The outcome is unknown if a call may have taken
    /// effect, else failed. Returns the outcome; none if the action has ended or is held.
    pub fn give_up(&mut self, why: &str, now: Timestamp) -> Option<ActionState> {
        if self.state.has_ended() || self.is_held(now) {
            return None;
        }
        let outcome = self.given_up();
        self.end(outcome, why, now);
        Some(outcome)
    }

    /// True if the sweeper may send another message for it. Afterwards it is given up.
    #[must_use]
    pub fn may_be_resent(&self, now: Timestamp) -> bool {
        now < self.deadline()
    }

    /// Records another message by the sweeper and schedules the next: after two minutes, doubled
    /// each time, up to an hour.
    pub fn resent(&mut self, now: Timestamp) {
        let doubled = self.schedule.resends.clamp(0, 5);
        let pause = (Self::DELIVERY << doubled).min(span::HOUR);
        self.schedule.due_at = Some(now.plus(pause).min(self.deadline()));
        self.schedule.put_off = false;
        self.schedule.resends += 1;
    }

    /// True if an unconfirmed effect may have taken place: an answer did not tell, or a lost holder
    /// was about to send a change.
    fn may_have_taken_effect(&self) -> bool {
        let is_gone = self.state == ActionState::Running
            && !self.progress.call.looking
            && self.is_about_to_change();
        self.has_open_call() || is_gone
    }

    /// True if a call without a known effect is recorded.
    const fn has_open_call(&self) -> bool {
        self.progress.call.ambiguous || self.progress.call.sending
    }

    /// Returns the state in which it ends when given up.
    fn given_up(&self) -> ActionState {
        if self.may_have_taken_effect() {
            ActionState::Unknown
        } else {
            ActionState::Failed
        }
    }

    /// Returns the state in which it ends when blocked: skipped, unless a step or call may have had
    /// an effect.
    fn kept_back(&self) -> ActionState {
        let (outcome, _) = self.cancelled(self.may_have_taken_effect());
        outcome
    }

    /// Returns the state in which it ends when its session is cancelled: skipped, unless a step or
    /// call may have had an effect. `unclear` says that a call may have taken effect.
    const fn cancelled(&self, unclear: bool) -> (ActionState, &'static str) {
        if unclear {
            let why = "Cancelled while its outcome was unknown; check the target system.";
            (ActionState::Unknown, why)
        } else if self.progress.steps_done > 0 {
            let why = "Cancelled after some of its steps were done.";
            (ActionState::Failed, why)
        } else {
            (ActionState::Skipped, "Cancelled before it started.")
        }
    }

    /// Ends it without an answer of the target system.
    fn end(&mut self, outcome: ActionState, error: &str, now: Timestamp) {
        self.end.error = Some(error.to_owned());
        self.progress.call.sending = false;
        self.ends(outcome, now);
    }

    /// Sets its final state, and plans its checks.
    fn ends(&mut self, state: ActionState, now: Timestamp) {
        self.state = state;
        self.schedule.lease_until = None;
        self.schedule.due_at = None;
        self.end.at = Some(now);
        self.updated_at = now;
        self.plan_looks(now);
    }
}

/// Transitions by the worker that holds the action.
impl AgentAction {
    /// Records that the next call is about to be sent. The first one of a round that changes something
    /// is a try.
    pub fn sends(&mut self, target: Idempotency, now: Timestamp) {
        self.progress.call.sending = target == Idempotency::Unkeyed && self.is_about_to_change();
        self.progress.call.since.get_or_insert(now);
        self.tries(now);
    }

    /// Records that the announced call was not sent.
    pub fn not_sent(&mut self) {
        self.progress.call.sending = false;
        if !self.progress.call.ambiguous {
            self.progress.call.since = None;
            self.not_tried();
        }
    }

    /// Records that a read found the effect of the open call. Its step is done.
    pub fn found_done(&mut self, now: Timestamp) {
        let step = self.is_known(StepStatus::Done, now);
        self.progress.steps_done += 1;
        self.progress.answers.push(StepAnswer {
            step,
            at: now,
            effect: Effect::Done.into(),
            problem: "A read found that the call took effect.".to_owned(),
            response: None,
        });
    }

    /// Records the effect of a call.
    pub fn answered(&mut self, effect: Effect, target: Idempotency) -> Answered {
        match effect {
            Effect::Done | Effect::DoneBefore => {
                let is_change = self.is_about_to_change();
                self.progress.already_done += i64::from(is_change && effect == Effect::DoneBefore);
                self.progress.steps_done += 1;
                self.progress.call = OpenCall::default();
                Answered::StepDone
            }
            Effect::Refused => {
                self.progress.call = OpenCall::default();
                Answered::Refused
            }
            Effect::NotNow => {
                self.not_sent();
                Answered::Again
            }
            Effect::Unclear if target == Idempotency::Keyed => {
                self.progress.call.ambiguous = true;
                Answered::Again
            }
            Effect::Undecided => {
                self.progress.call.ambiguous = true;
                Answered::Unknown
            }
            Effect::UnderWay => {
                self.progress.call.ambiguous = true;
                self.progress.call.under_way = Some(true);
                Answered::Unknown
            }
            // The call stays recorded as under way.
            Effect::Unclear => Answered::Unknown,
        }
    }

    /// Returns the outcome when its holder learns between two calls of the session's cancellation.
    /// Only its calls count, not the claim, since the holder is alive.
    #[must_use]
    pub fn stopped(&self, response: Option<Excerpt>) -> Outcome {
        let (state, why) = self.cancelled(self.has_open_call());
        Outcome {
            state,
            response,
            error: Some(why.to_owned()),
        }
    }

    /// True if a later call of its holder still depends on its alert: no call may have taken effect.
    #[must_use]
    pub fn depends_on_alert(&self) -> bool {
        !self.has_open_call() && !self.has_changed()
    }

    /// Returns the outcome when its holder learns between two calls that its alert is resolved.
    #[must_use]
    pub fn alert_resolved(&self, response: Option<Excerpt>) -> Outcome {
        Outcome {
            error: Some(Self::ALERT_RESOLVED.to_owned()),
            ..self.stopped(response)
        }
    }

    /// Returns the outcome when its holder gives up. `error` is the result of the last attempt.
    #[must_use]
    pub fn exhausted(&self, response: Option<Excerpt>, error: &str) -> Outcome {
        let error = format!("{error} Given up.");
        if self.has_open_call() {
            Outcome::unknown(response, &error)
        } else if self.progress.steps_done > 0 {
            Outcome::failed(
                response,
                format!("{error} Only the steps before it are done."),
            )
        } else {
            Outcome::failed(response, format!("{error} It was not done."))
        }
    }

    /// Returns the retry time after an attempt without a result: after a minute, doubled each time,
    /// up to half an hour. A longer wait that the target system asked for applies instead. None if
    /// that is after the deadline, and it is given up.
    #[must_use]
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

    /// Ends it with an outcome.
    pub fn record(&mut self, outcome: &Outcome, now: Timestamp) {
        self.end.excerpt_hash = outcome.response.as_ref().map(Excerpt::hash);
        self.end.error.clone_from(&outcome.error);
        self.ends(outcome.state, now);
    }
}
