//! `POST /api/concierge/alerts`

use serde_json::{Value, json};
use shared::model::base::span;
use tests::support::{Api, merges, shows, snapshot};

const ALERTS: &str = "/api/concierge/alerts";

fn alert(more: &Value) -> Value {
    let mut alert = json!({
        "source": "billing-monitor", "externalId": "stuck-ub_1001", "signalType": "usage_batch_stuck",
        "severity": "error", "title": "Usage batch ub_1001 is stuck", "targetSystem": "billing",
    });
    merges(&mut alert, more);
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
    let (_, [sue]) = Api::signed_in(["sue"]).await;
    let answer = sue.post(ALERTS, whole()).await;
    assert_eq!(answer.header("etag"), Some("\"1\""));
    let recorded = answer.expect(200);
    snapshot!(recorded, @r#"
    {
      "agentSessionId": null,
      "amountAtRisk": {"currency": "USD", "minorUnits": -4200},
      "count": 1,
      "createdAt": "2026-01-15T12:00:00.000Z",
      "createdBy": 1,
      "description": "For 26 hours.",
      "entities": [{"id": "ub_1001", "type": "usage_batch"}],
      "externalId": "stuck-ub_1001",
      "id": 1,
      "labels": {"a/b~c": "", "region": "eu"},
      "lastOccurredAt": "2026-01-15T11:30:00.000Z",
      "lifecycle": [{"at": "2026-01-14T09:30:00.000Z", "state": "processing"}],
      "metric": {"name": "age", "threshold": 24.0, "unit": "h", "value": 26.5},
      "occurredAt": "2026-01-15T11:30:00.000Z",
      "recordedByMachine": false,
      "resolvedAt": null,
      "severity": "error",
      "signalType": "usage_batch_stuck",
      "source": "billing-monitor",
      "status": "open",
      "statusBy": "report",
      "targetSystem": "billing",
      "title": "Usage batch ub_1001 is stuck",
      "updatedAt": "2026-01-15T12:00:00.000Z",
      "version": 1
    }
    "#);
    assert_eq!(sue.reads(&format!("{ALERTS}/1")).await, recorded);
    assert_eq!(sue.reads(ALERTS).await, json!([recorded]));
}

#[tokio::test]
async fn the_same_again_is_counted_and_answers_the_first() {
    let (api, [sue]) = Api::signed_in(["sue"]).await;
    let first = sue.posts(ALERTS, whole()).await;
    api.clock.advance(span::HOUR);
    let other = json!({"title": "Something else", "severity": "info"});
    let again = sue.post(ALERTS, alert(&other)).await;
    assert_eq!(again.header("etag"), Some("\"2\""));
    let again = again.expect(200);
    shows!(again, {"count": 2, "lastOccurredAt": "2026-01-15T13:00:00.000Z"});
    let mut but_for_counts = again.clone();
    for field in ["count", "lastOccurredAt", "version", "updatedAt"] {
        but_for_counts[field] = first[field].clone();
    }
    assert_eq!(but_for_counts, first);
    // What is told late moves nothing back.
    let earlier = json!({"occurredAt": "2026-01-01T00:00:00Z"});
    let late = sue.posts(ALERTS, alert(&earlier)).await;
    shows!(late, {"count": 3, "lastOccurredAt": "2026-01-15T13:00:00.000Z"});
    // Another source or id is another alert, and so is another organization's.
    for other in [json!({"source": "other"}), json!({"externalId": "x"})] {
        let other = sue.posts(ALERTS, alert(&other)).await;
        assert_ne!(other["id"], first["id"]);
        assert_eq!(other["count"], 1);
    }
    let zoe = api.sign_in("zoe").await;
    assert_eq!(zoe.posts(ALERTS, whole()).await["count"], 1);
    assert_eq!(sue.get(ALERTS).await.ids().len(), 3);
}

#[tokio::test]
async fn an_alert_is_taken_at_its_bounds_and_not_beyond_them() {
    let (_, [sue]) = Api::signed_in(["sue"]).await;
    let labels = |count: usize| -> Value {
        let label = |number| (format!("{number:0>100}"), json!("x".repeat(250)));
        Value::Object((0..count).map(label).collect())
    };
    let odd = json!({"": "x", "a/b": 1, "b": "x".repeat(251)});
    let of_odd = [
        ("/labels", "length"),
        ("/labels/a~1b", "type"),
        ("/labels/b", "length"),
    ];
    for (wrong, faults) in [
        (json!({"labels": labels(51)}), &of_odd[..1]),
        (json!({"labels": odd}), &of_odd),
        (
            json!({"occurredAt": "2026-01-15T13:00:00.001Z"}),
            &[("/occurredAt", "period")],
        ),
    ] {
        sue.post(ALERTS, alert(&wrong))
            .await
            .expect_faults(faults);
    }
    let entity = |id: usize| json!({"type": "invoice", "id": id.to_string()});
    let bounds = json!({
        "source": "ü".repeat(100), "externalId": "ü".repeat(255), "description": "x".repeat(5_000),
        "targetSystem": "ü".repeat(64), "entities": (0..20).map(entity).collect::<Vec<_>>(),
        "labels": labels(50),
        "metric": {"name": "m", "value": -1e15, "threshold": 1e-200, "unit": ""},
        "occurredAt": "2026-01-15T13:00:00Z",
    });
    let taken = sue.posts(ALERTS, alert(&bounds)).await;
    assert_eq!(taken["metric"]["threshold"], 0.0);
}

#[tokio::test]
async fn the_token_of_a_sender_needs_no_other_permission() {
    let (api, [max]) = Api::with_users(["max"]).await;
    let only = json!({"permissions": ["manage_signals"]});
    let sender = api.token_of(&max, only).await;
    let recorded = sender.posts(ALERTS, whole()).await;
    assert_eq!(recorded["recordedByMachine"], true);
    sender.get(ALERTS).await.expect_denied();
}

#[tokio::test]
async fn the_same_from_several_at_once_is_one_alert() {
    let (_, [sue]) = Api::signed_in(["sue"]).await;
    let sent = (0..4).map(|_| sue.posts(ALERTS, whole()));
    futures::future::join_all(sent).await;
    let alerts = sue.reads(ALERTS).await;
    assert_eq!(alerts.as_array().unwrap().len(), 1);
    assert_eq!(alerts[0]["count"], 4);
}

/// An invisible character would make one id look like another, or change how the inbox shows a
/// title.
#[tokio::test]
async fn an_alert_has_nothing_invisible_in_its_ids_and_title() {
    let (_, [sue]) = Api::signed_in(["sue"]).await;
    let ids = [("/externalId", "pattern"), ("/entities/0/id", "pattern")];
    let with_title = [("/title", "pattern"), ids[0], ids[1]];
    // Scripts and emoji need joiners in a title; no id does.
    for (hidden, faults) in [('\u{202E}', &with_title[..]), ('\u{200D}', &ids)] {
        let text = format!("inv{hidden}1");
        let wrong = json!({
            "title": text, "externalId": text, "entities": [{"type": "invoice", "id": text}],
        });
        sue.post(ALERTS, alert(&wrong))
            .await
            .expect_faults(faults);
    }
}
