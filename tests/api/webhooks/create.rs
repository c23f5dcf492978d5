//! `POST /api/webhooks`, `GET` and `DELETE`

use serde_json::{Value, json};
use tests::support::{Api, Settings, budgets::within};

#[tokio::test]
async fn a_secret_is_returned_once_and_stored_nowhere() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let sent = json!({
        "url": "https://hooks.example.com/in?team=1", "types": ["ticket.*", "task.created", "ticket.*"],
        "description": "Chat",
    });
    let answer = ada.post("/api/webhooks", sent).await;
    let created = within(&api, "POST /api/webhooks", 200, &answer);
    let secret = created["secret"].as_str().unwrap();
    assert!(secret.starts_with("whsec_"), "{secret}");
    let shown = json!({
        "id": 1, "url": "https://hooks.example.com/in?team=1", "types": ["task.created", "ticket.*"],
        "description": "Chat", "enabled": true, "disabledReason": null, "lastSuccessAt": null,
        "failingSince": null, "previousSecretUntil": null, "createdAt": "2026-01-15T12:00:00.000Z",
        "updatedAt": "2026-01-15T12:00:00.000Z", "version": 1,
    });
    assert_eq!(ada.get("/api/webhooks/1").await.expect(200), shown);
    assert_eq!(ada.get("/api/webhooks").await.expect(200), json!([shown]));
    assert!(!api.table_dump().await.concat().contains(&secret[6..]));
    let (_, other) = api
        .has_webhook(&ada, "https://hooks.example.com", &["*"])
        .await;
    assert_ne!(other, secret);
    ada.delete("/api/webhooks/1").await.expect(204);
    ada.get("/api/webhooks/1").await.expect(404);
    ada.delete("/api/webhooks/1").await.expect(404);
    assert_eq!(ada.get("/api/webhooks").await.ids(), [2]);
}

#[tokio::test]
async fn a_replay_returns_the_same_webhook() {
    let api = Api::start().await;
    let ada = api.sign_in("ada").await.with_header("idempotency-key", "k");
    let sent = json!({"url": "https://hooks.example.com", "types": ["*"]});
    let first = ada.post("/api/webhooks", sent.clone()).await.expect(200);
    assert_eq!(ada.post("/api/webhooks", sent).await.expect(200), first);
    assert_eq!(ada.get("/api/webhooks").await.ids(), [1]);
}

#[tokio::test]
async fn an_organization_has_at_most_ten() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let sent = json!({"url": "https://hooks.example.com", "types": ["*"]});
    let all = (0..13).map(|_| ada.post("/api/webhooks", sent.clone()));
    let mut statuses: Vec<u16> = futures::future::join_all(all)
        .await
        .iter()
        .map(|answer| answer.status)
        .collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [vec![200; 10], vec![409; 3]].concat());
    let more = ada.post("/api/webhooks", sent.clone()).await;
    more.expect_problem(409, "too_many_webhooks");
    let last = ada.get("/api/webhooks").await.ids().pop().unwrap();
    ada.delete(&format!("/api/webhooks/{last}"))
        .await
        .expect(204);
    ada.post("/api/webhooks", sent.clone()).await.expect(200);
    // Another organization has ten of its own.
    let zoe = api.sign_in("zoe").await;
    zoe.post("/api/webhooks", sent).await.expect(200);
}

#[tokio::test]
async fn a_url_leads_to_the_public_internet() {
    let mut settings = Settings::default();
    settings.agent.is_public = true;
    let api = Api::start_with(settings).await;
    let ada = api.sign_in("ada").await;
    for url in [
        "http://hooks.example.com",
        "https://localhost/in",
        "https://127.0.0.1",
        "https://10.0.0.1",
        "https://hooks.internal",
    ] {
        let answer = ada
            .post("/api/webhooks", json!({"url": url, "types": ["*"]}))
            .await;
        answer.expect_faults(&[("/url", "combination")]);
    }
    let (id, _) = api
        .has_webhook(&ada, "https://hooks.example.com", &["*"])
        .await;
    let local = json!({"url": "http://127.0.0.1"});
    let answer = ada.patch(&format!("/api/webhooks/{id}"), local).await;
    answer.expect_faults(&[("/url", "combination")]);
}

