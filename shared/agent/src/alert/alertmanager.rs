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

use super::{AlertCreate, AlertEntity, AlertReport, AlertStatus, Labels, Severity};
use model::{
    AlertText, EntityId, ExternalId, Fault, FaultCode, Fingerprint, Slug, SourceName, SystemName,
    Timestamp, Title, input,
    input::on_one_line,
    input::{Apart, Field, List, Place, Reading, escaped},
    names,
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

names! {
    /// The status of an alert.
    pub enum AlertmanagerStatus = "a status" {
        /// Not resolved.
        Firing,
        /// Resolved.
        Resolved,
    }
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
    pub fn reports(self, now: Timestamp) -> (Vec<(usize, AlertReport)>, Vec<Rejected>) {
        let (mut reports, mut rejected) = (Vec::new(), Vec::new());
        for (at, Apart(alert)) in self.alerts.0.into_iter().enumerate() {
            match alert.and_then(|alert| alert.report(at, now)) {
                Ok(report) => reports.push((at, report)),
                Err(faults) => rejected.push((at, faults)),
            }
        }
        (reports, rejected)
    }
}

impl AlertmanagerAlert {
    fn report(self, at: usize, now: Timestamp) -> Result<AlertReport, Vec<Fault>> {
        let mut labels = self.labels.0;
        // A label without a value counts as absent.
        labels.retain(|_, value| !value.trim().is_empty());
        let annotations = self.annotations.unwrap_or_default().0;
        let mut faults = Faults {
            at,
            all: Vec::new(),
        };
        let label = |name: &str| labels.get(name).map(String::as_str);
        let (name, kind) = (label("alertname"), label("signal_type"));
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
        let systems = [label("connection"), label("job"), Some("unknown")];
        let system: Option<SystemName> = first_line(systems, SystemName::MOST);
        let severity = label("severity").and_then(severity_of);
        let entities = entities(&labels, &mut faults);
        let summary = annotations.get("summary").map(String::as_str);
        let title: Option<Title> = first_line([summary, name, class.as_deref()], Title::MOST);
        let description = annotations.get("description");
        let description = description.map(|text| cut(text, AlertText::MOST));
        let external_id = format!("{}@{}", &*self.fingerprint, self.starts_at);
        let used = |label: &str| match label {
            "alertname" | "signal_type" | "connection" => true,
            // An unknown severity stays as a label.
            "severity" => severity.is_some(),
            label => label.starts_with(ENTITY),
        };
        let others = labels.iter().filter(|(name, _)| !used(name));
        let others = others.map(|(name, value)| {
            let name = cut(name, Labels::LONGEST_NAME);
            (name, cut(value, Labels::LONGEST_VALUE))
        });
        let mut others: BTreeMap<String, String> = others.collect();
        others.remove("");
        if others.len() > Labels::MOST {
            let detail = format!("Send at most {} labels.", Labels::MOST);
            faults.add("", FaultCode::Length, &detail);
        }
        let source = SourceName::try_from(SOURCE).ok();
        let external_id = ExternalId::try_from(external_id).ok();
        let texts = (source, external_id, class, title, system);
        let (Some(source), Some(external_id), Some(signal_type), Some(title), Some(target_system)) =
            texts
        else {
            return Err(faults.all);
        };
        if !faults.all.is_empty() {
            return Err(faults.all);
        }
        // Its clock may be fast.
        let occurred_at = self.starts_at.min(now);
        let content = AlertCreate {
            source,
            external_id,
            signal_type,
            severity: severity.unwrap_or(Severity::Warning),
            title,
            description: description.and_then(|text| text.try_into().ok()),
            target_system,
            entities: Some(List(entities)),
            labels: Some(Labels(others)),
            metric: None,
            amount_at_risk: None,
            lifecycle: None,
            occurred_at: Some(occurred_at),
        };
        let status = match self.status {
            AlertmanagerStatus::Firing => AlertStatus::Open,
            AlertmanagerStatus::Resolved => AlertStatus::Resolved,
        };
        Ok(AlertReport::new(content, status, occurred_at))
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
fn entities(labels: &BTreeMap<String, String>, faults: &mut Faults) -> Vec<AlertEntity> {
    let mut entities = Vec::new();
    for (name, id) in labels {
        let Some(kind) = name.strip_prefix(ENTITY) else {
            continue;
        };
        let id = EntityId::try_from(id.as_str());
        match (Slug::of(kind), id) {
            (Some(r#type), Ok(id)) => entities.push(AlertEntity { r#type, id }),
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

/// Returns the first text that has visible characters, on one line and cut to `most` characters.
fn first_line<'a, T: TryFrom<String>>(
    texts: impl IntoIterator<Item = Option<&'a str>>,
    most: usize,
) -> Option<T> {
    let mut texts = texts.into_iter().flatten();
    texts.find_map(|text| cut(&on_one_line(text), most).try_into().ok())
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
        webhook.reports(NOW.parse().unwrap())
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
        let report = one(&labels, &annotations);
        assert_eq!(report.status, AlertStatus::Open);
        assert_eq!(report.occurred_at.to_string(), "2026-01-15T11:59:00.000Z");
        let alert = report.content;
        assert_eq!(&*alert.source, "alertmanager");
        assert_eq!(&*alert.external_id, "c0ffee@2026-01-15T11:59:00.000Z");
        assert_eq!(&*alert.signal_type, "usage_batch_stuck");
        assert_eq!(alert.severity, Severity::Critical);
        assert_eq!(&*alert.title, "It is stuck");
        assert_eq!(alert.description.as_deref(), Some("Since noon."));
        assert_eq!(&*alert.target_system, "billing");
        let named = alert.entities().iter();
        let named: Vec<_> = named.map(|entity| (&*entity.r#type, &*entity.id)).collect();
        assert_eq!(named, [("customer", "cus_1"), ("usage_batch", "ub_1001")]);
        let labels: Vec<_> = alert.labels.as_ref().unwrap().0.keys().collect();
        assert_eq!(labels, ["job", "region"]);
    }

    #[test]
    fn what_is_not_said_has_a_default() {
        let alert = one(
            &json!({"alertname": "Watchdog", "severity": "purple", "job": "api"}),
            &json!({}),
        )
        .content;
        assert_eq!(
            (alert.severity, &*alert.title),
            (Severity::Warning, "Watchdog")
        );
        assert_eq!(alert.labels.unwrap().0["severity"], "purple");
        assert_eq!(&*alert.target_system, "api");
        let told = json!({"alertname": "A", "signal_type": "payment_failed"});
        let alert = one(&told, &json!(null)).content;
        assert_eq!(
            (&*alert.signal_type, &*alert.title),
            ("payment_failed", "A")
        );
        assert_eq!(
            (alert.severity, &*alert.target_system),
            (Severity::Warning, "unknown")
        );
        // A label without a value is ignored. A class without ASCII characters falls back to the
        // name.
        let told = json!({
            "alertname": "PaymentFailed", "signal_type": "付款失败", "connection": "", "job": "api",
        });
        let alert = one(&told, &json!(null)).content;
        assert_eq!(
            (&*alert.signal_type, &*alert.target_system),
            ("payment_failed", "api")
        );
    }

    #[test]
    fn long_texts_are_cut_and_a_clock_ahead_is_held_back() {
        let long = "ü".repeat(6_000);
        let labels = json!({"alertname": "A", "trace": long});
        let mut alert = alert(&labels, &json!({"summary": long, "description": long}));
        alert["startsAt"] = json!("2026-01-15T13:00:00Z");
        let (mut new, _) = read(&json!([alert]));
        let (_, report) = new.remove(0);
        assert_eq!(report.occurred_at.to_string(), "2026-01-15T12:00:00.000Z");
        let alert = report.content;
        let lengths = [
            &*alert.title,
            alert.description.as_ref().unwrap(),
            &alert.labels.as_ref().unwrap().0["trace"],
        ];
        assert_eq!(
            lengths.map(|text| text.chars().count()),
            [255, 5_000, Labels::LONGEST_VALUE]
        );
        assert!(alert.title.ends_with('…'));
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
