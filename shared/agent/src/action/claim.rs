//! Claims of an approved action, and transitions without a holder.

use model::base::{Timestamp, UserId};

use crate::{
    action::{ActionState, AgentAction, HeldRecord},
    connection::{Connection, ConnectionTraffic, Idempotency, Restored},
    policy::{AgentPolicy, Approvers, Charge},
    session::AgentSessionStatus,
};

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
    Deferred,
    /// This claim gave it a slot at its connection, for which it needs a message.
    Slot(Timestamp),
    /// Nothing to run: it ended before.
    Over,
}

/// The connection's properties that claims and runs need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Called {
    pub idempotency: Idempotency,
    pub revision: i64,
    /// Milliseconds for which it keeps an idempotency key.
    pub kept_for: i64,
}

impl Called {
    pub fn of(connection: &Connection) -> Self {
        Self {
            idempotency: connection.idempotency(),
            revision: connection.revision,
            kept_for: connection.keys_kept_for(),
        }
    }
}

/// The claim context: everything besides the action that a claim depends on.
#[derive(Clone, Debug)]
pub struct ClaimContext {
    pub session: AgentSessionStatus,
    /// Its connection; none if it does not exist any more.
    pub connection: Option<Called>,
    /// Retry at: until this instant nothing is sent.
    pub deferred_until: Option<Timestamp>,
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
    pub policy: AgentPolicy,
    /// Of the users who approved it, those who still may.
    pub approvers: Approvers,
    /// The users with an interest in it.
    pub proposers: Vec<UserId>,
    pub is_resolved: bool,
    /// The restore of the table since the session was opened.
    pub restored: Option<Restored>,
}

impl ClaimContext {
    /// True if an action that comes first has not ended.
    fn waits(&self) -> bool {
        let mut first = self.before.iter().chain(&self.unless);
        first.any(|state| state.is_some_and(|state| !state.has_ended()))
    }

    /// Returns why an action that comes first blocks it.
    fn blocks(&self) -> Option<&'static str> {
        let failed = |state: &Option<ActionState>| {
            state.is_none_or(|state| state.has_ended() && state != ActionState::Succeeded)
        };
        let may_succeed =
            |state: &Option<ActionState>| state.is_none_or(|state| state == ActionState::Unknown);
        Some(if self.before.iter().any(failed) {
            "predecessor_not_done: an action that comes first did not succeed. Nothing was sent."
        } else if self
            .unless
            .contains(&Some(ActionState::Succeeded))
        {
            "not_needed: the action that comes first succeeded. Nothing was sent."
        } else if self.unless.iter().any(may_succeed) {
            "predecessor_unknown: the outcome of the action that comes first is unknown. Nothing was sent."
        } else {
            return None;
        })
    }
}

impl AgentAction {
    /// The error of an action whose alert was resolved before it was sent.
    pub(crate) const ALERT_RESOLVED: &'static str =
        "alert_resolved: the alert was resolved before it ran. Nothing was sent.";

    /// The error of an action from a time that the table lost.
    pub(crate) const LOST: &'static str = "restored: the table was put back to an earlier instant, and the target system may have done it since. \
         Check there; it was not sent.";

    /// Claims it for `lease` milliseconds, if it can run. Its records are claimed in the same
    /// write.
    ///
    /// For a system without idempotency keys, the claim already records that a call is under way.
    /// An action left in that state ends as unknown and is never sent again. The recorded
    /// connection revision counts, not the current one: through another revision, a repeated call
    /// could be a different call.
    ///
    /// A deferred action stays as it is, without an attempt.
    pub fn claim(&mut self, context: &ClaimContext, lease: i64, now: Timestamp) -> Claim {
        if self.state.has_ended() {
            return Claim::Over;
        }
        if self.is_held(now) {
            return Claim::Busy;
        }
        if let Some((outcome, why)) = self.obstacle(context, now) {
            self.end(outcome, &why, now);
            let tries = context
                .tries
                .iter()
                .map(|tries| self.open_from(tries));
            self.end.barred_until = tries.flatten().max();
            return Claim::Ended(outcome);
        }
        // A message of its slot is under way.
        let soon = now.plus(ConnectionTraffic::LONGEST_WAIT_OF_WORKERS);
        let has_slot = self
            .schedule
            .slot
            .is_some_and(|slot| soon < slot);
        if context.waits()
            || has_slot
            || self
                .schedule
                .not_before
                .is_some_and(|at| now < at)
        {
            return Claim::Busy;
        }
        if let Some(until) = context.deferred_until {
            self.defer_until(until, now);
            return Claim::Deferred;
        }
        self.progress.restored = context.restored;
        let is_lost = self.lost_since().is_some();
        if is_lost && self.doubt_reads().is_empty() && !self.is_repeatable(context, now) {
            self.end(ActionState::Unknown, Self::LOST, now);
            return Claim::Ended(ActionState::Unknown);
        }
        // A holder that is gone may have sent the call.
        self.progress.call.ambiguous = self.may_have_taken_effect();
        let stack = &mut self.progress.stack;
        stack.get_or_insert_with(|| context.stack.clone());
        self.state = ActionState::Running;
        self.fence.token += 1;
        self.progress.attempts += 1;
        self.schedule.resends = 0;
        self.schedule.deferred = false;
        self.schedule.slot = None;
        self.schedule.not_before = None;
        self.schedule.lease_until = Some(now.plus(lease));
        self.schedule.due_at = Some(now.plus(Self::DELIVERY.max(lease + Self::LEASE_MARGIN)));
        self.progress
            .started_at
            .get_or_insert(now);
        self.updated_at = now;
        self.progress.connection_revision = context
            .connection
            .map(|called| called.revision);
        self.progress.call.unchecked = self.checks_first();
        if !self.progress.call.unchecked {
            let called = context
                .connection
                .map(|called| called.idempotency);
            self.sends(called.unwrap_or(Idempotency::Unkeyed), now);
        }
        Claim::Held(())
    }

