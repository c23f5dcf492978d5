//! Alerts of Alertmanager as they are recorded.

use model::base::input::from_value;
use serde_json::json;

use super::*;

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
    let named: Vec<_> = named
        .map(|entity| (&*entity.r#type, &*entity.id))
        .collect();
    assert_eq!(named, [("customer", "cus_1"), ("usage_batch", "ub_1001")]);
    let labels: Vec<_> = alert
        .labels
        .as_ref()
        .unwrap()
        .0
        .keys()
        .collect();
    assert_eq!(labels, ["job", "region"]);
}

#[test]
fn what_is_not_said_has_a_default() {
    for (told, class, title, system) in [
        (
            json!({"alertname": "Watchdog", "severity": "purple", "job": "api"}),
            "watchdog",
            "Watchdog",
            "api",
        ),
        (
            json!({"alertname": "A", "signal_type": "payment_failed"}),
            "payment_failed",
            "A",
            "unknown",
        ),
        // A label without a value is ignored.
        (
            json!({"alertname": "A", "connection": "", "job": "api"}),
            "a",
            "A",
            "api",
        ),
    ] {
        let alert = one(&told, &json!(null)).content;
        let texts = [&*alert.signal_type, &*alert.title, &*alert.target_system];
        assert_eq!(texts, [class, title, system]);
        assert_eq!(alert.severity, Severity::Warning);
        assert_eq!(
            alert
                .labels
                .unwrap()
                .0
                .contains_key("severity"),
            class == "watchdog"
        );
    }
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
    let lengths = lengths.map(|text| text.chars().count());
    assert_eq!(lengths, [255, 5_000, Labels::LONGEST_VALUE]);
    assert!(alert.title.ends_with('…'));
    assert!(alert.external_id.contains("13:00"), "{}", alert.external_id);
}

#[test]
fn what_is_no_alert_is_named_and_the_others_kept() {
    let good = json!({"alertname": "A"});
    let (new, rejected) = read(&json!([
        alert(&good, &json!({})),
        "what",
        {"status": "odd", "labels": ["alertname"]},
        {"status": "firing", "labels": good},
        alert(&good, &json!({})),
    ]));
    let places: Vec<_> = new.iter().map(|(at, _)| *at).collect();
    assert_eq!(places, [0, 4]);
    let faults = rejected
        .iter()
        .flat_map(|(_, faults)| faults);
    let faults: Vec<_> = faults
        .map(|fault| fault.pointer.as_str())
        .collect();
    let expected =
        "/alerts/1 /alerts/2/status /alerts/2/labels /alerts/2/startsAt /alerts/3/startsAt";
    assert_eq!(faults.join(" "), expected);
}

/// Each of these is the alert of a good rule.
#[test]
fn no_name_and_no_label_refuses_an_alert() {
    let long = "y".repeat(129);
    for (labels, class, title, kept) in [
        // The payload of prometheus/alertmanager#2142.
        (
            json!({"alertname": "节点状态"}),
            "name_dae26ae5",
            "节点状态",
            json!({"alertname": "节点状态"}),
        ),
        (json!({"severity": "page"}), "unknown", "unknown", json!({})),
        (json!({}), "unknown", "unknown", json!({})),
        (
            json!({"signal_type": "付款失败", "alertname": "PaymentFailed"}),
            "payment_failed",
            "PaymentFailed",
            json!({"signal_type": "付款失败"}),
        ),
        (
            json!({"signal_type": "payment_failed", "alertname": "Payment of a customer"}),
            "payment_failed",
            "Payment of a customer",
            json!({"alertname": "Payment of a customer"}),
        ),
        (
            json!({"alertname": "A", "entity_": "x", "entity_pod": long, "entity_счёт": "7"}),
            "a",
            "A",
            json!({"entity_": "x", "entity_pod": long, "entity_счёт": "7"}),
        ),
        (
            json!({"alertname": "A", "entity_pod": "two\nlines", "ключ": "v", "b/c": 7, "d": null}),
            "a",
            "A",
            json!({"entity_pod": "two\nlines", "ключ": "v", "b/c": "7"}),
        ),
    ] {
        let alert = one(&labels, &json!({})).content;
        assert_eq!(&*alert.signal_type, class, "{labels}");
        assert_eq!(&*alert.title, title, "{labels}");
        assert_eq!(json!(alert.labels), kept, "{labels}");
        assert!(alert.entities().is_empty(), "{labels}");
        assert_eq!(alert.description, None, "{labels}");
    }
}

#[test]
fn labels_that_are_too_many_are_left_out_with_a_note() {
    let mut crowded: serde_json::Map<String, Value> = (0..52)
        .map(|number| (format!("l{number:02}"), json!("x")))
        .collect();
    crowded.insert("zone".to_owned(), json!("z"));
    for (name, value) in [("alertname", "节点状态"), ("", "x"), ("entity_счёт", "7")] {
        crowded.insert(name.to_owned(), json!(value));
    }
    let alert = one(&json!(crowded), &json!({"description": "d".repeat(6_000)})).content;
    let labels = &alert.labels.as_ref().unwrap().0;
    assert_eq!(labels.len(), 50);
    assert!(labels.contains_key("alertname") && labels.contains_key("entity_счёт"));
    let description = alert.description.unwrap();
    assert_eq!(description.chars().count(), 5_000);
    let note = "…\n\n6 labels are left out: ``, `l48`, `l49`, `l50`, `l51`, `zone`.";
    assert!(description.ends_with(note), "{}", &description[4_800..]);
    let nameless = one(&json!({"alertname": "A", "": "x"}), &json!({})).content;
    let note = "A label is left out: ``.";
    assert_eq!(nameless.description.as_deref(), Some(note));
    // Records beyond the bound stay labels.
    let records: serde_json::Map<String, Value> = (0..22)
        .map(|number| (format!("entity_e{number:02}"), json!("x")))
        .collect();
    let alert = one(&json!(records), &json!({})).content;
    assert_eq!(alert.entities().len(), 20);
    let labels: Vec<_> = alert
        .labels
        .as_ref()
        .unwrap()
        .0
        .keys()
        .collect();
    assert_eq!(labels, ["entity_e20", "entity_e21"]);
}

#[test]
fn a_fingerprint_that_is_missing_or_odd_is_made_of_the_labels() {
    let firing = |fingerprint: Value, labels: Value| {
        let mut alert = alert(&labels, &json!({}));
        alert["fingerprint"] = fingerprint;
        let (mut new, rejected) = read(&json!([alert]));
        assert!(rejected.is_empty(), "{rejected:?}");
        new.remove(0)
            .1
            .firing
            .unwrap()
            .series
            .to_string()
    };
    let made = firing(json!(null), json!({"alertname": "A"}));
    assert_eq!(made.len(), 16);
    let long = "x".repeat(65);
    for odd in [json!(7), json!(long), json!("a\u{200d}b"), json!(" ")] {
        assert_eq!(firing(odd, json!({"alertname": "A"})), made);
    }
    assert_ne!(firing(json!(null), json!({"alertname": "B"})), made);
    assert_eq!(firing(json!("c0ffee"), json!({})), "c0ffee");
}

#[test]
fn an_end_that_does_not_read_is_no_end() {
    for (ends_at, ended) in [
        (
            json!("2026-01-15T11:59:30+02:00"),
            Some("2026-01-15T09:59:30.000Z"),
        ),
        (
            json!("0001-01-01T00:00:00Z"),
            Some("0001-01-01T00:00:00.000Z"),
        ),
        (json!("soon"), None),
        (json!(null), None),
    ] {
        let mut alert = alert(&json!({}), &json!({}));
        alert["endsAt"] = ends_at;
        let (mut new, _) = read(&json!([alert]));
        let firing = new.remove(0).1.firing.unwrap();
        assert_eq!(
            firing
                .ends_at
                .map(|at| at.to_string())
                .as_deref(),
            ended
        );
    }
}
