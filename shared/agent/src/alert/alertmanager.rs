//! Webhooks of Prometheus Alertmanager (version 4 of its format), and the alerts that they report.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{
    ToSchema,
    openapi::{
        ObjectBuilder, RefOr, Schema,
        schema::{AdditionalProperties, Type},
    },
};

use super::{AlertCreate, AlertReport, AlertStatus, Labels, Severity, SignalEntity};
use model::{
    AlertText, EntityId, Fault, FaultCode, Fingerprint, Slug, SystemName, Timestamp, Title, input,
    input::on_one_line,
    input::{Apart, Field, List, Place, Reading, escaped},
};

/// The source of every Alertmanager's alerts. Several Alertmanagers give the same alert the same
/// fingerprint.
const SOURCE: &str = "alertmanager";

/// The prefix of labels that name records: `entity_invoice`.
const ENTITY: &str = "entity_";

input! {
    /// The body of an Alertmanager webhook. Other members are ignored.
    pub struct AlertmanagerWebhook {
        version: AlertmanagerVersion,
        /// The alerts. The response names those that cannot be recorded; the others are recorded.
        alerts: List<Apart<AlertmanagerAlert>, 0, 500>,
    }
    example {
        "version": "4",
        "alerts": [{
            "status": "firing",
            "labels": {
                "alertname": "UsageBatchStuck",
                "severity": "critical",
                "connection": "billing",
                "entity_usage_batch": "ub_1001",
            },
            "annotations": {"summary": "Usage batch ub_1001 has been processing for 26 hours"},
            "startsAt": "2026-01-14T12:00:00Z",
            "fingerprint": "b1ed8b9c1a3b6b1c",
        }],
    };
}

input! {
    /// An alert of Alertmanager.
    ///
    /// - `signal_type`, else `alertname`, is its class as a slug (`PaymentFailed` becomes
    ///   `payment_failed`).
    /// - `severity` is its severity.
    /// - `connection`, else `job`, is the affected system.
    /// - Each `entity_<type>` is a record of that system.
    /// - Other labels stay labels.
    pub struct AlertmanagerAlert {
        status: AlertmanagerStatus,
        labels: AlertmanagerTexts,
        /// `summary` is the alert's title and `description` its description. Long texts are cut.
        annotations: Option<AlertmanagerTexts>,
        starts_at: Timestamp,
        /// Identifies the alert together with `startsAt`.
        fingerprint: Fingerprint,
    }
    example {
        "status": "firing",
        "labels": {"alertname": "UsageBatchStuck", "connection": "billing"},
        "startsAt": "2026-01-14T12:00:00Z",
        "fingerprint": "b1ed8b9c1a3b6b1c",
    };
}

/// The version of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub enum AlertmanagerVersion {
    /// The version of every release since 2016.
    #[serde(rename = "4")]
    Four,
}

impl model::input::OneOf for AlertmanagerVersion {
    const NOUN: &'static str = "a version of the format";
}

/// The status of an alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum AlertmanagerStatus {
    /// Not resolved.
    Firing,
    /// Resolved.
    Resolved,
}

impl model::input::OneOf for AlertmanagerStatus {
    const NOUN: &'static str = "a status";
}

/// Texts by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AlertmanagerTexts(BTreeMap<String, String>);

impl Field for AlertmanagerTexts {
    fn read(value: &Value, place: &mut Place<'_>) -> Reading<Self> {
        let Value::Object(members) = value else {
            return place.wrong(value, "an object");
        };
        let texts = members.iter().map(|(name, value)| match value {
            Value::String(text) => Some((name.clone(), text.clone())),
            other => place.at(escaped(name)).wrong(other, "a string"),
        });
        // Collected first, so that every fault is reported.
        let texts: Vec<Option<_>> = texts.collect();
        texts.into_iter().collect::<Option<_>>().map(Self)
    }

    fn field_schema() -> RefOr<Schema> {
        let text: Schema = ObjectBuilder::new().schema_type(Type::String).into();
        ObjectBuilder::new()
            .schema_type(Type::Object)
            .additional_properties(Some(AdditionalProperties::RefOr(RefOr::T(text))))
            .into()
    }
}

/// An alert that cannot be recorded: its index among the others, and its faults.
type Rejected = (usize, Vec<Fault>);