    pub fn defer_until(&mut self, until: Timestamp, now: Timestamp) {
        self.schedule.deferred = true;
        self.schedule.resends = 0;
        self.schedule.due_at = Some(until.min(self.deadline()));
        self.updated_at = now;
    }

    /// Defers it until its slot, without an attempt. The sweeper sends a message if that of the
    /// slot got lost.
    pub fn wait_for_slot(&mut self, slot: Timestamp, now: Timestamp) {
        self.defer_until(slot.plus(Self::DELIVERY), now);
        self.schedule.slot = Some(slot);
    }

    /// Returns the outcome and the reason if it ends instead of being claimed.
    fn obstacle(&self, context: &ClaimContext, now: Timestamp) -> Option<(ActionState, String)> {
        if context.session != AgentSessionStatus::Executing || self.fence.stopping {
            let (outcome, why) = self.cancelled(self.may_have_taken_effect());
            return Some((outcome, why.to_owned()));
        }
        if self.progress.call.sending
            || (!self.is_repeatable(context, now) && self.may_have_taken_effect())
        {
            let why = "The worker was interrupted while a call was under way, and the target \
                       system may have done it. Check there; it is not sent again.";
            return Some((ActionState::Unknown, why.to_owned()));
        }
        if self.deadline() <= now {
            let why = "No attempt got a clear answer within 24 hours.";
            return Some((self.given_up(), why.to_owned()));
        }
        if let Some(why) = self.unapproved(context, now) {
            return Some((self.kept_back(), why));
        }
        if context.connection.is_none() {
            let why = "no_connection: the connection that it was approved for is gone. Nothing more \
                       was sent.";
            return Some((self.given_up(), why.to_owned()));
        }
        if let Some(why) = context.blocks() {
            return Some((self.kept_back(), why.to_owned()));
        }
        // The actions that come first may hold its records until they end.
        if context.waits() {
            return None;
        }
        let why = context
            .held
            .first()
            .map(HeldRecord::says);
        let why = why.or_else(|| {
            let attempts = self.content.attempts?;
            // Those of its earlier rounds.
            let own = self.progress.tries.iter();
            let own = own.filter(|attempt| attempt.round != self.round.number);
            let own: Vec<_> = own.map(|attempt| attempt.at).collect();
            let mut tries = context.tries.iter();
            tries.find_map(|tries| attempts.refuse(&[tries.as_slice(), &own].concat(), now))
        })?;
        Some((self.kept_back(), why))
    }

    /// Returns the instant from which it may be tried again, by its limit and the known tries. None
    /// if it was not tried.
    pub(crate) fn barred_until(&self) -> Option<Timestamp> {
        self.open_from(&[])
            .max(self.end.barred_until)
    }

    /// Returns the instant from which its limit allows another try, after its own tries and those
    /// of others.
    fn open_from(&self, others: &[Timestamp]) -> Option<Timestamp> {
        let own = self
            .progress
            .tries
            .iter()
            .map(|attempt| attempt.at);
        let tries: Vec<_> = own
            .chain(others.iter().copied())
            .collect();
        self.content.attempts?.open_from(&tries)
    }

    /// Returns why its approvals do not permit it to run. Once a call may have taken effect, only
    /// its content and its connection count: it may be half done. After an answer such as
    /// 429, nothing was done: policy, approvals and caps count again.
    fn unapproved(&self, context: &ClaimContext, now: Timestamp) -> Option<String> {
        let approvals = self.current_approvals();
        let says = |why: &str| Some(why.to_owned());
        if self.content.records.is_empty() {
            return says(
                "content_changed: it was proposed by an earlier release; open another session. Nothing \
                 more was sent.",
            );
        }
        let digest = self.digest();
        let mut digests = approvals
            .iter()
            .filter_map(|approval| approval.digest.as_ref());
        if digests.any(|approved| *approved != digest) {
            return says(
                "content_changed: the action is not the approved one. Nothing more was sent.",
            );
        }
        let approved = self.content.connection.as_ref();
        if let (Some(approved), Some(now_there)) = (approved, context.connection)
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
        if context.is_resolved {
            return says(Self::ALERT_RESOLVED);
        }
        let approvals = context.approvers.standing(&approvals);
        let requirement = context.policy.requires(&self.content);
        let requirement = requirement.and(&self.round.rules);
        if requirement.denies() {
            return says(
                "policy_denied: the policy now allows no user to execute it. Nothing was sent.",
            );
        }
        let approver_count = requirement.given(&approvals, &context.proposers, now);
        if approver_count < requirement.approvers() {
            if !approvals
                .iter()
                .all(|approval| approval.is_valid(now))
            {
                return says(
                    "approval_expired: it was approved more than an hour ago. Nothing was sent.",
                );
            }
            let required = requirement.says();
            return Some(format!(
                "approval_missing: the policy now requires {required}; {approver_count} of the given approvals \
                 count. Nothing was sent."
            ));
        }
        let why = context
            .policy
            .caps
            .charge(&self.content)
            .err()?;
        Some(format!("cap_reached: {why}. Nothing was sent."))
    }

