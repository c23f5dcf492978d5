//! `POST /api/concierge/alerts`

use serde_json::{Value, json};
use shared::model::span;

use tests::support::{Api, budgets, shows};

const ALERTS: &str = "/api/concierge/alerts";

fn alert(more: &Value) -> Value {
    let mut alert = json!({
        "source": "billing-monitor", "externalId": "stuck-ub_1001", "signalType": "usage_batch_stuck",
        "severity": "error", "title": "Usage batch ub_1001 is stuck", "targetSystem": "billing",
    });
    let members = alert.as_object_mut().unwrap();
    members.extend(more.as_object().unwrap().clone());
    alert
}

fn whole() -> Value {
    alert(&json!({
        "description": "For 26 hours.",
        "entities": [{"type": "usage_batch", "id": "ub_1001"}],
        "labels": {"region": "eu", "a/b~c": ""},
        "metric": {"name": "age", "value": 26.5, "threshold": 24, "unit": "h"},
        "amountAtRisk": {"minorUnits": -4200, "currency": "USD"},
        "lifecycle": [{"at": "2026-01-14T09:30:00Z", "state": "processing"}],
        "occurredAt": "2026-01-15T11:30:00Z",
    }))
}

#[tokio::test]
async fn an_alert_is_recorded_with_all_that_was_said() {
    let (api, [sue]) = Api::signed_in(["sue"]).await;
    let answer = sue.post(ALERTS, whole()).await;
    assert_eq!(answer.header("etag"), Some("\"1\""));
    let recorded = budgets::within(&api, "POST /api/concierge/alerts", 200, &answer);
    assert_eq!(
        recorded,
        json!({
            "id": 1, "source": "billing-monitor", "externalId": "stuck-ub_1001",
            "signalType": "usage_batch_stuck", "severity": "error", "status": "open",
            "statusBy": "report", "title": "Usage batch ub_1001 is stuck", "description": "For 26 hours.",
            "targetSystem": "billing", "entities": [{"type": "usage_batch", "id": "ub_1001"}],
            "labels": {"region": "eu", "a/b~c": ""},
            "metric": {"name": "age", "value": 26.5, "threshold": 24.0, "unit": "h"},
            "amountAtRisk": {"minorUnits": -4200, "currency": "USD"},
            "lifecycle": [{"at": "2026-01-14T09:30:00.000Z", "state": "processing"}],
            "occurredAt": "2026-01-15T11:30:00.000Z", "lastOccurredAt": "2026-01-15T11:30:00.000Z",
            "count": 1, "resolvedAt": null, "agentSessionId": null,
            "createdBy": sue.id(), "recordedByMachine": false,
            "createdAt": "2026-01-15T12:00:00.000Z", "updatedAt": "2026-01-15T12:00:00.000Z",
            "version": 1,
        })
    );
    assert_eq!(sue.get(&format!("{ALERTS}/1")).await.expect(200), recorded);
    let listed = sue.get(ALERTS).await.expect(200);
    assert_eq!(listed, json!([recorded]));
}

#[tokio::test]
async fn the_same_again_is_counted_and_answers_the_first() {
    let (api, [sue]) = Api::signed_in(["sue"]).await;
    let first = sue.post(ALERTS, whole()).await.expect(200);
    api.clock.advance(span::HOUR);
    let other = json!({"title": "Something else", "severity": "info"});
    let again = sue.post(ALERTS, alert(&other)).await;
    assert_eq!(again.header("etag"), Some("\"2\""));
    let again = again.expect(200);
    shows!(again, {"count": 2, "lastOccurredAt": "2026-01-15T13:00:00.000Z"});
    for field in [
        "id",
        "title",
        "severity",
        "status",
        "occurredAt",
        "entities",
    ] {
        assert_eq!(again[field], first[field], "{field}");
    }
    // What is told late moves nothing back.
    let earlier = json!({"occurredAt": "2026-01-01T00:00:00Z"});
    let late = sue.post(ALERTS, alert(&earlier)).await.expect(200);
    shows!(late, {"count": 3, "lastOccurredAt": "2026-01-15T13:00:00.000Z"});
    // Another source or id is another alert, and so is another organization's.
    for other in [json!({"source": "other"}), json!({"externalId": "x"})] {
        let other = sue.post(ALERTS, alert(&other)).await.expect(200);
        assert_ne!(other["id"], first["id"]);
        assert_eq!(other["count"], 1);
    }
    let zoe = api.sign_in("zoe").await;
    let theirs = zoe.post(ALERTS, whole()).await.expect(200);
    assert_eq!(theirs["count"], 1);
    assert_eq!(sue.get(ALERTS).await.ids().len(), 3);
}

