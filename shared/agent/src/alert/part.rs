//! Parts of an alert: its status and severity, and what it names, measures and tells of the past.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use model::{AgentSessionId, Timestamp, input::OneOf};

/// The status of an alert.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AlertStatus {
    /// Not resolved.
    #[default]
    Open,
    /// A user is investigating it.
    Acknowledged,
    /// Resolved.
    Resolved,
}

impl OneOf for AlertStatus {
    const NOUN: &'static str = "an alert status";
}

/// The severity of an alert.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr, ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Severity {
    /// Information only.
    Info,
    /// A possible problem.
    Warning,
    /// A problem.
    Error,
    /// A problem for many customers.
    Critical,
}

impl OneOf for Severity {
    const NOUN: &'static str = "a severity";
}

/// A record of a target system.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SignalEntity {
    /// The type: `usage_batch`.
    #[serde(rename = "type")]
    pub kind: String,
    /// The id in that system.
    pub id: String,
}

/// A measurement that raised an alert.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Metric {
    /// The name of the measurement.
    pub name: String,
    /// The measured value.
    pub value: f64,
    /// The exceeded limit.
    pub threshold: f64,
    /// The unit.
    pub unit: String,
}

/// An amount of money.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Money {
    /// The amount in the currency's smallest unit.
    pub minor_units: i64,
    /// The currency's ISO 4217 code.
    pub currency: String,
}

/// A lifecycle step of an alert's entity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LifecycleEvent {
    /// The instant of the step.
    pub at: Timestamp,
    /// The state that it entered.
    pub state: String,
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