    /// Returns its charge to the daily caps, if any. An action is charged at the first claim after
    /// its approval.
    pub fn charge(&self, policy: &AgentPolicy) -> Option<Charge> {
        let charge = policy.caps.charge(&self.content).ok()?;
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
    fn is_repeatable(&self, context: &ClaimContext, now: Timestamp) -> bool {
        context
            .connection
            .is_some_and(|called| {
                let sent = self.progress.connection_revision;
                called.idempotency == Idempotency::Keyed
                    && sent.is_none_or(|sent| sent == called.revision)
                    && (self.keeps_key(called.kept_for, now) || !self.doubt_reads().is_empty())
            })
    }

    /// Returns the beginning of a time that the table lost. The next call may have been sent since.
    pub(crate) fn lost_since(&self) -> Option<Timestamp> {
        let restored = self.progress.restored?;
        let settled = self.progress.settled_at;
        let is_settled = settled.is_some_and(|settled| restored.at <= settled);
        (!is_settled).then_some(restored.to)
    }

    /// True if the next call may have been sent before this claim.
    pub(crate) fn is_in_doubt(&self) -> bool {
        self.progress.call.ambiguous || self.lost_since().is_some()
    }

    /// True if the next call may have been sent, before this claim or by it.
    pub(crate) fn may_be_sent(&self) -> bool {
        self.has_open_call() || self.lost_since().is_some()
    }

    /// True if the system still keeps the key of the open call, for as long as it keeps keys.
    pub fn keeps_key(&self, kept_for: i64, now: Timestamp) -> bool {
        let since = self
            .lost_since()
            .or(self.progress.call.since);
        since.is_none_or(|since| now < since.plus(kept_for))
    }

    pub fn is_held(&self, now: Timestamp) -> bool {
        self.state == ActionState::Running
            && self
                .schedule
                .lease_until
                .is_some_and(|until| now < until)
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
    pub fn may_be_resent(&self, now: Timestamp) -> bool {
        now < self.deadline()
    }

    /// Records another message by the sweeper and schedules the next: after two minutes, doubled
    /// each time, up to an hour.
    pub fn resent(&mut self, now: Timestamp) {
        let pause = Self::pause_after(self.schedule.resends);
        self.schedule.due_at = Some(now.plus(pause).min(self.deadline()));
        self.schedule.deferred = false;
        self.schedule.resends += 1;
    }

    /// Returns the milliseconds until the next message, after so many that came to nothing.
    pub(crate) fn pause_after(messages: i64) -> i64 {
        (Self::DELIVERY << messages.clamp(0, 5)).min(Self::RESENT_WITHIN)
    }

    /// Returns the instant from which it is overdue, if messages of the sweeper came to nothing. A
    /// planned check begins with such a message.
    pub fn overdue_since(&self) -> Option<Timestamp> {
        let pauses = (i64::from(self.awaits_check())..self.schedule.resends).map(Self::pause_after);
        let waited: i64 = pauses.sum();
        let due = self.schedule.due_at?;
        (waited > 0).then(|| due.plus(-waited))
    }

    /// True if an unconfirmed effect may have taken place: an answer did not tell, or a lost holder
    /// was about to send a change.
    fn may_have_taken_effect(&self) -> bool {
        let is_gone = self.state == ActionState::Running
            && !self.progress.call.unchecked
            && self.is_about_to_change();
        self.has_open_call() || is_gone
    }

    /// True if a call without a known effect is recorded.
    pub(crate) const fn has_open_call(&self) -> bool {
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
        self.cancelled(self.may_have_taken_effect())
            .0
    }

    /// Returns the state in which it ends when its session is cancelled: skipped, unless a step or
    /// call may have had an effect. `unclear` says that a call may have taken effect.
    pub(crate) const fn cancelled(&self, unclear: bool) -> (ActionState, &'static str) {
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
    pub(crate) fn ends(&mut self, state: ActionState, now: Timestamp) {
        self.state = state;
        self.schedule.lease_until = None;
        self.schedule.due_at = None;
        self.end.at = Some(now);
        self.updated_at = now;
        self.plan_checks(now);
    }
}
