//! Claims of an approved action.

use model::base::{Timestamp, UserId};

use crate::{
    action::{ActionState, AgentAction, HeldRecord},
    connection::{Connection, ConnectionTraffic, Idempotency, Restored},
    policy::{AgentPolicy, Approvers, Charge},
    session::AgentSessionStatus,
};

use super::{
    ending::{cancelled, end_without_answer, given_up, kept_back},
    holder::sends,
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

/// Claims it for `lease` milliseconds, if it can run. Its records are claimed in the same
/// write.
///
/// For a system without idempotency keys, the claim already records that a call is under way.
/// An action left in that state ends as unknown and is never sent again. The recorded
/// connection revision counts, not the current one: through another revision, a repeated call
/// could be a different call.
///
/// A deferred action stays as it is, without an attempt.
pub(crate) fn claim(
    action: &mut AgentAction,
    context: &ClaimContext,
    lease: i64,
    now: Timestamp,
) -> Claim {
    if action.state.has_ended() {
        return Claim::Over;
    }
    if action.is_held(now) {
        return Claim::Busy;
    }
    if let Some((outcome, why)) = obstacle(action, context, now) {
        end_without_answer(action, outcome, &why, now);
        let tries = context
            .tries
            .iter()
            .map(|tries| action.open_from(tries));
        action.end.barred_until = tries.flatten().max();
        return Claim::Ended(outcome);
    }
    // A message of its slot is under way.
    let soon = now.plus(ConnectionTraffic::LONGEST_WAIT_OF_WORKERS);
    let has_slot = action
        .schedule
        .slot
        .is_some_and(|slot| soon < slot);
    if context.waits()
        || has_slot
        || action
            .schedule
            .not_before
            .is_some_and(|at| now < at)
    {
        return Claim::Busy;
    }
    if let Some(until) = context.deferred_until {
        defer_until(action, until, now);
        return Claim::Deferred;
    }
    action.progress.restored = context.restored;
    let is_lost = action.progress.lost_since().is_some();
    if is_lost && action.doubt_reads().is_empty() && !is_repeatable(action, context, now) {
        end_without_answer(action, ActionState::Unknown, AgentAction::LOST, now);
        return Claim::Ended(ActionState::Unknown);
    }
    // A holder that is gone may have sent the call.
    action.progress.call.ambiguous = action.may_have_taken_effect();
    let stack = &mut action.progress.stack;
    stack.get_or_insert_with(|| context.stack.clone());
    action.state = ActionState::Running;
    action.fence.token += 1;
    action.progress.attempts += 1;
    action.schedule.resends = 0;
    action.schedule.deferred = false;
    action.schedule.slot = None;
    action.schedule.not_before = None;
    action.schedule.lease_until = Some(now.plus(lease));
    action.schedule.due_at =
        Some(now.plus(AgentAction::DELIVERY.max(lease + AgentAction::LEASE_MARGIN)));
    action
        .progress
        .started_at
        .get_or_insert(now);
    action.updated_at = now;
    action.progress.connection_revision = context
        .connection
        .map(|called| called.revision);
    action.progress.call.unchecked = checks_first(action);
    if !action.progress.call.unchecked {
        let called = context
            .connection
            .map(|called| called.idempotency);
        sends(action, called.unwrap_or(Idempotency::Unkeyed), now);
    }
    Claim::Held(())
}

pub(crate) fn defer_until(action: &mut AgentAction, until: Timestamp, now: Timestamp) {
    action.schedule.deferred = true;
    action.schedule.resends = 0;
    action.schedule.due_at = Some(until.min(action.round.deadline()));
    action.updated_at = now;
}

/// Defers it until its slot, without an attempt. The sweeper sends a message if that of the
/// slot got lost.
pub(crate) fn wait_for_slot(action: &mut AgentAction, slot: Timestamp, now: Timestamp) {
    defer_until(action, slot.plus(AgentAction::DELIVERY), now);
    action.schedule.slot = Some(slot);
}

/// Returns the outcome and the reason if it ends instead of being claimed.
fn obstacle(
    action: &AgentAction,
    context: &ClaimContext,
    now: Timestamp,
) -> Option<(ActionState, String)> {
    if context.session != AgentSessionStatus::Executing || action.fence.stopping {
        let (outcome, why) = cancelled(action, action.may_have_taken_effect());
        return Some((outcome, why.to_owned()));
    }
    if action.progress.call.sending
        || (!is_repeatable(action, context, now) && action.may_have_taken_effect())
    {
        let why = "The worker was interrupted while a call was under way, and the target \
                   system may have done it. Check there; it is not sent again.";
        return Some((ActionState::Unknown, why.to_owned()));
    }
    if action.round.deadline() <= now {
        let why = "No attempt got a clear answer within 24 hours.";
        return Some((given_up(action), why.to_owned()));
    }
    if let Some(why) = unapproved(action, context, now) {
        return Some((kept_back(action), why));
    }
    if context.connection.is_none() {
        let why = "no_connection: the connection that it was approved for is gone. Nothing more \
                   was sent.";
        return Some((given_up(action), why.to_owned()));
    }
    if let Some(why) = context.blocks() {
        return Some((kept_back(action), why.to_owned()));
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
        let attempts = action.content.attempts?;
        // Those of its earlier rounds.
        let own = action.progress.tries.iter();
        let own = own.filter(|attempt| attempt.round != action.round.number);
        let own: Vec<_> = own.map(|attempt| attempt.at).collect();
        let mut tries = context.tries.iter();
        tries.find_map(|tries| attempts.refuse(&[tries.as_slice(), &own].concat(), now))
    })?;
    Some((kept_back(action), why))
}

