//! `POST /api/concierge/alerts/alertmanager`

use serde_json::{Value, json};
use shared::model::span;

use tests::support::{Api, Caller, Item, budgets, shows, text_of};

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
    shows!(first, {"entities": [{"type": "usage_batch", "id": "ub_1"}]});
    shows!(first, {"labels": {"region": "eu"}, "occurredAt": "2026-01-15T11:58:03.520Z"});
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
    // Alertmanager's last word is that it fires.
    let again = webhook(&[alert(1, "firing")]);
    let answer = sender.post(WEBHOOK, again).await.expect(200);
    shows!(answer["recorded"][0], {"status": "open", "id": 1});
    // Of another start it is another case.
    let anew = starting(1, "firing", "2026-01-15T12:04:00Z");
    let answer = sender.post(WEBHOOK, webhook(&[anew])).await.expect(200);
    assert_ne!(answer["recorded"][0]["id"], 1);
    assert_eq!(answer["recorded"][0]["count"], 1);
}

fn starting(number: usize, status: &str, starts_at: &str) -> Value {
    let mut alert = alert(number, status);
    alert["startsAt"] = json!(starts_at);
    alert
}

/// The status of each of the organization's alerts, by start.
async fn statuses(api: &Api) -> Vec<String> {
    let sue = api.sign_in("sue").await;
    let mut rows = sue.walk(ALERTS).await;
    rows.sort_by_key(|row| row["occurredAt"].to_string());
    let rows = rows.iter();
    rows.map(|row| row["status"].as_str().unwrap().to_owned())
        .collect()
}

/// An upgrade restarts Prometheus and Alertmanager. An alert that still fires comes with another start, and
/// no report ends the first one.
#[tokio::test]
async fn a_fingerprint_fires_once_at_a_time() {
    let (first, second) = ("2026-01-15T11:00:00Z", "2026-01-15T11:30:00Z");
    let fires = |start| starting(1, "firing", start);
    let ends = |start| starting(1, "resolved", start);
    let ends_at = |start, end: &str| {
        let mut alert = ends(start);
        alert["endsAt"] = json!(end);
        alert
    };
    let (apart, over) = (["resolved", "open"], ["resolved", "resolved"]);
    #[rustfmt::skip] // A line each.
    let cases = [
        ("out of order", vec![vec![fires(second)], vec![fires(first)]], apart),
        ("of one post", vec![vec![fires(first), fires(second)]], apart),
        ("the newer one ends unheard of", vec![vec![fires(first)], vec![ends(second)]], over),
        // Alertmanager merges the alerts of two Prometheuses, and takes the earlier start.
        (
            "the start moves back",
            vec![
                vec![fires(second)],
                vec![fires(first)],
                vec![ends_at(first, "2026-01-15T11:45:00Z")],
            ],
            over,
        ),
    ];
    for (name, posts, expected) in cases {
        let api = Api::start().await;
        let sender = alertmanager(&api).await;
        for post in posts {
            // Others do not touch it.
            let mut post = post;
            post.push(starting(2, "firing", "2026-01-15T11:50:00Z"));
            sender.post(WEBHOOK, webhook(&post)).await.expect(200);
        }
        let mut found = statuses(&api).await;
        assert_eq!(found.pop().as_deref(), Some("open"), "{name}");
        assert_eq!(found, expected, "{name}");
    }
}

#[tokio::test]
async fn two_starts_at_once_leave_the_newer_one_open() {
    let api = Api::start().await;
    let sender = alertmanager(&api).await;
    let posts = (0..6).map(|minute| {
        let start = format!("2026-01-15T11:0{minute}:00Z");
        sender.post(WEBHOOK, webhook(&[starting(1, "firing", &start)]))
    });
    for answer in futures::future::join_all(posts).await {
        answer.expect(200);
    }
    let mut expected = vec!["resolved"; 5];
    expected.push("open");
    assert_eq!(statuses(&api).await, expected);
}

#[tokio::test]
async fn what_is_no_alert_is_named_and_the_others_recorded() {
    let api = Api::start().await;
    let sender = alertmanager(&api).await;
    let mut chinese = alert(2, "firing");
    chinese["labels"] = json!({"alertname": "节点状态"});
    let body = webhook(&[alert(1, "firing"), chinese, json!(7), alert(1, "firing")]);
    let answer = sender.post(WEBHOOK, body).await.expect(200);
    // Twice in a body is once, counted twice.
    let recorded = answer["recorded"].as_array().unwrap();
    let recorded: Vec<_> = recorded
        .iter()
        .map(|one| json!([one["index"], one["id"], one["count"]]))
        .collect();
    assert_eq!(json!(recorded), json!([[0, 1, 2], [1, 2, 1], [3, 1, 2]]));
    assert_eq!(answer["rejected"].as_array().unwrap().len(), 1);
    shows!(answer["rejected"][0], {"index": 2, "/errors/0/pointer": "/alerts/2"});
    let sue = api.sign_in("sue").await;
    let shown = sue.get(&format!("{ALERTS}/2")).await.expect(200);
    shows!(shown, {"title": "Usage batch ub_2 is stuck", "labels": {"alertname": "节点状态"}});
    let answer = sender
        .post(WEBHOOK, webhook(&[json!({})]))
        .await
        .expect(200);
    assert_eq!(answer["recorded"], json!([]));
    assert_eq!(answer["rejected"][0]["errors"].as_array().unwrap().len(), 2);
    let none = sender.post(WEBHOOK, webhook(&[])).await.expect(200);
    assert_eq!(none, json!({"recorded": [], "rejected": []}));
}