#[tokio::test]
async fn types_are_of_the_change_feed_or_notifications() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    for (types, fault) in [
        (json!(["task.moved"]), ("/types/0", "value")),
        (json!(["*", "webhook.test"]), ("/types/1", "value")),
        (json!([]), ("/types", "length")),
        (json!("*"), ("/types", "type")),
        (Value::Null, ("/types", "null")),
    ] {
        let sent = json!({"url": "https://hooks.example.com", "types": types});
        let answer = ada.post("/api/webhooks", sent).await;
        answer.expect_faults(&[fault]);
    }
    let moved = json!({"url": "https://hooks.example.com", "types": ["task.moved"]});
    let answer = ada.post("/api/webhooks", moved).await;
    assert!(answer.text.contains("task.created"), "{}", answer.text);
    let types = ["agent_session.*", "notification.created"];
    api.has_webhook(&ada, "https://hooks.example.com", &types)
        .await;
}

#[tokio::test]
async fn only_an_admin_in_a_session_manages_webhooks() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let (id, _) = api
        .has_webhook(&ada, "https://hooks.example.com", &["*"])
        .await;
    let script = api.token_of(&api.user("ada").await, json!({})).await;
    let max = api.sign_in("max").await;
    let zoe = api.sign_in("zoe").await;
    let one = format!("/api/webhooks/{id}");
    let redeliver = format!("{one}/deliveries/evt_1/redeliver");
    for (method, path, body) in [
        ("GET", "/api/webhooks".to_owned(), None),
        (
            "POST",
            "/api/webhooks".to_owned(),
            Some(json!({"url": "https://a.example", "types": ["*"]})),
        ),
        ("GET", one.clone(), None),
        ("PATCH", one.clone(), Some(json!({"enabled": false}))),
        ("DELETE", one.clone(), None),
        ("POST", format!("{one}/rotate-secret"), None),
        ("POST", format!("{one}/test"), None),
        ("GET", format!("{one}/deliveries"), None),
        ("POST", redeliver, None),
    ] {
        let body = body.map(|body| body.to_string());
        let by_script = script.send(method, &path, body.clone()).await;
        by_script.expect_problem(403, "session_required");
        let by_max = max.send(method, &path, body.clone()).await;
        by_max.expect_problem(403, "permission_denied");
        if path != "/api/webhooks" {
            let by_zoe = zoe.send(method, &path, body).await;
            by_zoe.expect_problem(404, "not_found");
        }
    }
    assert!(zoe.get("/api/webhooks").await.ids().is_empty());
}

#[tokio::test]
async fn the_journal_has_each_change() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let (id, _) = api
        .has_webhook(&ada, "https://hooks.example.com", &["*"])
        .await;
    let one = format!("/api/webhooks/{id}");
    let off = json!({"enabled": false});
    ada.patch(&one, off.clone()).await.expect(200);
    ada.patch(&one, off).await.expect(200);
    ada.trigger(&format!("{one}/rotate-secret"))
        .await
        .expect(200);
    ada.delete(&one).await.expect(204);
    let entries = ada.get("/api/journal?subject=webhook:1").await.expect(200);
    let entries: Vec<_> = entries
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| (entry["event"].clone(), entry["after"].clone()))
        .collect();
    let created = json!({
        "url": "https://hooks.example.com", "types": ["*"], "enabled": true, "generation": 1,
    });
    let expected = [
        (json!("webhook_created"), created),
        (json!("webhook_changed"), json!({"enabled": false})),
        (json!("webhook_secret_rotated"), json!({"generation": 2})),
        (json!("webhook_deleted"), Value::Null),
    ];
    assert_eq!(entries, expected);
}
