//! Alerts: reports of monitoring and billing systems, which the agent resolves.

mod alertmanager;
mod fields;
mod part;
mod report;

pub use alertmanager::{AlertmanagerAlert, AlertmanagerStatus, AlertmanagerWebhook};
pub use fields::{Currency, Labels, Measure};
pub use part::{
    AlertEntity, AlertMetric, AlertStatus, LifecycleEvent, Money, Recurrence, Severity,
    StatusSource,
};
pub use report::{AlertCreate, AlertReport, Firing};

use model::{
    base::{
        AgentSessionId, AlertId, AlertText, AnyOf, Code, Error, ExternalId, OrganizationId, Slug,
        SourceName, SystemName, Timestamp, Title, UserId, input::PatchField, span,
    },
    input, short_form,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// An alert of a monitoring or billing system.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Alert {
    pub id: AlertId,
    pub organization_id: OrganizationId,
    /// The reporter.
    pub source: SourceName,
    /// The reporter's id for the alert, unique with `source` in the organization.
    pub external_id: ExternalId,
    /// The class, by which playbooks are selected.
    pub signal_type: Slug,
    pub severity: Severity,
    pub status: AlertStatus,
    /// The source of the status; null if the status is older than this field.
    pub status_by: Option<StatusSource>,
    pub title: Title,
    pub description: Option<AlertText>,
    pub target_system: SystemName,
    /// The affected records of that system.
    pub entities: Vec<AlertEntity>,
    /// Further properties, by name.
    pub labels: Labels,
    /// The measurement that raised the alert.
    pub metric: Option<AlertMetric>,
    pub amount_at_risk: Option<Money>,
    /// The earlier lifecycle of the first record, oldest first.
    pub lifecycle: Vec<LifecycleEvent>,
    pub occurred_at: Timestamp,
    /// The latest occurrence of all reports.
    pub last_occurred_at: Timestamp,
    /// Number of reports.
    pub count: i64,
    /// The instant of the resolution; null unless it is resolved.
    pub resolved_at: Option<Timestamp>,
    /// The last fix of one of its records; null if there is none.
    pub recurrence: Option<Recurrence>,
    /// The newest agent session on the alert, which may have ended.
    pub agent_session_id: Option<AgentSessionId>,
    /// The user who recorded it first; null for the operator.
    pub created_by: Option<UserId>,
    /// True if it was first recorded with a token that names only `manage_signals`. The token's
    /// owner may approve its actions.
    #[serde(default)]
    #[schema(required = true)]
    pub recorded_by_machine: bool,
    /// The instant at which it was recorded.
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

short_form! {
    /// A short form of an alert, for other resources.
    AlertRef of Alert {
        id: AlertId,
        signal_type: Slug,
        severity: Severity,
        status: AlertStatus,
        title: Title,
        target_system: SystemName,
        amount_at_risk: Option<Money>,
        occurred_at: Timestamp,
    }
}

input! {
    pub struct AlertUpdate {
        /// The new status. Every change is allowed.
        status: PatchField<AlertStatus>,
    }
    needs any;
    example {"status": "acknowledged"};
}

impl Alert {
    /// Time after the agent's resolution in which reports do not open the alert, in milliseconds.
    /// Monitors see the effect of a fix later than the agent.
    pub const SETTLING: i64 = 5 * span::MINUTE;

    pub fn new(
        id: AlertId,
        tenant: OrganizationId,
        report: AlertReport,
        by: Option<UserId>,
        now: Timestamp,
    ) -> Self {
        let sent = report.content;
        let status = report.status;
        let occurred_at = report.occurred_at;
        Self {
            id,
            organization_id: tenant,
            source: sent.source,
            external_id: sent.external_id,
            signal_type: sent.signal_type,
            severity: sent.severity,
            status,
            status_by: Some(StatusSource::Report),
            title: sent.title,
            description: sent.description,
            target_system: sent.target_system,
            entities: sent
                .entities
                .map_or_else(Vec::new, |list| list.0),
            labels: sent.labels.unwrap_or_default(),
            metric: sent.metric,
            amount_at_risk: sent.amount_at_risk,
            lifecycle: sent
                .lifecycle
                .map_or_else(Vec::new, |list| list.0),
            occurred_at,
            last_occurred_at: occurred_at,
            count: 1,
            resolved_at: (status == AlertStatus::Resolved).then_some(now),
            recurrence: None,
            agent_session_id: None,
            created_by: by,
            recorded_by_machine: false,
            created_at: now,
            updated_at: now,
        }
    }

    /// Counts another report with this status; its content is ignored. A report of the resolution
    /// resolves the alert. Any other opens a resolved alert, unless the agent resolved it in the
    /// last [`SETTLING`](Self::SETTLING). Returns true if it was opened again.
    pub fn report_again(&mut self, status: AlertStatus, at: Timestamp, now: Timestamp) -> bool {
        self.count += 1;
        self.updated_at = now;
        self.last_occurred_at = self.last_occurred_at.max(at);
        if status == AlertStatus::Resolved {
            self.resolve(StatusSource::Report, now);
            return false;
        }
        let was_resolved = self.status == AlertStatus::Resolved;
        let resolved_by_agent = self.status_by == Some(StatusSource::Agent);
        let is_settling = |at: Timestamp| now.since(at) < Self::SETTLING;
        if !was_resolved
            || (resolved_by_agent
                && self
                    .resolved_at
                    .is_some_and(is_settling))
        {
            return false;
        }
        self.set_status(status, StatusSource::Report, now);
        true
    }

    /// Changes its status. A machine's token reports: 409 if a user set another status.
    pub fn change(
        &mut self,
        update: &AlertUpdate,
        is_machine: bool,
        now: Timestamp,
    ) -> Result<(), Error> {
        if let PatchField::Set(status) = update.status {
            if is_machine && self.status != status && self.status_by == Some(StatusSource::User) {
                let detail = "A user set the status of the alert. A token that names only `manage_signals` \
                              does not change it.";
                return Err(Error::conflict(Code::InvalidTransition, detail));
            }
            let by = if is_machine {
                StatusSource::Report
            } else {
                StatusSource::User
            };
            self.set_status(status, by, now);
        }
        self.updated_at = now;
        Ok(())
    }

    /// True if it keeps approved actions from running: a user or the agent resolved it. A report
    /// only says that the source sees nothing any more, and the preconditions are read anyway.
    pub fn stops_actions(&self) -> bool {
        self.status == AlertStatus::Resolved && self.status_by != Some(StatusSource::Report)
    }

    /// Resolves it. Returns true unless it was resolved before.
    pub fn resolve(&mut self, by: StatusSource, now: Timestamp) -> bool {
        let stood = self.set_status(AlertStatus::Resolved, by, now);
        // A monitor that agrees with the agent is not late any more.
        if by == StatusSource::Report && self.status_by == Some(StatusSource::Agent) {
            self.status_by = Some(by);
        }
        self.updated_at = now;
        stood
    }

    /// Sets another status. A resolved alert keeps the instant of its resolution. Returns whether
    /// it changed.
    fn set_status(&mut self, status: AlertStatus, by: StatusSource, now: Timestamp) -> bool {
        let is_other = self.status != status;
        if is_other {
            self.status = status;
            self.status_by = Some(by);
            self.resolved_at = (status == AlertStatus::Resolved).then_some(now);
        }
        is_other
    }
}

input! {
    pub struct AlertFilter {
        status: Option<AnyOf<AlertStatus>>,
        severity: Option<AnyOf<Severity>>,
        signal_type: Option<AnyOf<Slug>>,
    }
}
