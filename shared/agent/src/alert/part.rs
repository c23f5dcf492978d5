//! Parts of an alert: its status and severity, and what it names, measures and tells of the past.

use model::{
    base::{AgentSessionId, EntityId, MetricName, Slug, StateName, Timestamp, Unit},
    input, names,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::alert::{Currency, Measure};

names! {
    /// The status of an alert.
    pub enum AlertStatus = "an alert status" {
        /// Not resolved.
        Open,
        /// A user is investigating it.
        Acknowledged,
        /// Resolved.
        Resolved,
    }
}

names! {
    /// The source of an alert's status.
    pub enum StatusSource {
        /// A report of the alert.
        Report,
        /// A user.
        User,
        /// The agent, after a read.
        Agent,
    }
}

names! {
    /// The severity of an alert.
    pub enum Severity = "a severity" {
        /// Information only.
        Info,
        /// A possible problem.
        Warning,
        /// A problem.
        Error,
        /// A problem for many customers.
        Critical,
    }
}

input! {
    /// A record of a target system.
    #[derive(PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
    pub struct AlertEntity {
        /// The type: `usage_batch`.
        r#type: Slug,
        /// The id in that system.
        id: EntityId,
    }
    example {"type": "usage_batch", "id": "ub_1001"};
}

input! {
    /// The measurement that raised an alert.
    #[derive(PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
    pub struct AlertMetric {
        name: MetricName,
        value: Measure,
        /// The exceeded limit.
        threshold: Measure,
        unit: Unit,
    }
    example {"name": "processing_hours", "value": 26, "threshold": 6, "unit": "hours"};
}

input! {
    #[derive(PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
    pub struct Money {
        /// The amount in the currency's smallest unit.
        minor_units: i64,
        /// The currency's ISO 4217 code.
        currency: Currency,
    }
    example {"minorUnits": 482_100, "currency": "USD"};
}

input! {
    /// A lifecycle step of an alert's first record.
    #[derive(PartialEq, Eq, Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
    pub struct LifecycleEvent {
        at: Timestamp,
        /// The state that it entered.
        state: StateName,
    }
    example {"at": "2026-01-13T10:00:00.000Z", "state": "processing"};
}

/// A record that was fixed before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Recurrence {
    /// The record's id.
    pub entity: String,
    /// The session that fixed it.
    pub agent_session_id: AgentSessionId,
    /// The instant of that fix.
    pub at: Timestamp,
}
