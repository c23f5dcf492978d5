//! `POST /api/webhooks`, `GET` and `DELETE`

use serde_json::json;
use tests::support::{Api, Settings, patches, refused, snapshot, statuses};

use super::{URL, hooked};

#[tokio::test]
async fn a_secret_is_returned_once_and_stored_nowhere() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let sent = json!({
        "url": "https://hooks.example.com/in?team=1", "types": ["ticket.*", "task.created", "ticket.*"],
        "description": "Chat",
    });
    let created = ada.posts("/api/webhooks", sent).await;
    let secret = created["secret"].as_str().unwrap();
    assert!(secret.starts_with("whsec_"), "{secret}");
    let webhook = ada.reads("/api/webhooks/1").await;
    snapshot!(webhook, @r#"
    {
      "createdAt": "2026-01-15T12:00:00.000Z",
      "description": "Chat",
      "disabledReason": null,
      "enabled": true,
      "failingSince": null,
      "id": 1,
      "lastSuccessAt": null,
      "previousSecretUntil": null,
      "types": ["task.created", "ticket.*"],
      "updatedAt": "2026-01-15T12:00:00.000Z",
      "url": "https://hooks.example.com/in?team=1",
      "version": 1
    }
    "#);
    assert_eq!(ada.reads("/api/webhooks").await, json!([webhook]));
    assert!(
        !api.table_dump()
            .await
            .concat()
            .contains(&secret[6..])
    );
    let (_, other) = api.has_webhook(&ada, URL, &["*"]).await;
    assert_ne!(other, secret);
    ada.deletes("/api/webhooks/1").await;
    ada.get("/api/webhooks/1")
        .await
        .expect(404);
    ada.delete("/api/webhooks/1")
        .await
        .expect(404);
    assert_eq!(ada.get("/api/webhooks").await.ids(), [2]);
}

#[tokio::test]
async fn an_organization_has_at_most_ten() {
    let (_, [ada, zoe]) = Api::signed_in(["ada", "zoe"]).await;
    let sent = json!({"url": URL, "types": ["*"]});
    let creations = (0..13).map(|_| ada.post("/api/webhooks", sent.clone()));
    let answers = futures::future::join_all(creations).await;
    assert_eq!(statuses(&answers), [vec![200; 10], vec![409; 3]].concat());
    refused!(ada.post("/api/webhooks", sent.clone()).await => 409, "too_many_webhooks");
    let last = ada
        .get("/api/webhooks")
        .await
        .ids()
        .pop()
        .unwrap();
    ada.deletes(&format!("/api/webhooks/{last}"))
        .await;
    ada.posts("/api/webhooks", sent.clone())
        .await;
    // Another organization has ten of its own.
    zoe.posts("/api/webhooks", sent).await;
}

#[tokio::test]
async fn a_url_leads_to_the_public_internet() {
    let api = Api::start_with(Settings::public()).await;
    let ada = api.sign_in("ada").await;
    let (id, _) = api.has_webhook(&ada, URL, &["*"]).await;
    for url in [
        "http://hooks.example.com",
        "https://localhost/in",
        "https://127.0.0.1",
        "https://10.0.0.1",
        "https://hooks.internal",
    ] {
        ada.post("/api/webhooks", json!({"url": url, "types": ["*"]}))
            .await
            .expect_faults(&[("/url", "combination")]);
        ada.patch(&format!("/api/webhooks/{id}"), json!({"url": url}))
            .await
            .expect_faults(&[("/url", "combination")]);
    }
}

#[tokio::test]
async fn types_are_of_the_change_feed_or_notifications() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    for (types, place) in [
        (json!(["task.moved"]), "/types/0"),
        (json!(["*", "webhook.test"]), "/types/1"),
    ] {
        let sent = json!({"url": URL, "types": types});
        let refused = ada.post("/api/webhooks", sent).await;
        refused.expect_faults(&[(place, "value")]);
        assert!(refused.text.contains("task.created"), "{}", refused.text);
    }
    let types = ["agent_session.*", "notification.created"];
    api.has_webhook(&ada, URL, &types).await;
}

#[tokio::test]
async fn the_journal_has_each_change() {
    let (_, ada, path, _) = hooked().await;
    for _ in 0..2 {
        patches!(ada, &path, {"enabled": false});
    }
    ada.triggers(&format!("{path}/rotate-secret"))
        .await;
    ada.deletes(&path).await;
    let entries = ada
        .walk("/api/journal?subject=webhook:1")
        .await;
    let events: Vec<_> = entries
        .iter()
        .map(|entry| [&entry["event"], &entry["after"]])
        .collect();
    snapshot!(events, @r#"
    [
      [
        "webhook_created",
        {
          "enabled": true,
          "generation": 1,
          "types": ["*"],
          "url": "https://hooks.example.com"
        }
      ],
      ["webhook_changed", {"enabled": false}],
      ["webhook_secret_rotated", {"generation": 2}],
      ["webhook_deleted", null]
    ]
    "#);
}
