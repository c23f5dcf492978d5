//! `POST /api/concierge/alerts/alertmanager`

use serde_json::{Value, json};
use shared::model::base::span;
use tests::support::{Api, Caller, Item, column, refused, shows, snapshot, text_of};

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
    let answer = sender
        .posts(WEBHOOK, firing.clone())
        .await;
    snapshot!(answer, @r#"
    {
      "recorded": [
        {
          "count": 1,
          "externalId": "0000000000000001@2026-01-15T11:58:03.520Z",
          "id": 1,
          "index": 0,
          "status": "open"
        },
        {
          "count": 1,
          "externalId": "0000000000000002@2026-01-15T11:58:03.520Z",
          "id": 2,
          "index": 1,
          "status": "open"
        }
      ],
      "rejected": []
    }
    "#);
    let first = sue.reads(&format!("{ALERTS}/1")).await;
    snapshot!(first, @r#"
    {
      "agentSessionId": null,
      "amountAtRisk": null,
      "count": 1,
      "createdAt": "2026-01-15T12:00:00.000Z",
      "createdBy": 1,
      "description": null,
      "entities": [{"id": "ub_1", "type": "usage_batch"}],
      "externalId": "0000000000000001@2026-01-15T11:58:03.520Z",
      "id": 1,
      "labels": {"region": "eu"},
      "lastOccurredAt": "2026-01-15T11:58:03.520Z",
      "lifecycle": [],
      "metric": null,
      "occurredAt": "2026-01-15T11:58:03.520Z",
      "recordedByMachine": true,
      "resolvedAt": null,
      "severity": "critical",
      "signalType": "usage_batch_stuck",
      "source": "alertmanager",
      "status": "open",
      "statusBy": "report",
      "targetSystem": "billing",
      "title": "Usage batch ub_1 is stuck",
      "updatedAt": "2026-01-15T12:00:00.000Z",
      "version": 1
    }
    "#);
    // Every group interval it tells all of them again.
    api.clock.advance(5 * span::MINUTE);
    sender.posts(WEBHOOK, firing).await;
    let again = sue.reads(&format!("{ALERTS}/1")).await;
    assert_eq!(again["count"], 2);
    let mut but_for_counts = again.clone();
    for field in ["count", "version", "updatedAt"] {
        but_for_counts[field] = first[field].clone();
    }
    assert_eq!(but_for_counts, first);
    let statuses = [(1, "resolved"), (2, "firing"), (3, "resolved")];
    let over = webhook(&statuses.map(|(number, status)| alert(number, status)));
    let answer = sender.posts(WEBHOOK, over).await;
    let recorded = answer["recorded"].as_array().unwrap();
    assert_eq!(column(recorded, "status"), ["resolved", "open", "resolved"]);
    let resolved = sue.reads(&format!("{ALERTS}/1")).await;
    assert_eq!(resolved["resolvedAt"], "2026-01-15T12:05:00.000Z");
    // Alertmanager's last word is that it fires.
    let again = webhook(&[alert(1, "firing")]);
    shows!(sender.posts(WEBHOOK, again).await["recorded"][0], {"status": "open", "id": 1});
    // Of another start it is another case.
    let anew = starting(1, "firing", "2026-01-15T12:04:00Z");
    let answer = sender
        .posts(WEBHOOK, webhook(&[anew]))
        .await;
    assert_ne!(answer["recorded"][0]["id"], 1);
    assert_eq!(answer["recorded"][0]["count"], 1);
}

fn starting(number: usize, status: &str, starts_at: &str) -> Value {
    let mut alert = alert(number, status);
    alert["startsAt"] = json!(starts_at);
    alert
}

/// The status of each of the organization's alerts, by start.
async fn statuses(api: &Api) -> Vec<Value> {
    let mut rows = api
        .sign_in("sue")
        .await
        .walk(ALERTS)
        .await;
    rows.sort_by_key(|row| row["occurredAt"].to_string());
    column(&rows, "status")
        .into_iter()
        .cloned()
        .collect()
}

/// An upgrade restarts Prometheus and Alertmanager. An alert that still fires comes with another
/// start, and no report ends the first one. The crate `agent` has the other orders.
#[tokio::test]
async fn a_fingerprint_fires_once_at_a_time() {
    let api = Api::start().await;
    let sender = alertmanager(&api).await;
    let first = "2026-01-15T11:00:00Z";
    let second = "2026-01-15T11:30:00Z";
    // Others do not touch it.
    let other = starting(2, "firing", "2026-01-15T11:50:00Z");
    // Alertmanager merges the alerts of two Prometheuses, and takes the earlier start.
    let mut ended = starting(1, "resolved", first);
    ended["endsAt"] = json!("2026-01-15T11:45:00Z");
    for (alert, expected) in [
        (starting(1, "firing", second), &["open", "open"][..]),
        (starting(1, "firing", first), &["resolved", "open", "open"]),
        (ended, &["resolved", "resolved", "open"]),
    ] {
        let post = webhook(&[alert, other.clone()]);
        sender.posts(WEBHOOK, post).await;
        assert_eq!(statuses(&api).await, expected);
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
    let answer = sender.posts(WEBHOOK, body).await;
    // Twice in a body is once, counted twice.
    let recorded = answer["recorded"].as_array().unwrap();
    assert_eq!(column(recorded, "id"), [1, 2, 1]);
    assert_eq!(column(recorded, "index"), [0, 1, 3]);
    assert_eq!(column(recorded, "count"), [2, 1, 2]);
    snapshot!(answer["rejected"], @r#"
    [
      {
        "errors": [
          {
            "code": "type",
            "detail": "Element 2 of `alerts` must be an object.",
            "pointer": "/alerts/2"
          }
        ],
        "index": 2
      }
    ]
    "#);
    let shown = api
        .sign_in("sue")
        .await
        .reads(&format!("{ALERTS}/2"))
        .await;
    shows!(shown, {"title": "Usage batch ub_2 is stuck", "labels": {"alertname": "节点状态"}});
    let answer = sender
        .posts(WEBHOOK, webhook(&[json!({})]))
        .await;
    snapshot!(answer, @r#"
    {
      "recorded": [],
      "rejected": [
        {
          "errors": [
            {"code": "required", "detail": "Send `status`.", "pointer": "/alerts/0/status"},
            {
              "code": "required",
              "detail": "Send `startsAt`.",
              "pointer": "/alerts/0/startsAt"
            }
          ],
          "index": 0
        }
      ]
    }
    "#);
    let empty = sender
        .posts(WEBHOOK, webhook(&[]))
        .await;
    assert_eq!(empty, json!({"recorded": [], "rejected": []}));
}

/// The example of Grafana's documentation of its webhook contact point, of version "1" of its
/// format, with an alert that is resolved.
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
    let answer = sender.posts(WEBHOOK, firing).await;
    assert_eq!(answer["recorded"][0]["status"], "open");
    let shown = api
        .sign_in("sue")
        .await
        .reads(&format!("{ALERTS}/1"))
        .await;
    shows!(shown, {"signalType": "high_memory_usage", "labels": {"team": "blue", "zone": "us-1"}});
    shows!(shown, {"title": "This alert was triggered for zone us-1"});
    let over = body(alert("resolved", "2021-10-12T10:01:03+02:00", 3.0));
    let answer = sender.posts(WEBHOOK, over).await;
    assert_eq!(answer["recorded"][0]["status"], "resolved");
}

/// A rolled-back version may have written an alert that this one cannot read.
#[tokio::test]
async fn an_unreadable_alert_takes_no_other_along() {
    let api = Api::start().await;
    let sender = alertmanager(&api).await;
    let both = webhook(&[alert(1, "firing"), alert(2, "firing")]);
    sender
        .posts(WEBHOOK, both.clone())
        .await;
    let is_first = |item: &Item| text_of(item, "externalId").starts_with("0000000000000001");
    assert_eq!(api.damages("alert", is_first).await, 1);
    for count in [1, 2] {
        let recorded = &sender
            .posts(WEBHOOK, both.clone())
            .await["recorded"];
        // It is recorded anew.
        shows!(recorded[0], {"id": 3, "count": count});
        shows!(recorded[1], {"id": 2, "count": count + 1});
    }
}

/// Alertmanager sends a group whole unless `max_alerts` is set, and repeats nothing that is
/// answered 4xx.
#[tokio::test]
async fn of_too_many_alerts_the_first_are_recorded_and_the_others_named() {
    let api = Api::start().await;
    let sender = alertmanager(&api).await;
    let mut alerts: Vec<_> = (0..502)
        .map(|number| alert(number, "firing"))
        .collect();
    // What is no alert takes the place of none.
    alerts.insert(1, json!(7));
    let answer = sender
        .posts(WEBHOOK, webhook(&alerts))
        .await;
    let recorded = answer["recorded"].as_array().unwrap();
    assert_eq!(recorded.len(), 500);
    assert_eq!(recorded[499]["index"], 500);
    let rejected = answer["rejected"].as_array().unwrap();
    assert_eq!(column(rejected, "index"), [1, 501, 502]);
    shows!(rejected[1], {"/errors/0/pointer": "/alerts/501", "/errors/0/code": "length"});
    let detail = rejected[1]["errors"][0]["detail"]
        .as_str()
        .unwrap();
    assert!(
        detail.contains("first 500") && detail.contains("another message"),
        "{detail}"
    );
    let too_many = vec![json!(7); 5_001];
    refused!(sender.post(WEBHOOK, webhook(&too_many)).await => [("/alerts", "length")]);
}

/// Transactions have a hundred writes, batches a hundred keys: a large body takes several.
#[tokio::test]
async fn a_large_body_is_recorded_whole() {
    let api = Api::start().await;
    let sender = alertmanager(&api).await;
    let alerts: Vec<_> = (0..250)
        .map(|number| alert(number, "firing"))
        .collect();
    for count in [1, 2] {
        api.counter.take();
        let answer = sender
            .posts(WEBHOOK, webhook(&alerts))
            .await;
        let recorded = answer["recorded"].as_array().unwrap();
        assert_eq!(recorded.len(), 250);
        assert!(
            recorded
                .iter()
                .all(|alert| alert["count"] == count)
        );
    }
    assert_eq!(
        api.sign_in("sue")
            .await
            .walk(ALERTS)
            .await
            .len(),
        250
    );
}
