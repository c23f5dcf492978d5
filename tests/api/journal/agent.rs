//! Changes of policy, connections, pauses and alerts.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tests::support::{Api, Concierge, patches, puts, shows};

use super::{Reader, by_session};

const ALERTS: &str = "/api/concierge/alerts";

fn alert(number: usize) -> Value {
    json!({
        "source": "billing-monitor", "externalId": format!("late-{number}"), "severity": "error",
        "signalType": "invoice_late", "title": "An invoice is late", "targetSystem": "billing",
    })
}

fn noted(number: usize) -> Value {
    json!({
        "source": "billing-monitor", "externalId": format!("late-{number}"), "severity": "error",
        "signalType": "invoice_late", "status": "open", "statusBy": "report",
    })
}

#[tokio::test]
async fn a_policy_leaves_what_it_was_and_what_it_is() {
    let (world, [ada]) = Concierge::signed_in(["ada"]).await;
    let mut reader = Reader::of(&world.api).await;
    let path = "/api/concierge/policy";
    let rule = json!({
        "when": {"actionType": null, "riskAtLeast": "high", "connection": null,
            "amountAtLeast": null, "recordsAtLeast": null, "movesMoney": null},
        "approvers": 2, "roles": ["admin"], "notOpener": true, "deny": false,
    });
    let set = puts!(ada, path, {"rules": [rule]});
    puts!(ada, path, {"rules": [rule]});
    let values = [json!({"rules": []}), json!({"rules": set["rules"]})];
    let entry = by_session(&ada, "policy_set", json!(["policy"]), values);
    assert_eq!(reader.news().await, [entry]);
}

#[tokio::test]
async fn another_age_of_sign_ins_leaves_an_entry() {
    let (world, [ada]) = Concierge::signed_in(["ada"]).await;
    let mut reader = Reader::of(&world.api).await;
    let path = "/api/concierge/policy";
    let mut before = Value::Null;
    for minutes in [json!(60), json!(30), json!(5)] {
        puts!(ada, path, {"signedInWithin": minutes});
        let values = [before, minutes.clone()].map(|minutes| json!({"signedInWithin": minutes}));
        let entry = by_session(&ada, "policy_set", json!(["policy"]), values);
        assert_eq!(reader.news().await, [entry]);
        before = minutes;
    }
}

#[tokio::test]
async fn every_change_of_a_connection_leaves_one_entry() {
    let (world, [ada]) = Concierge::signed_in(["ada"]).await;
    let mut reader = Reader::of(&world.api).await;
    let path = "/api/concierge/connections/second";
    let mut put = world.demo.connections()["billing"].clone();
    ada.puts(path, put.clone()).await;
    let subject = json!(["connection:second"]);
    let by_ada = |event: &str, values| by_session(&ada, event, subject.clone(), values);
    let [created] = &reader.news().await[..] else {
        panic!("one entry");
    };
    shows!(created, {"event": "connection_put", "before": null, "/after/baseUrl": put["baseUrl"]});
    let url = put["baseUrl"].clone();
    put["baseUrl"] = json!("https://billing.example.com");
    for _ in 0..2 {
        ada.puts(path, put.clone()).await;
    }
    let values = [json!({"baseUrl": url}), json!({"baseUrl": put["baseUrl"]})];
    assert_eq!(reader.news().await, [by_ada("connection_put", values)]);
    for verb in ["pause", "pause", "resume", "resume"] {
        ada.triggers(&format!("{path}/{verb}"))
            .await;
    }
    let paused = |paused: bool| json!({"paused": paused});
    let expected = [
        by_ada("connection_paused", [paused(false), paused(true)]),
        by_ada("connection_resumed", [paused(true), paused(false)]),
    ];
    assert_eq!(reader.news().await, expected);
    ada.deletes(path).await;
    let [deleted] = &reader.news().await[..] else {
        panic!("one entry");
    };
    shows!(deleted, {"event": "connection_deleted", "/before/baseUrl": put["baseUrl"]});
    assert_eq!(deleted["after"], Value::Null);
}

