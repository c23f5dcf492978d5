//! Bodies of requests that record alerts.

use std::collections::BTreeMap;

use super::{
    AlertStatus, Currency, Labels, LifecycleEvent, Measure, Metric, MinorUnits, Money, Severity,
    SignalEntity,
};
use model::{
    AlertText, EntityId, Error, ExternalId, Fault, FaultCode, MetricName, Slug, SourceName,
    StateName, SystemName, Timestamp, Title, Unit, input, input::List, span,
};

/// A report of an alert.
#[derive(Clone, Debug)]
pub struct AlertReport {
    /// The reporter.
    pub source: String,
    /// The reporter's id for it, unique with `source` in the organization.
    pub external_id: String,
    /// The class.
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
    pub entities: Vec<SignalEntity>,
    /// Further properties, by name.
    pub labels: BTreeMap<String, String>,
    /// The measurement that raised the alert.
    pub metric: Option<Metric>,
    /// The money at risk.
    pub amount_at_risk: Option<Money>,
    /// The entity's earlier lifecycle, oldest first.
    pub lifecycle: Vec<LifecycleEvent>,
    /// The instant at which it occurred.
    pub occurred_at: Timestamp,
}

input! {
    /// The body of a request that records an alert. Each source and external id has one alert. A
    /// repeated report raises its `count` and applies its `occurredAt`; its other members are
    /// ignored.
    pub struct AlertCreate {
        /// The reporter.
        source: SourceName,
        /// The reporter's id for the alert. A separate case needs its own id.
        external_id: ExternalId,
        /// The class, by which playbooks are selected.
        signal_type: Slug,
        severity: Severity,
        title: Title,
        description: Option<AlertText>,
        /// The affected system: the name of a connection if actions are to be executed.
        target_system: SystemName,
        /// The affected records of that system.
        entities: Option<List<AlertEntity, 0, { AlertCreate::MOST_ENTITIES }>>,
        labels: Option<Labels>,
        metric: Option<AlertMetric>,
        /// The money at risk.
        amount_at_risk: Option<AlertMoney>,
        /// The earlier lifecycle of the first record, oldest first.
        lifecycle: Option<List<AlertLifecycleEvent, 0, 50>>,
        /// The instant of the occurrence; the current time when absent, at most an hour ahead. An
        /// occurrence after the resolution opens the alert again.
        occurred_at: Option<Timestamp>,
    }
    example {
        "source": "billing-monitor",
        "externalId": "stuck-ub_1001",
        "signalType": "usage_batch_stuck",
        "severity": "error",
        "title": "Usage batch ub_1001 has been processing for 26 hours",
        "description": "Batches of this size take ten minutes.",
        "targetSystem": "billing",
        "entities": [
            {"type": "usage_batch", "id": "ub_1001"},
            {"type": "customer", "id": "cus_501"},
        ],
        "labels": {"period": "2026-10"},
        "metric": {"name": "processing_hours", "value": 26, "threshold": 6, "unit": "hours"},
        "amountAtRisk": {"minorUnits": 482_100, "currency": "USD"},
        "lifecycle": [
            {"at": "2026-01-13T06:00:00Z", "state": "open"},
            {"at": "2026-01-13T10:00:00Z", "state": "processing"},
        ],
        "occurredAt": "2026-01-14T12:00:00Z",
    };
}

input! {
    /// A record of a target system.
    pub struct AlertEntity {
        /// The type: `usage_batch`.
        r#type: Slug,
        /// The id in that system.
        id: EntityId,
    }
    example {"type": "usage_batch", "id": "ub_1001"};
}

input! {
    /// The measurement that raised the alert.
    pub struct AlertMetric {
        /// The name of the measurement.
        name: MetricName,
        value: Measure,
        /// The exceeded limit.
        threshold: Measure,
        unit: Unit,
    }
    example {"name": "processing_hours", "value": 26, "threshold": 6, "unit": "hours"};
}

input! {
    /// An amount of money.
    pub struct AlertMoney {
        /// The amount in the currency's smallest unit.
        minor_units: MinorUnits,
        currency: Currency,
    }
    example {"minorUnits": 482_100, "currency": "USD"};
}

input! {
    /// A lifecycle step of a record.
    pub struct AlertLifecycleEvent {
        at: Timestamp,
        /// The state that it entered.
        state: StateName,
    }
    example {"at": "2026-01-13T10:00:00Z", "state": "processing"};
}

impl AlertCreate {
    /// The most records of an alert.
    pub(super) const MOST_ENTITIES: usize = 20;
    /// The tolerated lead of a reporter's clock, in milliseconds.
    const AHEAD: i64 = span::HOUR;

    /// Returns the report. 400 for an occurrence more than an hour ahead.
    pub fn into_new(self, now: Timestamp) -> Result<AlertReport, Error> {
        let occurred_at = self.occurred_at.unwrap_or(now);
        if occurred_at.since(now) > Self::AHEAD {
            let detail = "`occurredAt` must be at most an hour from now.";
            let fault = Fault::at("occurredAt", FaultCode::Period, detail);
            return Err(Error::invalid(fault));
        }
        let severity: &str = self.severity.into();
        let entities = self.entities.map_or_else(Vec::new, |entities| entities.0);
        let lifecycle = self
            .lifecycle
            .map_or_else(Vec::new, |lifecycle| lifecycle.0);
        Ok(AlertReport {
            source: self.source.into(),
            external_id: self.external_id.into(),
            signal_type: self.signal_type.to_string(),
            severity: severity.to_owned(),
            status: AlertStatus::Open,
            title: self.title.into(),
            description: self.description.map(Into::into),
            target_system: self.target_system.into(),
            entities: entities.into_iter().map(Into::into).collect(),
            labels: self.labels.map_or_else(BTreeMap::new, |labels| labels.0),
            metric: self.metric.map(Into::into),
            amount_at_risk: self.amount_at_risk.map(Into::into),
            lifecycle: lifecycle.into_iter().map(Into::into).collect(),
            occurred_at,
        })
    }
}

impl From<AlertEntity> for SignalEntity {
    fn from(entity: AlertEntity) -> Self {
        Self {
            kind: entity.r#type.to_string(),
            id: entity.id.into(),
        }
    }
}

impl From<AlertMetric> for Metric {
    fn from(metric: AlertMetric) -> Self {
        Self {
            name: metric.name.into(),
            value: metric.value.get(),
            threshold: metric.threshold.get(),
            unit: metric.unit.into(),
        }
    }
}

impl From<AlertMoney> for Money {
    fn from(money: AlertMoney) -> Self {
        Self {
            minor_units: money.minor_units.get(),
            currency: money.currency.into(),
        }
    }
}

impl From<AlertLifecycleEvent> for LifecycleEvent {
    fn from(event: AlertLifecycleEvent) -> Self {
        Self {
            at: event.at,
            state: event.state.into(),
        }
    }
}