#[tokio::test]
async fn an_alert_is_taken_at_its_bounds_and_not_beyond_them() {
    let (api, [sue]) = Api::signed_in(["sue"]).await;
    let before = api.table_dump().await;
    let labels = |count: usize| -> Value {
        let label = |number| (format!("{number:0>100}"), json!("x".repeat(250)));
        Value::Object((0..count).map(label).collect())
    };
    let long = "x".repeat(251);
    for (wrong, faults) in [
        (json!({"labels": labels(51)}), &[("/labels", "length")][..]),
        (
            json!({"labels": {"": "x", "a/b": 1, "b": long}}),
            &[
                ("/labels", "length"),
                ("/labels/a~1b", "type"),
                ("/labels/b", "length"),
            ],
        ),
        (
            json!({"metric": {"name": "m", "value": 1e16, "threshold": 1, "unit": ""}}),
            &[("/metric/value", "range")],
        ),
        (
            json!({"occurredAt": "2026-01-15T13:00:00.001Z"}),
            &[("/occurredAt", "period")],
        ),
    ] {
        sue.post(ALERTS, alert(&wrong)).await.expect_faults(faults);
    }
    assert_eq!(before, api.table_dump().await);
    let entity = |id: usize| json!({"type": "invoice", "id": id.to_string()});
    let bounds = json!({
        "source": "ü".repeat(100), "externalId": "ü".repeat(255), "description": "x".repeat(5_000),
        "targetSystem": "ü".repeat(64), "entities": (0..20).map(entity).collect::<Vec<_>>(),
        "labels": labels(50),
        "metric": {"name": "m", "value": -1e15, "threshold": 1e-200, "unit": ""},
        "occurredAt": "2026-01-15T13:00:00Z",
    });
    let taken = sue.post(ALERTS, alert(&bounds)).await.expect(200);
    assert_eq!(taken["metric"]["threshold"], 0.0);
}

#[tokio::test]
async fn the_token_of_a_sender_needs_no_other_permission() {
    let api = Api::start().await;
    let max = api.user("max").await;
    let only = json!({"permissions": ["manage_signals"]});
    let sender = api.token_of(&max, only).await;
    let recorded = sender.post(ALERTS, whole()).await.expect(200);
    assert_eq!(recorded["recordedByMachine"], true);
    let read = sender.get(ALERTS).await;
    read.expect_problem(403, "permission_denied");
}

#[tokio::test]
async fn the_same_from_several_at_once_is_one_alert() {
    let (_, [sue]) = Api::signed_in(["sue"]).await;
    let sent = (0..4).map(|_| sue.post(ALERTS, whole()));
    for answer in futures::future::join_all(sent).await {
        answer.expect(200);
    }
    let alerts = sue.get(ALERTS).await.expect(200);
    assert_eq!(alerts.as_array().unwrap().len(), 1);
    assert_eq!(alerts[0]["count"], 4);
}

/// An invisible character would make one id look like another, or change how the inbox shows a title.
#[tokio::test]
async fn an_alert_has_nothing_invisible_in_its_ids_and_title() {
    let (_, [sue]) = Api::signed_in(["sue"]).await;
    for hidden in [
        '\u{200B}', '\u{2060}', '\u{202E}', '\u{2066}', '\r', '\n', '\u{7F}',
    ] {
        let text = format!("inv_{hidden}1");
        let wrong = json!({
            "title": text, "externalId": text, "entities": [{"type": "invoice", "id": text}],
        });
        let faults = [
            ("/externalId", "pattern"),
            ("/title", "pattern"),
            ("/entities/0/id", "pattern"),
        ];
        sue.post(ALERTS, alert(&wrong)).await.expect_faults(&faults);
    }
    // Scripts and emoji need joiners in a title; no id does.
    let joined = "An\u{200D}1";
    let wrong = json!({"title": joined, "entities": [{"type": "invoice", "id": joined}]});
    let answer = sue.post(ALERTS, alert(&wrong)).await;
    answer.expect_faults(&[("/entities/0/id", "pattern")]);
}
