//! `POST /api/concierge/alerts/alertmanager`

use serde_json::{Value, json};
use shared::model::span;

use tests::support::{Api, Caller, budgets};

const WEBHOOK: &str = "/api/concierge/alerts/alertmanager";
const ALERTS: &str = "/api/concierge/alerts";

/// A body as Alertmanager 0.27 posts it.
fn webhook(alerts: &[Value]) -> Value {
    json!({
        "version": "4", "groupKey": "{}:{alertname=\"UsageBatchStuck\"}", "truncatedAlerts": 0,
        "status": "firing", "receiver": "workdesk", "groupLabels": {}, "commonLabels": {},
        "commonAnnotations": {}, "externalURL": "http://alertmanager", "alerts": alerts,
    })
}

fn alert(number: usize, status: &str) -> Value {
    json!({
        "status": status,
        "labels": {
            "alertname": "UsageBatchStuck", "severity": "critical", "connection": "billing",
            "entity_usage_batch": format!("ub_{number}"), "region": "eu",
        },
        "annotations": {"summary": format!("Usage batch ub_{number} is stuck")},
        "startsAt": "2026-01-15T11:58:03.52Z", "endsAt": "0001-01-01T00:00:00Z",
        "generatorURL": "http://prometheus/graph?g0.expr=x", "fingerprint": format!("{number:016x}"),
    })
}

/// Alertmanager, which has nothing but a token.
async fn alertmanager(api: &Api) -> Caller {
    let max = api.user("max").await;
    api.token_of(&max, json!({"permissions": ["manage_signals"]}))
        .await
}

#[tokio::test]
async fn firing_alerts_are_recorded_and_ended_ones_resolved() {
    let api = Api::start().await;
    let sender = alertmanager(&api).await;
    let sue = api.sign_in("sue").await;
    let firing = webhook(&[alert(1, "firing"), alert(2, "firing")]);
    let answer = sender.post(WEBHOOK, firing.clone()).await.expect(200);
    assert_eq!(
        answer,
        json!({
            "recorded": [
                {
                    "index": 0, "id": 1, "status": "open", "count": 1,
                    "externalId": "0000000000000001@2026-01-15T11:58:03.520Z",
                },
                {
                    "index": 1, "id": 2, "status": "open", "count": 1,
                    "externalId": "0000000000000002@2026-01-15T11:58:03.520Z",
                },
            ],
            "rejected": [],
        })
    );
    let first = sue.get(&format!("{ALERTS}/1")).await.expect(200);
    assert_eq!(first["signalType"], "usage_batch_stuck");
    assert_eq!(
        first["entities"],
        json!([{"type": "usage_batch", "id": "ub_1"}])
    );
    assert_eq!(first["labels"], json!({"region": "eu"}));
    assert_eq!(first["occurredAt"], "2026-01-15T11:58:03.520Z");
    // Every group interval it tells all of them again.
    api.clock.advance(5 * span::MINUTE);
    sender.post(WEBHOOK, firing).await.expect(200);
    let again = sue.get(&format!("{ALERTS}/1")).await.expect(200);
    assert_eq!(again["count"], 2);
    let mut but_for_counts = again.clone();
    for field in ["count", "version", "updatedAt"] {
        but_for_counts[field] = first[field].clone();
    }
    assert_eq!(but_for_counts, first);
    let over = webhook(&[
        alert(1, "resolved"),
        alert(2, "firing"),
        alert(3, "resolved"),
    ]);
    let answer = sender.post(WEBHOOK, over).await.expect(200);
    let statuses = answer["recorded"].as_array().unwrap().iter();
    let statuses: Vec<_> = statuses
        .map(|one| one["status"].as_str().unwrap())
        .collect();
    assert_eq!(statuses, ["resolved", "open", "resolved"]);
    let resolved = sue.get(&format!("{ALERTS}/1")).await.expect(200);
    assert_eq!(resolved["resolvedAt"], "2026-01-15T12:05:00.000Z");
    // Out of order, the firing one is told again: it began before it was over.
    let late = webhook(&[alert(1, "firing")]);
    let answer = sender.post(WEBHOOK, late).await.expect(200);
    assert_eq!(answer["recorded"][0]["status"], "resolved");
    // When it fires anew it is another case.
    let mut anew = alert(1, "firing");
    anew["startsAt"] = json!("2026-01-15T12:04:00Z");
    let answer = sender.post(WEBHOOK, webhook(&[anew])).await.expect(200);
    assert_ne!(answer["recorded"][0]["id"], 1);
    assert_eq!(answer["recorded"][0]["count"], 1);
}

#[tokio::test]
async fn the_bad_ones_of_a_body_are_named_and_the_good_ones_recorded() {
    let api = Api::start().await;
    let sender = alertmanager(&api).await;
    let mut nameless = alert(2, "firing");
    nameless["labels"] = json!({"severity": "critical"});
    let body = webhook(&[alert(1, "firing"), nameless, json!(7), alert(1, "firing")]);
    let answer = sender.post(WEBHOOK, body).await.expect(200);
    // Twice in a body is once, counted twice.
    let recorded = answer["recorded"].as_array().unwrap();
    let recorded: Vec<_> = recorded
        .iter()
        .map(|one| (&one["index"], &one["id"], &one["count"]))
        .collect();
    let (one, two) = (json!(1), json!(2));
    assert_eq!(recorded, [(&json!(0), &one, &two), (&json!(3), &one, &two)]);
    let rejected = answer["rejected"].as_array().unwrap();
    let rejected: Vec<_> = rejected
        .iter()
        .map(|one| {
            (
                one["index"].as_i64().unwrap(),
                one["errors"][0]["pointer"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        rejected,
        [(1, "/alerts/1/labels/alertname"), (2, "/alerts/2")]
    );
    let answer = sender
        .post(WEBHOOK, webhook(&[json!({})]))
        .await
        .expect(200);
    assert_eq!(answer["recorded"], json!([]));
    assert_eq!(answer["rejected"][0]["errors"].as_array().unwrap().len(), 4);
    let none = sender.post(WEBHOOK, webhook(&[])).await.expect(200);
    assert_eq!(none, json!({"recorded": [], "rejected": []}));
}

/// Transactions have a hundred writes, batches a hundred keys: a large body takes several.
#[tokio::test]
async fn a_large_body_is_recorded_whole() {
    let api = Api::start().await;
    let sender = alertmanager(&api).await;
    let all: Vec<_> = (0..250).map(|number| alert(number, "firing")).collect();
    for count in [1, 2] {
        api.counter.take();
        let answer = sender.post(WEBHOOK, webhook(&all)).await.expect(200);
        let recorded = answer["recorded"].as_array().unwrap();
        assert_eq!(recorded.len(), 250);
        assert!(recorded.iter().all(|one| one["count"] == count));
    }
    let sue = api.sign_in("sue").await;
    assert_eq!(sue.walk(ALERTS).await.len(), 250);
}

#[tokio::test]
async fn a_body_of_one_alert_takes_as_much_as_an_alert() {
    let api = Api::start().await;
    let sue = api.sign_in("sue").await;
    let answer = sue.post(WEBHOOK, webhook(&[alert(1, "firing")])).await;
    let operation = "POST /api/concierge/alerts/alertmanager";
    budgets::within(&api, operation, 200, &answer);
}
