//! What is reported of a signal.

use std::collections::BTreeMap;

use super::{
    Currency, Labels, LifecycleEvent, Measure, Metric, MinorUnits, Money, Severity, SignalEntity,
    SignalStatus,
};
use crate::{
    AlertText, EntityId, Error, ExternalId, Fault, FaultCode, MetricName, Slug, SourceName,
    StateName, SystemName, Timestamp, Title, Unit, input, input::List, span,
};

/// What a signal begins with.
#[derive(Clone, Debug)]
pub struct NewSignal {
    /// Who reports it.
    pub source: String,
    /// The reporter's own id, unique with `source` in the organization.
    pub external_id: String,
    /// Its class.
    pub signal_type: String,
    /// `info`, `warning`, `error` or `critical`.
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
    pub entities: Vec<SignalEntity>,
    /// Further facts, by name.
    pub labels: BTreeMap<String, String>,
    /// The measure that gave the alarm.
    pub metric: Option<Metric>,
    /// Money that hangs on it.
    pub amount_at_risk: Option<Money>,
    /// What the entity went through before, oldest first.
    pub lifecycle: Vec<LifecycleEvent>,
    /// When it occurred.
    pub occurred_at: Timestamp,
}

input! {
    /// What a client sends to record an alert. Of one source and external id there is one alert: the
    /// same again raises its `count`, and nothing else of what is sent is looked at but `occurredAt`.
    pub struct AlertCreate {
        /// Who reports it.
        source: SourceName,
        /// The reporter's own id of it; a case of its own has an id of its own.
        external_id: ExternalId,
        /// Its class, by which playbooks go.
        signal_type: Slug,
        severity: Severity,
        title: Title,
        description: Option<AlertText>,
        /// The system it is about: the name of a connection where actions are to be executed.
        target_system: SystemName,
        /// The records of that system it is about.
        entities: Option<List<AlertEntity, 0, { AlertCreate::MOST_ENTITIES }>>,
        labels: Option<Labels>,
        metric: Option<AlertMetric>,
        /// Money that hangs on it.
        amount_at_risk: Option<AlertMoney>,
        /// What the first of the records went through before, oldest first.
        lifecycle: Option<List<AlertLifecycleEvent, 0, 50>>,
        /// Now, unless it is said; at most an hour ahead. What occurs after the alert was resolved opens
        /// it again.
        occurred_at: Option<Timestamp>,
    }
}

input! {
    /// A record of a target system.
    pub struct AlertEntity {
        /// What it is: `usage_batch`.
        r#type: Slug,
        /// Its id in that system.
        id: EntityId,
    }
}

input! {
    /// The measure that gave the alarm.
    pub struct AlertMetric {
        /// What was measured.
        name: MetricName,
        value: Measure,
        /// What it should not have passed.
        threshold: Measure,
        unit: Unit,
    }
}

input! {
    /// An amount of money.
    pub struct AlertMoney {
        /// In the currency's smallest unit.
        minor_units: MinorUnits,
        currency: Currency,
    }
}

input! {
    /// A step in the life of a record.
    pub struct AlertLifecycleEvent {
        at: Timestamp,
        /// What state it entered.
        state: StateName,
    }
}

impl AlertCreate {
    /// How many records an alert is about, at most.
    pub(super) const MOST_ENTITIES: usize = 20;
    /// How far ahead of the service's clock another one may be, in milliseconds.
    const AHEAD: i64 = span::HOUR;

    /// The signal that it reports. 400 when it occurred later than an hour from now.
    pub fn into_new(self, now: Timestamp) -> Result<NewSignal, Error> {
        let occurred_at = self.occurred_at.unwrap_or(now);
        if occurred_at.since(now) > Self::AHEAD {
            let detail = "An alert occurs at most an hour from now.";
            let fault = Fault::at("occurredAt", FaultCode::Period, detail);
            return Err(Error::invalid(fault));
        }
        let severity: &str = self.severity.into();
        let entities = self.entities.map_or_else(Vec::new, |entities| entities.0);
        let lifecycle = self
            .lifecycle
            .map_or_else(Vec::new, |lifecycle| lifecycle.0);
        Ok(NewSignal {
            source: self.source.into(),
            external_id: self.external_id.into(),
            signal_type: self.signal_type.to_string(),
            severity: severity.to_owned(),
            status: SignalStatus::Open,
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
