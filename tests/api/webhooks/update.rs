//! `PATCH /api/webhooks/{id}`

use serde_json::json;
use tests::support::{Api, budgets::within, shows};

#[tokio::test]
async fn a_change_keeps_what_it_does_not_name() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let (id, _) = api
        .has_webhook(&ada, "https://hooks.example.com", &["*"])
        .await;
    let path = format!("/api/webhooks/{id}");
    api.counter.take();
    let change = json!({"types": ["task.*"], "description": "Chat"});
    let answer = ada.patch(&path, change).await;
    let changed = within(&api, "PATCH /api/webhooks/{id}", 200, &answer);
    shows!(changed, {"types": ["task.*"], "url": "https://hooks.example.com"});
    let cleared = json!({"description": null, "enabled": false});
    let changed = ada.patch(&path, cleared).await.expect(200);
    assert_eq!(changed["description"], json!(null));
    shows!(changed, {"enabled": false, "version": 3});
    let nothing = ada.patch(&path, json!({})).await;
    nothing.expect(400);
}

#[tokio::test]
async fn an_older_version_is_not_overwritten() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let (id, _) = api
        .has_webhook(&ada, "https://hooks.example.com", &["*"])
        .await;
    let path = format!("/api/webhooks/{id}");
    ada.patch(&path, json!({"enabled": false}))
        .await
        .expect(200);
    let late = ada.clone().with_header("if-match", "\"1\"");
    late.patch(&path, json!({"enabled": true}))
        .await
        .expect(412);
    late.delete(&path).await.expect(412);
    let now = ada.with_header("if-match", "\"2\"");
    now.delete(&path).await.expect(204);
}
