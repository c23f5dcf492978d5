//! Alerts: reports of monitoring and billing systems, which the agent resolves.

mod alertmanager;
mod create;
mod fields;
mod part;

pub use alertmanager::{
    AlertmanagerAlert, AlertmanagerStatus, AlertmanagerVersion, AlertmanagerWebhook,
};
pub use create::{
    AlertCreate, AlertEntity, AlertLifecycleEvent, AlertMetric, AlertMoney, AlertReport,
};
pub use fields::{Currency, Labels, Measure, MinorUnits};
pub use part::{AlertStatus, LifecycleEvent, Metric, Money, Recurrence, Severity, SignalEntity};

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use model::{AgentSessionId, AlertId, AnyOf, OrganizationId, Slug, Timestamp};
use model::{input, input::Change};

/// An alert that a monitoring or billing system reported.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Alert {
    /// Unique id.
    pub id: AlertId,
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
    pub status: AlertStatus,
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
    #[serde(default = "Alert::once")]
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
    pub id: AlertId,
    /// The class.
    pub signal_type: String,
    /// Severity: `info`, `warning`, `error` or `critical`.
    pub severity: String,
    /// The status.
    pub status: AlertStatus,
    /// The title.
    pub title: String,
    /// The affected system.
    pub target_system: String,
    /// The money at risk.
    pub amount_at_risk: Option<Money>,
    /// The instant at which it occurred.
    pub occurred_at: Timestamp,
}

impl From<&Alert> for AlertRef {
    fn from(alert: &Alert) -> Self {
        Self {
            id: alert.id,
            signal_type: alert.signal_type.clone(),
            severity: alert.severity.clone(),
            status: alert.status,
            title: alert.title.clone(),
            target_system: alert.target_system.clone(),
            amount_at_risk: alert.amount_at_risk.clone(),
            occurred_at: alert.occurred_at,
        }
    }
}

input! {
    /// The body of a request that changes an alert.
    pub struct AlertUpdate {
        /// The new status. Every change is allowed.
        status: Change<AlertStatus>,
    }
    needs any;
    example {"status": "acknowledged"};
}

impl Alert {
    /// The default number of reports.
    const fn once() -> i64 {
        1
    }

    /// Creates an alert from a report.
    #[must_use]
    pub fn new(id: AlertId, tenant: OrganizationId, new: AlertReport, now: Timestamp) -> Self {
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
            resolved_at: (new.status == AlertStatus::Resolved).then_some(now),
            recurrence: None,
            agent_session_id: None,
            created_at: now,
            updated_at: now,
        }
    }

    /// Counts another report; its content is ignored. A report of the resolution resolves the
    /// alert. A report of a later occurrence opens a resolved alert again. Returns true if it was
    /// opened again.
    pub fn report_again(&mut self, again: &AlertReport, now: Timestamp) -> bool {
        self.count += 1;
        self.updated_at = now;
        let last = self.last_occurred_at.unwrap_or(self.occurred_at);
        self.last_occurred_at = Some(last.max(again.occurred_at));
        let is_over = self.status == AlertStatus::Resolved;
        let returned = self.resolved_at.is_some_and(|at| at < again.occurred_at);
        let comes_back = is_over && returned && again.status != AlertStatus::Resolved;
        if comes_back || again.status == AlertStatus::Resolved {
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
        let stood = self.status != AlertStatus::Resolved;
        self.turn(AlertStatus::Resolved, now);
        self.updated_at = now;
        stood
    }

    /// Sets the status. A resolved alert keeps the instant of its resolution.
    fn turn(&mut self, status: AlertStatus, now: Timestamp) {
        let was_over = self.status == AlertStatus::Resolved;
        self.status = status;
        if status != AlertStatus::Resolved {
            self.resolved_at = None;
        } else if !was_over {
            self.resolved_at = Some(now);
        }
    }
}

input! {
    /// Filters of alerts.
    pub struct AlertFilter {
        status: Option<AnyOf<AlertStatus>>,
        severity: Option<AnyOf<Severity>>,
        signal_type: Option<AnyOf<Slug>>,
    }
}