/// The example of Grafana's documentation of its webhook contact point, of version "1" of its format, with
/// an alert that is resolved.
#[tokio::test]
async fn grafana_sends_the_same_format() {
    let api = Api::start().await;
    let sender = alertmanager(&api).await;
    let alert = |status: &str, ends_at: &str, value: f64| {
        json!({
            "status": status,
            "labels": {"alertname": "High memory usage", "team": "blue", "zone": "us-1"},
            "annotations": {
                "description": "The system has high memory usage",
                "runbook_url": "https://myrunbook.com/runbook/1234",
                "summary": "This alert was triggered for zone us-1",
            },
            "startsAt": "2021-10-12T09:51:03.157076+02:00", "endsAt": ends_at,
            "generatorURL": "https://play.grafana.org/alerting/1afz29v7z/edit",
            "fingerprint": "c6eadffa33fcdf37",
            "silenceURL": "https://play.grafana.org/alerting/silence/new",
            "dashboardURL": "", "panelURL": "", "values": {"B": value, "C": 1},
            "valueString": "[ var='B' labels={} value=14151.331895396988 ]", "imageURL": null,
        })
    };
    let body = |alert: Value| {
        json!({
            "receiver": "My Super Webhook", "status": "firing", "orgId": 1, "alerts": [alert],
            "groupLabels": {}, "commonLabels": {"team": "blue"}, "commonAnnotations": {},
            "externalURL": "https://play.grafana.org/", "version": "1", "groupKey": "{}:{}",
            "truncatedAlerts": 0, "title": "[FIRING:1]  (blue)", "state": "alerting",
            "message": "**Firing**\n\nLabels:\n - alertname = T2\n",
        })
    };
    let firing = body(alert("firing", "0001-01-01T00:00:00Z", 44.23));
    let answer = sender.post(WEBHOOK, firing).await.expect(200);
    assert_eq!(answer["recorded"][0]["status"], "open");
    let sue = api.sign_in("sue").await;
    let shown = sue.get(&format!("{ALERTS}/1")).await.expect(200);
    assert_eq!(shown["signalType"], "high_memory_usage");
    assert_eq!(shown["title"], "This alert was triggered for zone us-1");
    assert_eq!(shown["labels"], json!({"team": "blue", "zone": "us-1"}));
    let over = body(alert("resolved", "2021-10-12T10:01:03+02:00", 3.0));
    let answer = sender.post(WEBHOOK, over).await.expect(200);
    assert_eq!(answer["recorded"][0]["status"], "resolved");
}

/// Prometheus posts a list to `/api/v2/alerts` of an Alertmanager, without states. Its log and its metric
/// `prometheus_notifications_errors_total` tell of the refusal.
#[tokio::test]
async fn prometheus_is_told_to_send_to_an_alertmanager() {
    let api = Api::start().await;
    let sender = alertmanager(&api).await;
    let body = json!([{
        "labels": {"alertname": "InstanceDown", "instance": "localhost:9090"},
        "annotations": {"summary": "Instance is down"}, "startsAt": "2026-01-15T11:58:03.52Z",
        "endsAt": "2026-01-15T12:02:03.52Z", "generatorURL": "http://prometheus/graph",
    }]);
    let answer = sender.post(WEBHOOK, body).await;
    answer.expect_faults(&[("", "type")]);
}

/// A rolled-back version may have written an alert that this one cannot read.
#[tokio::test]
async fn an_unreadable_alert_takes_no_other_along() {
    let api = Api::start().await;
    let sender = alertmanager(&api).await;
    let both = webhook(&[alert(1, "firing"), alert(2, "firing")]);
    sender.post(WEBHOOK, both.clone()).await.expect(200);
    let is_first = |item: &Item| text_of(item, "externalId").starts_with("0000000000000001");
    assert_eq!(api.damages("alert", is_first).await, 1);
    for count in [1, 2] {
        let answer = sender.post(WEBHOOK, both.clone()).await.expect(200);
        let recorded = &answer["recorded"];
        // It is recorded anew.
        shows!(recorded[0], {"id": 3, "count": count});
        shows!(recorded[1], {"id": 2, "count": count + 1});
    }
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
    let (api, [sue]) = Api::signed_in(["sue"]).await;
    let answer = sue.post(WEBHOOK, webhook(&[alert(1, "firing")])).await;
    let operation = "POST /api/concierge/alerts/alertmanager";
    budgets::within(&api, operation, 200, &answer);
}