/// Returns why its approvals do not permit it to run. Once a call may have taken effect, only
/// its content and its connection count: it may be half done. After an answer such as
/// 429, nothing was done: policy, approvals and caps count again.
fn unapproved(action: &AgentAction, context: &ClaimContext, now: Timestamp) -> Option<String> {
    let approvals = action.round.current_approvals();
    let says = |why: &str| Some(why.to_owned());
    if action.content.records.is_empty() {
        return says(
            "content_changed: it was proposed by an earlier release; open another session. Nothing \
             more was sent.",
        );
    }
    let digest = action.digest();
    let mut digests = approvals
        .iter()
        .filter_map(|approval| approval.digest.as_ref());
    if digests.any(|approved| *approved != digest) {
        return says("content_changed: the action is not the approved one. Nothing more was sent.");
    }
    let approved = action.content.connection.as_ref();
    if let (Some(approved), Some(now_there)) = (approved, context.connection)
        && approved.revision != now_there.revision
    {
        return says(
            "content_changed: its connection was changed since it was proposed; open another \
             session. Nothing more was sent.",
        );
    }
    if action.may_have_taken_effect() || action.has_changed() {
        return None;
    }
    if context.is_resolved {
        return says(AgentAction::ALERT_RESOLVED);
    }
    let approvals = context.approvers.standing(&approvals);
    let requirement = context.policy.requires(&action.content);
    let requirement = requirement.and(&action.round.rules);
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
        .charge(&action.content)
        .err()?;
    Some(format!("cap_reached: {why}. Nothing was sent."))
}

/// Returns its charge to the daily caps, if any. An action is charged at the first claim after
/// its approval.
pub(crate) fn charge(action: &AgentAction, policy: &AgentPolicy) -> Option<Charge> {
    let charge = policy
        .caps
        .charge(&action.content)
        .ok()?;
    charge.filter(|_| action.progress.attempts == 0)
}

/// Ends it instead of a claim, since a daily cap is reached.
pub(crate) fn beyond_the_day(action: &mut AgentAction, now: Timestamp) {
    let outcome = kept_back(action);
    let why = "cap_reached: with the actions of today, it exceeds a cap of the policy for a day \
               (UTC). Nothing was sent.";
    end_without_answer(action, outcome, why, now);
}

/// True if a call that may have been sent can be repeated as the same call, through the same
/// connection, while the system keeps its key. After that, a read may still find its effect.
fn is_repeatable(action: &AgentAction, context: &ClaimContext, now: Timestamp) -> bool {
    context
        .connection
        .is_some_and(|called| {
            let sent = action.progress.connection_revision;
            called.idempotency == Idempotency::Keyed
                && sent.is_none_or(|sent| sent == called.revision)
                && (action
                    .progress
                    .keeps_key(called.kept_for, now)
                    || !action.doubt_reads().is_empty())
        })
}

/// True if a claim is followed by a precondition check before the next call that changes
/// something. False if that call may have been sent, or if an earlier step changed something:
/// the check would find the action's own effect.
fn checks_first(action: &AgentAction) -> bool {
    let has_conditions = !action.content.require.is_empty() || action.content.account().is_some();
    has_conditions && !action.progress.call.ambiguous && !action.has_changed()
}
