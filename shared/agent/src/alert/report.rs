use model::{
    base::{
        AlertText, Error, ExternalId, Fault, FaultCode, Fingerprint, Slug, SourceName, SystemName,
        Timestamp, Title, input::BoundedList, span,
    },
    input,
};

use crate::alert::{
    AlertEntity, AlertMetric, AlertStatus, Labels, LifecycleEvent, Money, Severity,
};

#[derive(Clone, Debug)]
pub struct AlertReport {
    pub content: AlertCreate,
    /// The status: open or, for a report of the resolution, resolved.
    pub status: AlertStatus,
    pub occurred_at: Timestamp,
    /// The firing that it reports; none if its source has no series of firings.
    pub firing: Option<Firing>,
}

/// A firing of a series: of one rule for one set of labels. At most one firing of a series is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Firing {
    /// The series, unique with the source.
    pub series: Fingerprint,
    /// The start, by the reporter's clock.
    pub starts_at: Timestamp,
    pub ends_at: Option<Timestamp>,
}

impl Firing {
    /// True if a report of this firing says that another one, begun at `start`, is over.
    pub fn ends(&self, start: Timestamp, status: AlertStatus) -> bool {
        let ended = self
            .ends_at
            .filter(|_| status == AlertStatus::Resolved);
        start < self.starts_at || ended.is_some_and(|end| start < end)
    }
}

impl AlertReport {
    /// Creates a report. UUIDs among the ids of records become lower-case (RFC 9562), so that two
    /// spellings are one record.
    pub fn new(mut content: AlertCreate, status: AlertStatus, occurred_at: Timestamp) -> Self {
        let entities = content
            .entities
            .iter_mut()
            .flat_map(|list| &mut list.0);
        for entity in entities.filter(|entity| is_uuid(&entity.id)) {
            if let Ok(id) = entity
                .id
                .to_ascii_lowercase()
                .try_into()
            {
                entity.id = id;
            }
        }
        Self {
            content,
            status,
            occurred_at,
            firing: None,
        }
    }
}

fn is_uuid(id: &str) -> bool {
    let lengths = id.split('-').map(str::len);
    let is_hex = |byte: u8| byte == b'-' || byte.is_ascii_hexdigit();
    lengths.eq([8, 4, 4, 4, 12]) && id.bytes().all(is_hex)
}

input! {
    /// The body of a request that records an alert. Each source and external id has one alert. A
    /// repeated report raises its `count`, applies its `occurredAt` and opens a resolved alert; its
    /// other members are ignored.
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
        entities: Option<BoundedList<AlertEntity, 0, { AlertCreate::MOST_ENTITIES }>>,
        labels: Option<Labels>,
        metric: Option<AlertMetric>,
        amount_at_risk: Option<Money>,
        /// The earlier lifecycle of the first record, oldest first.
        lifecycle: Option<BoundedList<LifecycleEvent, 0, 50>>,
        /// The instant of the occurrence; the current time when absent, at most an hour ahead.
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

impl AlertCreate {
    pub(super) const MOST_ENTITIES: usize = 20;

    /// Returns the report. 400 for an occurrence more than an hour ahead.
    pub fn report(self, now: Timestamp) -> Result<AlertReport, Error> {
        let occurred_at = self.occurred_at.unwrap_or(now);
        if occurred_at.since(now) > span::HOUR {
            let detail = "`occurredAt` must be at most an hour from now.";
            let fault = Fault::at("occurredAt", FaultCode::Period, detail);
            return Err(Error::invalid(fault));
        }
        Ok(AlertReport::new(self, AlertStatus::Open, occurred_at))
    }

    pub fn entities(&self) -> &[AlertEntity] {
        self.entities
            .as_ref()
            .map_or(&[], |entities| &entities.0)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_uuid_has_one_spelling_and_other_ids_keep_theirs() {
        for (sent, kept) in [
            (
                "7B0F3C1E-0A4E-4A52-9D0C-5D1F3C1E0A4E",
                "7b0f3c1e-0a4e-4a52-9d0c-5d1f3c1e0a4e",
            ),
            ("in_1AbC", "in_1AbC"),
            ("7B0F3C1E", "7B0F3C1E"),
            (
                "ZB0F3C1E-0A4E-4A52-9D0C-5D1F3C1E0A4E",
                "ZB0F3C1E-0A4E-4A52-9D0C-5D1F3C1E0A4E",
            ),
        ] {
            let create: AlertCreate = model::base::input::from_value(&json!({
                "source": "billing-monitor", "externalId": "x-9", "signalType": "payment_failed",
                "severity": "error", "title": "A payment failed", "targetSystem": "payments",
                "entities": [{"type": "payment", "id": sent}],
            }))
            .unwrap();
            let report = create
                .report(Timestamp::from_millis(0))
                .unwrap();
            assert_eq!(&*report.content.entities()[0].id, kept);
        }
    }
}
