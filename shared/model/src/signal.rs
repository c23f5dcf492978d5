//! Signals (alerts): what the resolution agent works on.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{AgentSessionId, AnyOf, OrganizationId, SignalId, Slug, Timestamp};
use crate::input;

/// Something that a monitoring or billing system reported.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Signal {
    /// Unique id.
    pub id: SignalId,
    /// The owning organization.
    pub organization_id: OrganizationId,
    /// Who reported it: `billing-monitor`.
    pub source: String,
    /// The reporter's own id, unique with `source` in the organization.
    pub external_id: String,
    /// Its class: `usage_batch_stuck`. Playbooks and the history go by it.
    pub signal_type: String,
    /// How bad it is: `info`, `warning`, `error` or `critical`.
    pub severity: String,
    /// Whether it still stands.
    pub status: SignalStatus,
    /// 1 to 255 characters.
    pub title: String,
    /// Up to 50,000 characters.
    pub description: Option<String>,
    /// The system it is about.
    pub target_system: String,
    /// The records of that system it is about.
    #[serde(default)]
    pub entities: Vec<SignalEntity>,
    /// Further facts, by name.
    #[serde(default)]
    pub labels: std::collections::BTreeMap<String, String>,
    /// The measure that gave the alarm.
    pub metric: Option<Metric>,
    /// Money that hangs on it.
    pub amount_at_risk: Option<Money>,
    /// What the entity went through before, oldest first.
    #[serde(default)]
    pub lifecycle: Vec<LifecycleEvent>,
    /// When it occurred.
    pub occurred_at: Timestamp,
    /// The newest agent session on it, which may have ended.
    #[serde(default)]
    pub agent_session_id: Option<AgentSessionId>,
    /// When it was recorded.
    pub created_at: Timestamp,
    /// When the record last changed.
    pub updated_at: Timestamp,
}

/// Whether a signal still stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SignalStatus {
    /// It stands.
    #[default]
    Open,
    /// Somebody looks into it.
    Acknowledged,
    /// It is over.
    Resolved,
}

/// A record of a target system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SignalEntity {
    /// What it is: `usage_batch`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its id in that system.
    pub id: String,
}

/// A measure that gave an alarm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Metric {
    /// What was measured.
    pub name: String,
    /// What it was.
    pub value: f64,
    /// What it should not have passed.
    pub threshold: f64,
    /// In which unit.
    pub unit: String,
}

/// An amount of money.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Money {
    /// In the currency's smallest unit.
    pub minor_units: i64,
    /// ISO 4217.
    pub currency: String,
}

/// A step in the life of the entity that a signal is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LifecycleEvent {
    /// When.
    pub at: Timestamp,
    /// What state it entered.
    pub state: String,
}

/// How bad a signal is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Good to know.
    Info,
    /// May become bad.
    Warning,
    /// Something is wrong.
    Error,
    /// Something is wrong for many.
    Critical,
}

input! {
    /// Which alerts to list.
    pub struct AlertFilter {
        status: Option<AnyOf<SignalStatus>>,
        severity: Option<AnyOf<Severity>>,
        signal_type: Option<AnyOf<Slug>>,
    }
}

/// Orders of alerts; ties are broken by id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum AlertSort {
    /// What occurred last first.
    #[default]
    #[serde(rename = "-occurredAt")]
    NewestFirst,
}