impl AlertmanagerWebhook {
    /// Returns the reports, each with its alert's index, and the faults of the alerts that cannot
    /// be recorded.
    #[must_use]
    pub fn into_new(self, now: Timestamp) -> (Vec<(usize, AlertReport)>, Vec<Rejected>) {
        let (mut new, mut rejected) = (Vec::new(), Vec::new());
        for (at, Apart(alert)) in self.alerts.0.into_iter().enumerate() {
            match alert.and_then(|alert| alert.into_new(at, now)) {
                Ok(alert) => new.push((at, alert)),
                Err(faults) => rejected.push((at, faults)),
            }
        }
        (new, rejected)
    }
}

impl AlertmanagerAlert {
    fn into_new(self, at: usize, now: Timestamp) -> Result<AlertReport, Vec<Fault>> {
        let mut labels = self.labels.0;
        // A label without a value counts as absent.
        labels.retain(|_, value| !value.trim().is_empty());
        let annotations = self.annotations.unwrap_or_default().0;
        let mut faults = Faults {
            at,
            all: Vec::new(),
        };
        let name = labels.get("alertname").map(String::as_str);
        let kind = labels.get("signal_type").map(String::as_str);
        let class = kind.and_then(Slug::of).or_else(|| name.and_then(Slug::of));
        if class.is_none() {
            let (code, detail) = if kind.or(name).is_none() {
                (FaultCode::Required, "Send `alertname`.")
            } else {
                let detail = "Neither `signal_type` nor `alertname` has an ASCII letter or digit.";
                (FaultCode::Pattern, detail)
            };
            faults.add("alertname", code, detail);
        }
        let mut systems = ["connection", "job"].into_iter();
        let system = systems.find_map(|name| labels.get(name));
        let system = system.map_or("unknown", String::as_str);
        let severity = labels.get("severity").map_or("", String::as_str);
        let known = severity_of(severity);
        let entities = entities(&labels, &mut faults);
        let title = annotations.get("summary").map_or("", String::as_str);
        let title = if title.trim().is_empty() {
            name.unwrap_or_default()
        } else {
            title
        };
        let used = |label: &str| match label {
            "alertname" | "signal_type" | "connection" => true,
            // An unknown severity stays as a label.
            "severity" => known.is_some(),
            label => label.starts_with(ENTITY),
        };
        let others = labels.iter().filter(|(name, _)| !used(name));
        let others = others.map(|(name, value)| {
            let name = cut(name, Labels::LONGEST_NAME);
            (name, cut(value, Labels::LONGEST_VALUE))
        });
        let description = annotations.get("description");
        let severity: &str = known.unwrap_or(Severity::Warning).into();
        let mut labels: BTreeMap<String, String> = others.collect();
        labels.remove("");
        if labels.len() > Labels::MOST {
            let detail = format!("Send at most {} labels.", Labels::MOST);
            faults.add("", FaultCode::Length, &detail);
        }
        let (Some(class), true) = (class, faults.all.is_empty()) else {
            return Err(faults.all);
        };
        Ok(AlertReport {
            source: SOURCE.to_owned(),
            external_id: format!("{}@{}", &*self.fingerprint, self.starts_at),
            title: cut(
                &on_one_line(if title.is_empty() { &class } else { title }),
                Title::MOST,
            ),
            signal_type: class.to_string(),
            severity: severity.to_owned(),
            status: match self.status {
                AlertmanagerStatus::Firing => AlertStatus::Open,
                AlertmanagerStatus::Resolved => AlertStatus::Resolved,
            },
            description: description.map(|text| cut(text, AlertText::MOST)),
            target_system: cut(&on_one_line(system), SystemName::MOST),
            entities,
            labels,
            metric: None,
            amount_at_risk: None,
            lifecycle: Vec::new(),
            // Its clock may be fast.
            occurred_at: self.starts_at.min(now),
        })
    }
}

/// The faults of an alert's labels.
struct Faults {
    at: usize,
    all: Vec<Fault>,
}

impl Faults {
    fn add(&mut self, label: &str, code: FaultCode, detail: &str) {
        let slash = if label.is_empty() { "" } else { "/" };
        let field = format!("alerts/{}/labels{slash}{}", self.at, escaped(label));
        self.all.push(Fault::at(&field, code, detail));
    }
}

