//! View of alerts.

use std::collections::BTreeMap;

use serde::Serialize;
use shared::{
    agent::{Alert, AlertStatus, LifecycleEvent, Metric, Money, SignalEntity},
    model::{AgentSessionId, AlertId, Timestamp},
    store::Stored,
    versioned,
};
use utoipa::ToSchema;

/// An alert of a monitoring or billing system.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Alert, examples(json!({
    "id": 3,
    "source": "billing-monitor",
    "externalId": "stuck-ub_1001",
    "signalType": "usage_batch_stuck",
    "severity": "error",
    "status": "open",
    "title": "Usage batch ub_1001 has been processing for 26 hours",
    "description": "Batches of this size take ten minutes.",
    "targetSystem": "billing",
    "entities": [
        {"type": "usage_batch", "id": "ub_1001"},
        {"type": "customer", "id": "cus_501"}
    ],
    "labels": {"period": "2026-10"},
    "metric": {"name": "processing_hours", "value": 26.0, "threshold": 6.0, "unit": "hours"},
    "amountAtRisk": {"minorUnits": 482_100, "currency": "USD"},
    "lifecycle": [{"at": "2026-01-13T10:00:00.000Z", "state": "processing"}],
    "occurredAt": "2026-01-14T12:00:00.000Z",
    "lastOccurredAt": "2026-01-14T12:00:00.000Z",
    "count": 1,
    "resolvedAt": null,
    "agentSessionId": 3,
    "createdAt": "2026-01-14T12:00:02.000Z",
    "updatedAt": "2026-01-14T12:00:02.000Z",
    "version": 1
})))]
#[serde(rename_all = "camelCase")]
pub struct AlertView {
    id: AlertId,
    /// Name of the reporter.
    source: String,
    /// The reporter's own id of the alert.
    external_id: String,
    /// Class of the alert, by which playbooks match.
    signal_type: String,
    /// `info`, `warning`, `error` or `critical`.
    severity: String,
    status: AlertStatus,
    title: String,
    description: Option<String>,
    /// Name of the affected system.
    target_system: String,
    /// Affected records of that system.
    entities: Vec<SignalEntity>,
    /// Labels by name.
    labels: BTreeMap<String, String>,
    /// Metric that raised the alert.
    metric: Option<Metric>,
    /// Amount of money at risk.
    amount_at_risk: Option<Money>,
    /// Earlier events of the first of the records, oldest first.
    lifecycle: Vec<LifecycleEvent>,
    occurred_at: Timestamp,
    /// Instant of the latest reported occurrence.
    last_occurred_at: Timestamp,
    /// Number of reports.
    count: i64,
    /// Instant at which it was resolved; null while it is not.
    resolved_at: Option<Timestamp>,
    /// Newest agent session on the alert, which may have ended.
    agent_session_id: Option<AgentSessionId>,
    created_at: Timestamp,
    updated_at: Timestamp,
    /// Version, raised by every write.
    version: i64,
}

versioned!(AlertView);

impl From<Stored<Alert>> for AlertView {
    fn from(stored: Stored<Alert>) -> Self {
        let Stored {
            record: alert,
            version,
        } = stored;
        Self {
            version,
            id: alert.id,
            source: alert.source,
            external_id: alert.external_id,
            signal_type: alert.signal_type,
            severity: alert.severity,
            status: alert.status,
            title: alert.title,
            description: alert.description,
            target_system: alert.target_system,
            entities: alert.entities,
            labels: alert.labels,
            metric: alert.metric,
            amount_at_risk: alert.amount_at_risk,
            lifecycle: alert.lifecycle,
            occurred_at: alert.occurred_at,
            last_occurred_at: alert.last_occurred_at.unwrap_or(alert.occurred_at),
            count: alert.count,
            resolved_at: alert.resolved_at,
            agent_session_id: alert.agent_session_id,
            created_at: alert.created_at,
            updated_at: alert.updated_at,
        }
    }
}
