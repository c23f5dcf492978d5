//! View of sessions in lists, with what an approver needs.

use shared::auth::need::Need;
use shared::endpoint::*;

/// A session in a list, with its alert and its proposal in short.
#[derive(Debug, Serialize, ToSchema)]
#[schema(examples(json!({
    "id": 3,
    "alertId": 3,
    "alert": null,
    "status": "awaiting_confirmation",
    "rootCause": "The worker that processed usage batch `ub_1001` stopped before its end.",
    "impact": "4,821.00 USD of usage are not billed.",
    "confidence": 0.9,
    "isAnomalyPattern": false,
    "proposedActions": [{
        "id": "s3-p1-a1",
        "actionType": "reprocess_usage_batch",
        "description": "Process usage batch `ub_1001` again.",
        "isAutomated": true,
        "targetSystem": "billing",
        "targetEntities": ["ub_1001"],
        "risk": "critical",
        "money": {"direction": "customer_is_billed_later", "amount": null},
        "reversible": {"is": "no", "says": "A processed batch stays processed, and its usage is invoiced."},
        "approvalsGiven": 0,
        "approvalsNeeded": 1,
        "mayApprove": true
    }],
    "next": {
        "who": "A user who may execute actions",
        "what": "approves \"Process usage batch `ub_1001` again\"",
        "until": "2026-01-15T12:01:00.000Z"
    },
    "openActions": 1,
    "expiresAt": "2026-01-15T12:01:00.000Z",
    "createdBy": 1,
    "createdAt": "2026-01-14T12:00:30.000Z",
    "updatedAt": "2026-01-14T12:01:00.000Z",
    "version": 2
})))]
#[serde(rename_all = "camelCase")]
pub struct AgentSessionRow {
    id: AgentSessionId,
    alert_id: AlertId,
    /// Alert; null if its record cannot be read.
    alert: Option<AlertRef>,
    status: AgentSessionStatus,
    /// Most likely cause; null before the first analysis.
    root_cause: Option<String>,
    /// Impact; null before the first analysis.
    impact: Option<String>,
    /// Probability of the cause, from 0 to 1.
    confidence: Option<f64>,
    /// True if the alert is one of many.
    is_anomaly_pattern: Option<bool>,
    /// Actions of the newest proposal.
    proposed_actions: Vec<ActionInShort>,
    /// Next step, with `next=me` the caller's; null if nothing is left to do.
    next: Option<Next>,
    /// Number of actions that a user can approve, settle or hand over.
    open_actions: usize,
    /// Instant until which actions can be approved. Null if none waits for approval.
    expires_at: Option<Timestamp>,
    /// User who opened it.
    created_by: UserId,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// Version, raised by every write.
    version: i64,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ActionInShort {
    id: String,
    action_type: ActionType,
    description: String,
    /// True if the agent can execute it; otherwise a user does it by hand.
    is_automated: bool,
    target_system: String,
    target_entities: Vec<String>,
    risk: Risk,
    /// Money that it moves; null if it moves none.
    money: Option<MoneyMoved>,
    /// Way to undo it; null if none is known.
    reversible: Option<Reversible>,
    /// Number of valid approvals that do not suffice yet.
    approvals_given: usize,
    /// Number of people who must approve it.
    approvals_needed: usize,
    /// True if the caller's approval would be accepted now and count.
    may_approve: bool,
}

pub type MayExecute = need::WithAgent<need::InSession<need::ExecuteAgentRemediation>>;

type MayPropose = need::WithAgent<need::CreateAgentRemediation>;

impl AgentSessionRow {
    pub fn of(row: SessionOnAlert, caller: &Identity, now: Timestamp) -> Self {
        let (session, context) = (row.session, row.context);
        let action = |action| ActionInShort::of(action, &session, &context, caller, now);
        let actions = session.plan.proposed_actions.iter().map(action);
        let analysis = session.analysis.newest.as_ref();
        Self {
            id: session.id,
            alert_id: session.alert.alert_id,
            alert: row.alert,
            status: session.status_at(now),
            root_cause: analysis.map(|analysis| analysis.root_cause.clone()),
            impact: analysis.map(|analysis| analysis.impact.clone()),
            confidence: analysis.map(|analysis| analysis.confidence),
            is_anomaly_pattern: analysis.map(|analysis| analysis.is_anomaly_pattern),
            proposed_actions: actions.collect(),
            next: session.next(&context, now),
            open_actions: session.open_actions(context.is_resolved, now).count(),
            expires_at: session.approvable_until(now),
            created_by: session.people.created_by,
            created_at: session.times.created_at,
            updated_at: session.times.updated_at,
            version: session.version,
        }
    }

    /// Returns the view with the caller's next step. None if the caller can take none now.
    pub fn of_callers(row: SessionOnAlert, caller: &Identity, now: Timestamp) -> Option<Self> {
        let may = |permission| match permission {
            Permission::ExecuteAgentRemediation => MayExecute::check(caller).is_ok(),
            _ => MayPropose::check(caller).is_ok(),
        };
        let next = row.session.next_of(&caller.user, may, &row.context, now)?;
        Some(Self {
            next: Some(next),
            ..Self::of(row, caller, now)
        })
    }
}

impl ActionInShort {
    fn of(
        action: &ProposedAction,
        session: &AgentSession,
        context: &SessionContext,
        caller: &Identity,
        now: Timestamp,
    ) -> Self {
        let approves = session.may_approve(action, &caller.user, context, now);
        let proposed = &action.content;
        Self {
            id: action.id.clone(),
            action_type: proposed.action_type,
            description: proposed.description.clone(),
            is_automated: action.is_automated,
            target_system: proposed.target_system.clone(),
            target_entities: proposed.entity_ids(),
            risk: proposed.risk,
            money: proposed.money.clone(),
            reversible: proposed.reversible.clone(),
            approvals_given: session.approvals_given(action, context, now),
            approvals_needed: context.policy.demands(action).approvers(),
            may_approve: approves.and_then(|()| MayExecute::check(caller)).is_ok(),
        }
    }
}