/// Returns the records that labels name.
fn entities(labels: &BTreeMap<String, String>, faults: &mut Faults) -> Vec<SignalEntity> {
    let mut entities = Vec::new();
    for (name, id) in labels {
        let Some(kind) = name.strip_prefix(ENTITY) else {
            continue;
        };
        let id = EntityId::try_from(id.as_str());
        match (Slug::of(kind), id) {
            (Some(kind), Ok(id)) => entities.push(SignalEntity {
                kind: kind.to_string(),
                id: id.into(),
            }),
            (None, _) => {
                let detail = "The type after `entity_` has no ASCII letter or digit.";
                faults.add(name, FaultCode::Pattern, detail);
            }
            (_, Err(error)) => {
                faults.add(name, error.code(), &format!("`{name}` {error}."));
            }
        }
    }
    if entities.len() > AlertCreate::MOST_ENTITIES {
        let detail = format!(
            "Send at most {} labels `entity_…`.",
            AlertCreate::MOST_ENTITIES
        );
        faults.add("", FaultCode::Length, &detail);
    }
    entities
}

/// Returns the severity for a common name; none for another name.
fn severity_of(name: &str) -> Option<Severity> {
    Some(match name.to_ascii_lowercase().as_str() {
        "critical" | "crit" | "fatal" | "emergency" | "alert" | "page" | "p1" | "sev1" => {
            Severity::Critical
        }
        "error" | "err" | "major" | "high" | "p2" | "sev2" => Severity::Error,
        "warning" | "warn" | "minor" | "medium" | "p3" | "sev3" => Severity::Warning,
        "info" | "information" | "informational" | "notice" | "low" | "none" | "debug" | "p4"
        | "p5" | "sev4" | "sev5" => Severity::Info,
        _ => return None,
    })
}

