//! Sessions as lists have them: with what an approver goes by.

use serde::Serialize;
use shared::{
    model::{
        ActionType, AgentSession, AgentSessionId, AgentSessionStatus, AlertRef, ProposedAction,
        Risk, SignalId, Timestamp, UserId,
    },
    store::SessionOnAlert,
};
use utoipa::ToSchema;

/// A session of a list, with what its alert says and what is proposed.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentSessionRow {
    id: AgentSessionId,
    alert_id: SignalId,
    /// Null where its record does not read.
    alert: Option<AlertRef>,
    status: AgentSessionStatus,
    /// What most likely caused it; null before the first analysis.
    root_cause: Option<String>,
    /// What hangs on it.
    impact: Option<String>,
    /// From 0 to 1.
    confidence: Option<f64>,
    /// Whether the alert is one of many.
    is_anomaly_pattern: Option<bool>,
    /// Those of the newest proposal.
    proposed_actions: Vec<ActionInShort>,
    /// Until when the proposal can be approved; null while none waits for that, or only manual actions
    /// do that were handed over.
    expires_at: Option<Timestamp>,
    /// Who opened it.
    created_by: UserId,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// Raised by every write.
    version: i64,
}

/// A proposed action in short.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ActionInShort {
    id: String,
    action_type: ActionType,
    description: String,
    /// Whether the agent can execute it; otherwise a person has to.
    is_automated: bool,
    target_system: String,
    target_entities: Vec<String>,
    risk: Risk,
}

impl AgentSessionRow {
    /// As of `now`.
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
            action_type: action.action_type,
            description: action.description,
            is_automated: action.is_automated,
            target_system: action.target_system,
            target_entities: action.target_entities,
            risk: action.risk,
        }
    }
}