#[tokio::test]
async fn the_pause_of_all_actions_leaves_an_entry() {
    let (world, [ada]) = Concierge::signed_in(["ada"]).await;
    let mut reader = Reader::of(&world.api).await;
    for verb in ["resume", "pause", "pause", "resume"] {
        ada.triggers(&format!("/api/concierge/{verb}"))
            .await;
    }
    let paused = |paused: bool| json!({"paused": paused});
    let by_ada = |event: &str, values| by_session(&ada, event, json!(["agent"]), values);
    let expected = [
        by_ada("agent_paused", [paused(false), paused(true)]),
        by_ada("agent_resumed", [paused(true), paused(false)]),
    ];
    assert_eq!(reader.news().await, expected);
}

#[tokio::test]
async fn an_alert_leaves_an_entry_when_it_is_recorded_and_when_its_status_changes() {
    let (api, [sue]) = Api::signed_in(["sue"]).await;
    let mut reader = Reader::of(&api).await;
    let id = sue.creates(ALERTS, alert(1)).await;
    let name = format!("alert:{id}");
    let subject = json!([&name]);
    let values = [Value::Null, json!({&name: noted(1)})];
    let recorded = by_session(&sue, "alert_recorded", subject.clone(), values);
    assert_eq!(reader.news().await, [recorded]);
    // Another report is counted, and changes nothing else.
    sue.posts(ALERTS, alert(1)).await;
    assert_eq!(reader.news().await, [Value::Null; 0]);
    let path = format!("{ALERTS}/{id}");
    for _ in 0..2 {
        patches!(sue, &path, {"status": "acknowledged"});
    }
    let values = [
        json!({"status": "open", "statusBy": "report"}),
        json!({"status": "acknowledged", "statusBy": "user"}),
    ];
    let changed = by_session(&sue, "alert_changed", subject.clone(), values);
    assert_eq!(reader.news().await, [changed]);
    patches!(sue, &path, {"status": "resolved"});
    assert_eq!(reader.news().await.len(), 1);
    // A report opens it again. The entry says who resolved it and what opened it.
    sue.posts(ALERTS, alert(1)).await;
    let values = [
        json!({&name: {"status": "resolved", "statusBy": "user"}}),
        json!({&name: {"status": "open", "statusBy": "report"}}),
    ];
    let changed = by_session(&sue, "alert_changed", subject, values);
    assert_eq!(reader.news().await, [changed]);
}

#[tokio::test]
async fn alerts_of_one_request_share_an_entry_that_names_each() {
    let (api, [max]) = Api::with_users(["max"]).await;
    let only = json!({"permissions": ["manage_signals"]});
    let sender = api.token_of(&max, only).await;
    let mut reader = Reader::of(&api).await;
    let alerts: Vec<_> = (0..70)
        .map(|number| {
            json!({
                "status": "firing", "labels": {"alertname": "Late", "connection": "billing"},
                "annotations": {}, "startsAt": "2026-01-15T11:00:00Z",
                "fingerprint": format!("{number:016x}"),
            })
        })
        .collect();
    let body = json!({"version": "4", "alerts": alerts});
    let webhook = "/api/concierge/alerts/alertmanager";
    let recorded = sender
        .posts(webhook, body.clone())
        .await["recorded"]
        .clone();
    let news = reader.news().await;
    // A transaction records up to nineteen.
    assert_eq!(news.len(), 4);
    let mut named = BTreeMap::new();
    for entry in &news {
        shows!(entry, {"event": "alert_recorded", "/credential/tokenName": "export"});
        assert_eq!(entry["actor"]["userId"], json!(max.id));
        let after = entry["after"].as_object().unwrap();
        assert_eq!(
            entry["subjects"]
                .as_array()
                .unwrap()
                .len(),
            after.len()
        );
        for (name, noted) in after {
            named.insert(name.clone(), noted["externalId"].clone());
        }
    }
    let recorded = recorded.as_array().unwrap().iter();
    let expected = recorded.map(|row| (format!("alert:{}", row["id"]), row["externalId"].clone()));
    assert_eq!(named, expected.collect::<BTreeMap<_, _>>());
    // All of them again.
    sender.posts(webhook, body).await;
    assert_eq!(reader.news().await, [Value::Null; 0]);
    let ada = api.sign_in("ada").await;
    let path = format!("/api/journal?subject={}", named.keys().next().unwrap());
    assert_eq!(ada.walk(&path).await.len(), 1);
}
