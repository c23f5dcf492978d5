//! Signals (alerts): what the resolution agent works on.

mod alertmanager;
mod create;
mod fields;

pub use alertmanager::{
    AlertmanagerAlert, AlertmanagerStatus, AlertmanagerVersion, AlertmanagerWebhook,
};
pub use create::{
    AlertCreate, AlertEntity, AlertLifecycleEvent, AlertMetric, AlertMoney, NewSignal,
};
pub use fields::{Currency, Labels, Measure, MinorUnits};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{AgentSessionId, AnyOf, OrganizationId, Recurrence, SignalId, Slug, Timestamp};
use crate::{input, input::Change};

/// Something that a monitoring or billing system reported.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// Up to 5,000 characters.
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
    /// When it occurred last, of all the times that it was reported; absent until it is reported again.
    #[serde(default)]
    pub last_occurred_at: Option<Timestamp>,
    /// How often it was reported.
    #[serde(default = "Signal::once")]
    pub count: i64,
    /// When it was resolved; none while it is not.
    #[serde(default)]
    pub resolved_at: Option<Timestamp>,
    /// What resolved a record that it names before it occurred; none where nothing did.
    #[serde(default)]
    pub recurrence: Option<Recurrence>,
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

/// A signal as others show it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AlertRef {
    /// Unique id.
    pub id: SignalId,
    /// Its class.
    pub signal_type: String,
    /// `info`, `warning`, `error` or `critical`.
    pub severity: String,
    /// Whether it still stands.
    pub status: SignalStatus,
    /// What it says.
    pub title: String,
    /// The system it is about.
    pub target_system: String,
    /// Money that hangs on it.
    pub amount_at_risk: Option<Money>,
    /// When it occurred.
    pub occurred_at: Timestamp,
}

impl From<&Signal> for AlertRef {
    fn from(signal: &Signal) -> Self {
        Self {
            id: signal.id,
            signal_type: signal.signal_type.clone(),
            severity: signal.severity.clone(),
            status: signal.status,
            title: signal.title.clone(),
            target_system: signal.target_system.clone(),
            amount_at_risk: signal.amount_at_risk.clone(),
            occurred_at: signal.occurred_at,
        }
    }
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
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
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LifecycleEvent {
    /// When.
    pub at: Timestamp,
    /// What state it entered.
    pub state: String,
}

/// How bad a signal is.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr, ToSchema,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
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
    /// What a client sends to change an alert.
    pub struct AlertUpdate {
        /// Any of them may become any other.
        status: Change<SignalStatus>,
    }
    needs any;
}

impl Signal {
    /// How often one was reported that says nothing of it.
    const fn once() -> i64 {
        1
    }

    /// One that was just reported.
    #[must_use]
    pub fn new(id: SignalId, tenant: OrganizationId, new: NewSignal, now: Timestamp) -> Self {
        Self {
            id,
            organization_id: tenant,
            source: new.source,
            external_id: new.external_id,
            signal_type: new.signal_type,
            severity: new.severity,
            status: new.status,
            title: new.title,
            description: new.description,
            target_system: new.target_system,
            entities: new.entities,
            labels: new.labels,
            metric: new.metric,
            amount_at_risk: new.amount_at_risk,
            lifecycle: new.lifecycle,
            occurred_at: new.occurred_at,
            last_occurred_at: None,
            count: Self::once(),
            resolved_at: (new.status == SignalStatus::Resolved).then_some(now),
            recurrence: None,
            agent_session_id: None,
            created_at: now,
            updated_at: now,
        }
    }

    /// It was reported again: what it says stays as it was first told. A report that it is resolved
    /// resolves it; one of what occurred after that opens it again. Answers whether that is so.
    pub fn report_again(&mut self, again: &NewSignal, now: Timestamp) -> bool {
        self.count += 1;
        self.updated_at = now;
        let last = self.last_occurred_at.unwrap_or(self.occurred_at);
        self.last_occurred_at = Some(last.max(again.occurred_at));
        let is_over = self.status == SignalStatus::Resolved;
        let returned = self.resolved_at.is_some_and(|at| at < again.occurred_at);
        let comes_back = is_over && returned && again.status != SignalStatus::Resolved;
        if comes_back || again.status == SignalStatus::Resolved {
            self.turn(again.status, now);
        }
        comes_back
    }

    /// Changes it.
    pub fn change(&mut self, update: &AlertUpdate, now: Timestamp) {
        if let Change::Set(status) = update.status {
            self.turn(status, now);
        }
        self.updated_at = now;
    }

    /// What it is about was put right. Answers whether it was not resolved before.
    pub fn resolve(&mut self, now: Timestamp) -> bool {
        let stood = self.status != SignalStatus::Resolved;
        self.turn(SignalStatus::Resolved, now);
        self.updated_at = now;
        stood
    }

    /// Takes a status. What is resolved already was resolved when it was.
    fn turn(&mut self, status: SignalStatus, now: Timestamp) {
        let was_over = self.status == SignalStatus::Resolved;
        self.status = status;
        if status != SignalStatus::Resolved {
            self.resolved_at = None;
        } else if !was_over {
            self.resolved_at = Some(now);
        }
    }
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