/// Returns a text cut to `most` characters; the last one marks the cut.
fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept = text.chars().take(most - 1);
    kept.chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use model::input::from_value;

    const NOW: &str = "2026-01-15T12:00:00Z";

    fn alert(labels: &Value, annotations: &Value) -> Value {
        json!({
            "status": "firing", "labels": labels, "annotations": annotations,
            "startsAt": "2026-01-15T11:59:00Z", "endsAt": "0001-01-01T00:00:00Z",
            "generatorURL": "http://prometheus/graph", "fingerprint": "c0ffee",
        })
    }

    fn read(alerts: &Value) -> (Vec<(usize, AlertReport)>, Vec<Rejected>) {
        let body = json!({"version": "4", "receiver": "workdesk", "alerts": alerts});
        let webhook: AlertmanagerWebhook = from_value(&body).unwrap();
        webhook.into_new(NOW.parse().unwrap())
    }

    fn one(labels: &Value, annotations: &Value) -> AlertReport {
        let (mut new, rejected) = read(&json!([alert(labels, annotations)]));
        assert!(rejected.is_empty(), "{rejected:?}");
        new.remove(0).1
    }

    #[test]
    fn labels_and_annotations_make_an_alert() {
        let labels = json!({
            "alertname": "UsageBatchStuck", "severity": "page", "connection": "billing",
            "entity_usage_batch": "ub_1001", "entity_Customer": "cus_1", "entity_invoice": "",
            "region": "eu", "job": "pipeline",
        });
        let annotations = json!({"summary": "It is stuck", "description": "Since noon."});
        let alert = one(&labels, &annotations);
        assert_eq!(alert.source, "alertmanager");
        assert_eq!(alert.external_id, "c0ffee@2026-01-15T11:59:00.000Z");
        assert_eq!(alert.signal_type, "usage_batch_stuck");
        assert_eq!(alert.severity, "critical");
        assert_eq!(alert.status, AlertStatus::Open);
        assert_eq!(alert.title, "It is stuck");
        assert_eq!(alert.description.as_deref(), Some("Since noon."));
        assert_eq!(alert.target_system, "billing");
        let named = alert.entities.iter();
        let named: Vec<_> = named
            .map(|entity| (entity.kind.as_str(), entity.id.as_str()))
            .collect();
        assert_eq!(named, [("customer", "cus_1"), ("usage_batch", "ub_1001")]);
        let labels: Vec<_> = alert.labels.keys().collect();
        assert_eq!(labels, ["job", "region"]);
        assert_eq!(alert.occurred_at.to_string(), "2026-01-15T11:59:00.000Z");
    }

    #[test]
    fn what_is_not_said_has_a_default() {
        let alert = one(
            &json!({"alertname": "Watchdog", "severity": "purple", "job": "api"}),
            &json!({}),
        );
        assert_eq!(
            (alert.severity.as_str(), alert.title.as_str()),
            ("warning", "Watchdog")
        );
        assert_eq!(alert.labels["severity"], "purple");
        assert_eq!(alert.target_system, "api");
        let told = json!({"alertname": "A", "signal_type": "payment_failed"});
        let alert = one(&told, &json!(null));
        assert_eq!(
            (alert.signal_type.as_str(), alert.title.as_str()),
            ("payment_failed", "A")
        );
        assert_eq!(
            (alert.severity.as_str(), alert.target_system.as_str()),
            ("warning", "unknown")
        );
        // A label without a value is ignored. A class without ASCII characters falls back to the
        // name.
        let told = json!({
            "alertname": "PaymentFailed", "signal_type": "付款失败", "connection": "", "job": "api",
        });
        let alert = one(&told, &json!(null));
        assert_eq!(
            (alert.signal_type.as_str(), alert.target_system.as_str()),
            ("payment_failed", "api")
        );
    }

    #[test]
    fn long_texts_are_cut_and_a_clock_ahead_is_held_back() {
        let long = "ü".repeat(6_000);
        let labels = json!({"alertname": "A", "trace": long});
        let mut alert = alert(&labels, &json!({"summary": long, "description": long}));
        alert["startsAt"] = json!("2026-01-15T13:00:00Z");
        let (new, _) = read(&json!([alert]));
        let alert = &new[0].1;
        let lengths = [
            &alert.title,
            alert.description.as_ref().unwrap(),
            &alert.labels["trace"],
        ];
        assert_eq!(
            lengths.map(|text| text.chars().count()),
            [255, 5_000, 1_000]
        );
        assert!(alert.title.ends_with('…'));
        assert_eq!(alert.occurred_at.to_string(), "2026-01-15T12:00:00.000Z");
        assert!(alert.external_id.contains("13:00"), "{}", alert.external_id);
    }

    #[test]
    fn bad_alerts_are_named_and_good_ones_kept() {
        let good = json!({"alertname": "A"});
        let many: serde_json::Map<String, Value> = (0..51)
            .map(|number| (format!("l{number}"), json!("x")))
            .collect();
        let mut crowded = json!(many);
        crowded["alertname"] = json!("A");
        let (new, rejected) = read(&json!([
            alert(&good, &json!({})),
            "what",
            alert(&json!({"severity": "page"}), &json!({})),
            {"status": "odd", "labels": {"alertname": 1}},
            alert(&json!({"alertname": "A", "entity_": "x", "entity_a": "y".repeat(129)}), &json!({})),
            alert(&crowded, &json!({})),
            alert(&good, &json!({})),
            alert(&json!({"alertname": "磁盘满"}), &json!({})),
            alert(&json!({"alertname": "A", "a/b~c": 1}), &json!({})),
        ]));
        let places: Vec<_> = new.iter().map(|(at, _)| *at).collect();
        assert_eq!(places, [0, 6]);
        let faults: Vec<_> = rejected
            .iter()
            .flat_map(|(at, faults)| {
                assert!(
                    faults
                        .iter()
                        .all(|fault| fault.pointer.starts_with(&format!("/alerts/{at}")))
                );
                faults.iter().map(|fault| fault.pointer.as_str())
            })
            .collect();
        assert_eq!(
            faults,
            [
                "/alerts/1",
                "/alerts/2/labels/alertname",
                "/alerts/3/status",
                "/alerts/3/labels/alertname",
                "/alerts/3/startsAt",
                "/alerts/3/fingerprint",
                "/alerts/4/labels/entity_",
                "/alerts/4/labels/entity_a",
                "/alerts/5/labels",
                "/alerts/7/labels/alertname",
                "/alerts/8/labels/a~1b~0c",
            ]
        );
        assert_eq!(rejected[5].1[0].code, FaultCode::Pattern);
    }
}
