//! Alerts: reports of monitoring and billing systems, which the agent resolves.

mod alertmanager;
mod create;
mod fields;
mod part;

pub use alertmanager::{
    AlertmanagerAlert, AlertmanagerStatus, AlertmanagerVersion, AlertmanagerWebhook,
};
pub use create::{
    AlertCreate, AlertEntity, AlertLifecycleEvent, AlertMetric, AlertMoney, NewSignal,
};
pub use fields::{Currency, Labels, Measure, MinorUnits};
pub use part::{LifecycleEvent, Metric, Money, Recurrence, Severity, SignalEntity, SignalStatus};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use model::{AgentSessionId, AnyOf, OrganizationId, SignalId, Slug, Timestamp};
use model::{input, input::Change};

/// An alert that a monitoring or billing system reported.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Signal {
    /// Unique id.
    pub id: SignalId,
    /// The owning organization.
    pub organization_id: OrganizationId,
    /// The reporter: `billing-monitor`.
    pub source: String,
    /// The reporter's id for it, unique with `source` in the organization.
    pub external_id: String,
    /// Its class: `usage_batch_stuck`. Playbooks and the history refer to it.
    pub signal_type: String,
    /// Severity: `info`, `warning`, `error` or `critical`.
    pub severity: String,
    /// The status.
    pub status: SignalStatus,
    /// The title, 1 to 255 characters.
    pub title: String,
    /// The description, up to 5,000 characters.
    pub description: Option<String>,
    /// The affected system.
    pub target_system: String,
    /// The affected records of that system.
    #[serde(default)]
    pub entities: Vec<SignalEntity>,
    /// Further properties, by name.
    #[serde(default)]
    pub labels: std::collections::BTreeMap<String, String>,
    /// The measurement that raised the alert.
    pub metric: Option<Metric>,
    /// The money at risk.
    pub amount_at_risk: Option<Money>,
    /// The entity's earlier lifecycle, oldest first.
    #[serde(default)]
    pub lifecycle: Vec<LifecycleEvent>,
    /// The instant at which it occurred.
    pub occurred_at: Timestamp,
    /// The latest occurrence of all reports; absent until it is reported again.
    #[serde(default)]
    pub last_occurred_at: Option<Timestamp>,
    /// Number of reports.
    #[serde(default = "Signal::once")]
    pub count: i64,
    /// The resolution; none unless it is resolved.
    #[serde(default)]
    pub resolved_at: Option<Timestamp>,
    /// The earlier resolution of a record that it names; none if there is none.
    #[serde(default)]
    pub recurrence: Option<Recurrence>,
    /// The newest agent session on it, possibly ended.
    #[serde(default)]
    pub agent_session_id: Option<AgentSessionId>,
    /// The instant at which it was recorded.
    pub created_at: Timestamp,
    /// The last change.
    pub updated_at: Timestamp,
}

/// A short form of an alert, for other resources.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AlertRef {
    /// Unique id.
    pub id: SignalId,
    /// The class.
    pub signal_type: String,
    /// Severity: `info`, `warning`, `error` or `critical`.
    pub severity: String,
    /// The status.
    pub status: SignalStatus,
    /// The title.
    pub title: String,
    /// The affected system.
    pub target_system: String,
    /// The money at risk.
    pub amount_at_risk: Option<Money>,
    /// The instant at which it occurred.
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

input! {
    /// The body of a request that changes an alert.
    pub struct AlertUpdate {
        /// The new status. Every change is allowed.
        status: Change<SignalStatus>,
    }
    needs any;
    example {"status": "acknowledged"};
}

impl Signal {
    /// The default number of reports.
    const fn once() -> i64 {
        1
    }

    /// Creates an alert from a report.
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

    /// Counts another report; its content is ignored. A report of the resolution resolves the
    /// alert. A report of a later occurrence opens a resolved alert again. Returns true if it was
    /// opened again.
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

    /// Applies a change.
    pub fn change(&mut self, update: &AlertUpdate, now: Timestamp) {
        if let Change::Set(status) = update.status {
            self.turn(status, now);
        }
        self.updated_at = now;
    }

    /// Resolves it. Returns true unless it was resolved before.
    pub fn resolve(&mut self, now: Timestamp) -> bool {
        let stood = self.status != SignalStatus::Resolved;
        self.turn(SignalStatus::Resolved, now);
        self.updated_at = now;
        stood
    }

    /// Sets the status. A resolved alert keeps the instant of its resolution.
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
    /// Filters of alerts.
    pub struct AlertFilter {
        status: Option<AnyOf<SignalStatus>>,
        severity: Option<AnyOf<Severity>>,
        signal_type: Option<AnyOf<Slug>>,
    }
}
