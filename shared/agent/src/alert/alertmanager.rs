//! Webhooks of Prometheus Alertmanager (version 4 of its format), and the alerts that they report.

use std::collections::BTreeMap;

use model::{
    base::{
        AlertText, EntityId, ExternalId, Fault, FaultCode, Fingerprint, Slug, SystemName,
        Timestamp, Title,
        characters::{in_lines, on_one_line},
        input::{Apart, BoundedList, Field, InputPlace, Reading, Schema, map_of, string},
    },
    input, names,
    people::digest,
};
use serde_json::{Value, json};

use crate::alert::{AlertCreate, AlertEntity, AlertReport, AlertStatus, Firing, Labels, Severity};

/// The prefix of labels that name records: `entity_invoice`.
const ENTITY: &str = "entity_";

/// The class of an alert without a name.
const UNKNOWN: &str = "unknown";

/// The most left out labels that a description names.
const MOST_NAMED: usize = 10;

/// The most alerts of a message that are recorded. More take longer than a request may.
const MOST_RECORDED: usize = 500;

input! {
    /// The body of a webhook of Alertmanager, or of another sender of its format. Other members are
    /// ignored.
    pub struct AlertmanagerWebhook {
        /// The alerts. The first 500 are recorded. The response names the others, and the elements
        /// that are no alerts.
        alerts: BoundedList<Apart<AlertmanagerAlert>, 0, 5_000>,
    }
    example {
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
    ///   `payment_failed`). A hash stands for letters and digits that a slug cannot hold.
    /// - `severity` is its severity.
    /// - `connection`, else `job`, is the affected system.
    /// - Each `entity_<type>` is a record of that system.
    /// - Other labels stay labels, and so does each label of these that does not fit.
    pub struct AlertmanagerAlert {
        status: AlertmanagerStatus,
        labels: Option<AlertmanagerTexts>,
        /// `summary` is the alert's title and `description` its description. Long texts are cut.
        annotations: Option<AlertmanagerTexts>,
        starts_at: Timestamp,
        /// The end, of a resolved alert. Firings of this fingerprint that began before it are over.
        ends_at: Option<Apart<Timestamp>>,
        /// Identifies the alert together with `startsAt`; a hash of the labels when absent.
        fingerprint: Option<Apart<Fingerprint>>,
    }
    example {
        "status": "firing",
        "labels": {"alertname": "UsageBatchStuck", "connection": "billing"},
        "startsAt": "2026-01-14T12:00:00Z",
        "fingerprint": "b1ed8b9c1a3b6b1c",
    };
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

/// Texts by name. Other values are kept as JSON texts, but for null.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AlertmanagerTexts(BTreeMap<String, String>);

impl Field for AlertmanagerTexts {
    fn read(value: &Value, place: &mut InputPlace<'_>) -> Reading<Self> {
        let members = place.object(value)?;
        let texts = members
            .iter()
            .filter_map(|(name, value)| match value {
                Value::Null => None,
                Value::String(text) => Some((name.clone(), text.clone())),
                other => Some((name.clone(), other.to_string())),
            });
        Some(Self(texts.collect()))
    }

    fn field_schema() -> Schema {
        map_of(string().into()).into()
    }
}

/// An element that is not recorded: its index among the others, and its faults.
type Rejected = (usize, Vec<Fault>);

/// The fault of an alert after the most that a message may have.
fn beyond(field: &str) -> Fault {
    let detail = format!(
        "The first {MOST_RECORDED} alerts of a message are recorded. Send this one in another message: group by \
         more labels."
    );
    Fault::at(field, FaultCode::Length, detail)
}

impl AlertmanagerWebhook {
    /// Returns the first 500 reports, each with its alert's index, and the faults of the other
    /// elements.
    pub fn reports(self, now: Timestamp) -> (Vec<(usize, AlertReport)>, Vec<Rejected>) {
        let mut reports = Vec::new();
        let mut rejected = Vec::new();
        for (at, Apart(alert)) in self.alerts.0.into_iter().enumerate() {
            let field = format!("alerts/{at}");
            let no_text = || {
                Fault::at(
                    &field,
                    FaultCode::Pattern,
                    "No text of the alert can be shown.",
                )
            };
            match alert.and_then(|alert| {
                alert
                    .report(now)
                    .ok_or_else(|| vec![no_text()])
            }) {
                Ok(report) if reports.len() < MOST_RECORDED => reports.push((at, report)),
                Ok(_) => rejected.push((at, vec![beyond(&field)])),
                Err(faults) => rejected.push((at, faults)),
            }
        }
        (reports, rejected)
    }
}

impl AlertmanagerAlert {
    /// Returns the report of the alert. No text and no label refuses it: texts are cut, and labels
    /// that do not fit their purpose stay labels.
    fn report(self, now: Timestamp) -> Option<AlertReport> {
        let mut labels = self.labels.unwrap_or_default().0;
        let series = self
            .fingerprint
            .and_then(|Apart(read)| read.ok());
        let series = series.or_else(|| {
            digest(&json!(labels).to_string())[..16]
                .try_into()
                .ok()
        })?;
        // A label without a value counts as absent.
        labels.retain(|_, value| !value.trim().is_empty());
        let annotations = self.annotations.unwrap_or_default().0;
        let label = |name: &str| labels.get(name).map(String::as_str);
        let name = label("alertname");
        let kind = label("signal_type");
        let class = kind.and_then(Slug::of);
        let class = class.unwrap_or_else(|| Slug::of_any(name.or(kind).unwrap_or(UNKNOWN)));
        let systems = [label("connection"), label("job"), Some(UNKNOWN)];
        let target_system: SystemName = first_line(systems, SystemName::MOST)?;
        let severity = label("severity").and_then(severity_of);
        let entities = entities(&labels);
        let summary = annotations
            .get("summary")
            .map(String::as_str);
        let title: Title = first_line([summary, name, Some(&*class)], Title::MOST)?;
        let is_used = |name: &str, value: &str| match name {
            "alertname" | "signal_type" => Slug::of(value).as_ref() == Some(&class),
            "connection" => *target_system == *value,
            // An unknown severity stays as a label.
            "severity" => severity.is_some(),
            name => entities
                .iter()
                .any(|(of, _)| *of == name),
        };
        let others = labels
            .iter()
            .filter(|(name, value)| !is_used(name, value));
        let (others, left_out) = fitting(others);
        let description = annotations
            .get("description")
            .map(String::as_str);
        let description = described(description, &left_out);
        let external_id = format!("{}@{}", &*series, self.starts_at);
        let entities = entities
            .into_iter()
            .map(|(_, entity)| entity)
            .collect();
        // Its clock may be fast.
        let occurred_at = self.starts_at.min(now);
        let content = AlertCreate {
            // Several Alertmanagers give the same alert the same fingerprint.
            source: "alertmanager".try_into().ok()?,
            external_id: ExternalId::try_from(external_id).ok()?,
            severity: severity.unwrap_or(Severity::Warning),
            title,
            description: description.and_then(|text| text.try_into().ok()),
            target_system,
            entities: Some(BoundedList(entities)),
            labels: Some(others),
            metric: None,
            amount_at_risk: None,
            lifecycle: None,
            occurred_at: Some(occurred_at),
            signal_type: class,
        };
        let status = match self.status {
            AlertmanagerStatus::Firing => AlertStatus::Open,
            AlertmanagerStatus::Resolved => AlertStatus::Resolved,
        };
        let mut report = AlertReport::new(content, status, occurred_at);
        report.firing = Some(Firing {
            series,
            starts_at: self.starts_at,
            ends_at: self
                .ends_at
                .and_then(|Apart(read)| read.ok()),
        });
        Some(report)
    }
}

/// Returns the records that labels name, each with its label. Labels that name no record, and those
/// of too many records, are left to be labels.
fn entities(labels: &BTreeMap<String, String>) -> Vec<(&str, AlertEntity)> {
    let named = labels.iter().filter_map(|(name, id)| {
        let r#type = Slug::of(name.strip_prefix(ENTITY)?)?;
        let id = EntityId::try_from(id.as_str()).ok()?;
        Some((name.as_str(), AlertEntity { r#type, id }))
    });
    named
        .take(AlertCreate::MOST_ENTITIES)
        .collect()
}

/// Returns the labels of an alert within its bounds, and the names of the others. Left out are
/// labels without a name, labels whose cut name is taken, and surplus ones. The labels of the
/// class, the severity, the system and the records are kept first.
fn fitting<'a>(labels: impl Iterator<Item = (&'a String, &'a String)>) -> (Labels, Vec<&'a str>) {
    let mut labels: Vec<_> = labels.collect();
    labels.sort_by_key(|(name, _)| {
        let is_known =
            ["alertname", "signal_type", "severity", "connection"].contains(&name.as_str());
        !is_known && !name.starts_with(ENTITY)
    });
    let mut fit = BTreeMap::new();
    let mut left_out = Vec::new();
    for (name, value) in labels {
        let short = cut(name, Labels::LONGEST_NAME);
        if name.is_empty() || fit.len() == Labels::MOST || fit.contains_key(&short) {
            left_out.push(name.as_str());
        } else {
            fit.insert(short, cut(value, Labels::LONGEST_VALUE));
        }
    }
    (Labels(fit), left_out)
}

/// Returns a description that names the left out labels.
fn described(description: Option<&str>, left_out: &[&str]) -> Option<String> {
    let shown = left_out.iter().take(MOST_NAMED);
    let shown = shown.map(|name| format!("`{}`", cut(name, Labels::LONGEST_NAME)));
    let shown: Vec<_> = shown.collect();
    let more = match left_out.len() - shown.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let note = match left_out.len() {
        0 => return description.map(|text| cut(text, AlertText::MOST)),
        1 => format!("A label is left out: {}.", shown.join(", ")),
        count => format!("{count} labels are left out: {}{more}.", shown.join(", ")),
    };
    let Some(text) = description else {
        return Some(note);
    };
    let most = AlertText::MOST - note.chars().count() - 2;
    Some(format!("{}\n\n{note}", cut(text, most)))
}

// Returns the severity for a common name; none for another name.
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
    texts.find_map(|text| {
        cut(&on_one_line(text), most)
            .try_into()
            .ok()
    })
}

/// Returns a text cut to `most` characters; the last one marks the cut.
fn cut(text: &str, most: usize) -> String {
    let text = &in_lines(text);
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars()
        .take(most - 1)
        .chain(['…'])
        .collect()
}

#[cfg(test)]
mod tests;
