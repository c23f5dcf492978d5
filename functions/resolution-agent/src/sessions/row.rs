//! View of sessions in lists, with what an approver needs.

use serde::Serialize;
use shared::{
    agent::{ActionType, AgentSession, AgentSessionStatus, AlertRef, ProposedAction, Risk},
    model::{AgentSessionId, AlertId, Timestamp, UserId},
    store::SessionOnAlert,
};
use utoipa::ToSchema;

/// A session in a list, with its alert and its proposal in short.
#[derive(Debug, Serialize, ToSchema)]
#[schema(examples(json!({
    "id": 3,
    "alertId": 3,
    "alert": null,
    "status": "awaiting_confirmation",
    "rootCause": "The worker that processed usage batch ub_1001 stopped before its end.",
    "impact": "4,821.00 USD of usage are not billed.",
    "confidence": 0.9,
    "isAnomalyPattern": false,
    "proposedActions": [{
        "id": "s3-p1-a1",
        "actionType": "reprocess_usage_batch",
        "description": "Process usage batch ub_1001 again",
        "isAutomated": true,
        "targetSystem": "billing",
        "targetEntities": ["ub_1001"],
        "risk": "low"
    }],
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
    /// Instant until which the proposal can be approved. Null if no proposal waits for approval, or
    /// if only manual actions that were handed over are open.
    expires_at: Option<Timestamp>,
    /// User who opened it.
    created_by: UserId,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// Version, raised by every write.
    version: i64,
}

/// A proposed action in short.
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
}

impl AgentSessionRow {
    /// Returns the view as of `now`.
    pub fn of(row: SessionOnAlert, now: Timestamp) -> Self {
        let SessionOnAlert { session, alert } = row;
        let status = session.status_at(now);
        let version = session.version;
        let expires_at = session.approvable_until(now);
        let AgentSession {
            id,
            alert_id,
            analysis,
            proposed_actions,
            created_by,
            created_at,
            updated_at,
            ..
        } = session.record;
        let analysis = analysis.as_ref();
        Self {
            id,
            alert_id,
            alert,
            status,
            root_cause: analysis.map(|analysis| analysis.root_cause.clone()),
            impact: analysis.map(|analysis| analysis.impact.clone()),
            confidence: analysis.map(|analysis| analysis.confidence),
            is_anomaly_pattern: analysis.map(|analysis| analysis.is_anomaly_pattern),
            proposed_actions: proposed_actions.into_iter().map(Into::into).collect(),
            expires_at,
            created_by,
            created_at,
            updated_at,
            version,
        }
    }
}

impl From<ProposedAction> for ActionInShort {
    fn from(action: ProposedAction) -> Self {
        Self {
            id: action.id,
            action_type: action.content.action_type,
            description: action.content.description,
            is_automated: action.is_automated,
            target_system: action.content.target_system,
            target_entities: action.content.entities,
            risk: action.content.risk,
        }
    }
}
