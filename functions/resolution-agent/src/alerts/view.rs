//! Alerts as the API answers them.

use std::collections::BTreeMap;

use serde::Serialize;
use shared::{
    model::{
        AgentSessionId, LifecycleEvent, Metric, Money, Signal, SignalEntity, SignalId,
        SignalStatus, Timestamp,
    },
    store::Stored,
    versioned,
};
use utoipa::ToSchema;

/// Something that a monitoring or billing system reported.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Alert)]
#[serde(rename_all = "camelCase")]
pub struct AlertView {
    id: SignalId,
    /// Who reported it.
    source: String,
    /// The reporter's own id.
    external_id: String,
    /// Its class, by which playbooks go.
    signal_type: String,
    /// `info`, `warning`, `error` or `critical`.
    severity: String,
    status: SignalStatus,
    title: String,
    description: Option<String>,
    /// The system it is about.
    target_system: String,
    /// The records of that system it is about.
    entities: Vec<SignalEntity>,
    /// Further facts, by name.
    labels: BTreeMap<String, String>,
    /// The measure that gave the alarm.
    metric: Option<Metric>,
    /// Money that hangs on it.
    amount_at_risk: Option<Money>,
    /// What the first of the records went through before, oldest first.
    lifecycle: Vec<LifecycleEvent>,
    occurred_at: Timestamp,
    /// The last instant at which it was reported to have occurred.
    last_occurred_at: Timestamp,
    /// How often it was reported.
    count: i64,
    /// When it was resolved; null while it is not.
    resolved_at: Option<Timestamp>,
    /// The newest agent session on it, which may have ended.
    agent_session_id: Option<AgentSessionId>,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// Raised by every write.
    version: i64,
}

versioned!(AlertView);

impl From<Stored<Signal>> for AlertView {
    fn from(stored: Stored<Signal>) -> Self {
        let Stored {
            record: signal,
            version,
        } = stored;
        Self {
            version,
            id: signal.id,
            source: signal.source,
            external_id: signal.external_id,
            signal_type: signal.signal_type,
            severity: signal.severity,
            status: signal.status,
            title: signal.title,
            description: signal.description,
            target_system: signal.target_system,
            entities: signal.entities,
            labels: signal.labels,
            metric: signal.metric,
            amount_at_risk: signal.amount_at_risk,
            lifecycle: signal.lifecycle,
            occurred_at: signal.occurred_at,
            last_occurred_at: signal.last_occurred_at.unwrap_or(signal.occurred_at),
            count: signal.count,
            resolved_at: signal.resolved_at,
            agent_session_id: signal.agent_session_id,
            created_at: signal.created_at,
            updated_at: signal.updated_at,
        }
    }
}
