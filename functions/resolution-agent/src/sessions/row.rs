//! View of sessions in lists, with what an approver needs.

use shared::{
    agent::{
        action::{ActionType, MoneyMoved, Reversible, Risk},
        alert::AlertRef,
        session::{AgentSession, AgentSessionStatus, Next, ProposedAction, SessionContext},
    },
    auth::{Identity, need::Need},
    endpoint::*,
    model::{
        base::{AgentSessionId, AlertId},
        people::Permission,
    },
    store::agent::SessionOnAlert,
};

view! {
    /// A session in a list, with its alert and its proposal in short.
    pub struct AgentSessionRow of session(
        SessionOnAlert { session, context, alert }: SessionOnAlert,
        caller: &Identity,
        now: Timestamp,
    ) {
        id: AgentSessionId,
        alert_id: AlertId = session.alert.alert_id,
        /// Alert; null if its record cannot be read.
        alert: Option<AlertRef> = alert,
        status: AgentSessionStatus = session.status_at(now),
        /// Most likely cause; null before the first analysis.
        root_cause: Option<String> = session.analysis.newest.as_ref().map(|analysis| analysis.root_cause.clone()),
        /// Impact; null before the first analysis.
        impact: Option<String> = session.analysis.newest.as_ref().map(|analysis| analysis.impact.clone()),
        /// Probability of the cause, from 0 to 1.
        confidence: Option<f64> = session.analysis.newest.as_ref().map(|analysis| analysis.confidence),
        /// True if the alert is one of many.
        is_anomaly_pattern: Option<bool> = session.analysis.newest.as_ref().map(|analysis| analysis.is_anomaly_pattern),
        /// Actions of the newest proposal.
        proposed_actions: Vec<ActionInShort> = ActionInShort::all(&session, &context, caller, now),
        /// Next step, with `next=me` the caller's; null if nothing is left to do.
        next: Option<Next> = session.next_for(&caller.user, may(caller), &context, now),
        /// Number of actions that a user can approve, settle or hand over.
        open_actions: usize = session.open_actions(context.is_resolved, now).count(),
        /// Instant until which actions can be approved. Null if none waits for approval.
        expires_at: Option<Timestamp> = session.approvable_until(now),
        /// User who opened it.
        created_by: UserId = session.people.created_by,
        created_at: Timestamp = session.times.created_at,
        updated_at: Timestamp = session.times.updated_at,
        /// Version, raised by every write.
        version: i64,
    }
}

view! {
    pub struct ActionInShort of action(
        action: &ProposedAction,
        session: &AgentSession,
        context: &SessionContext,
        may_approve: bool,
        now: Timestamp,
    ) {
        id: String = action.id.clone(),
        action_type: ActionType = action.content.action_type,
        description: String = action.content.description.clone(),
        /// True if the agent can execute it; otherwise a user does it by hand.
        is_automated: bool,
        target_system: String = action.content.target_system.clone(),
        target_entities: Vec<String> = action.content.entity_ids(),
        risk: Risk = action.content.risk,
        /// Money that it moves; null if it moves none.
        money: Option<MoneyMoved> = action.content.money.clone(),
        /// Way to undo it; null if none is known.
        reversible: Option<Reversible> = action.content.reversible.clone(),
        /// Number of valid approvals that do not suffice yet.
        approvals_given: usize = session.approvals_given(action, context, now),
        /// Number of people who must approve it.
        approvals_needed: usize = context.policy.demands(action).approvers(),
        /// True if the caller's approval would be accepted now and count.
        may_approve: bool = may_approve,
    }
}

pub type MayExecute = need::WithAgent<need::InSession<need::ExecuteAgentRemediation>>;

type MayPropose = need::WithAgent<need::CreateAgentRemediation>;

/// Returns whether a caller may take a kind of step.
pub(crate) fn may(caller: &Identity) -> impl Fn(Permission) -> bool {
    |permission| match permission {
        Permission::ExecuteAgentRemediation => MayExecute::check(caller).is_ok(),
        _ => MayPropose::check(caller).is_ok(),
    }
}

impl AgentSessionRow {
    /// Returns the view with the caller's next step. None if the caller can take none now.
    pub fn of_callers(row: SessionOnAlert, caller: &Identity, now: Timestamp) -> Option<Self> {
        let next = row
            .session
            .next_of(&caller.user, may(caller), &row.context, now)?;
        Some(Self {
            next: Some(next),
            ..Self::of(row, caller, now)
        })
    }
}

impl ActionInShort {
    fn all(
        session: &AgentSession,
        context: &SessionContext,
        caller: &Identity,
        now: Timestamp,
    ) -> Vec<Self> {
        let actions = session.plan.proposed_actions.iter();
        actions
            .map(|action| Self::for_caller(action, session, context, caller, now))
            .collect()
    }

    /// Returns the view with whether this caller's approval would count.
    pub(super) fn for_caller(
        action: &ProposedAction,
        session: &AgentSession,
        context: &SessionContext,
        caller: &Identity,
        now: Timestamp,
    ) -> Self {
        let approves = session.may_approve(action, &caller.user, context, now);
        let may_approve = approves
            .and_then(|()| MayExecute::check(caller))
            .is_ok();
        Self::of(action, session, context, may_approve, now)
    }
}
