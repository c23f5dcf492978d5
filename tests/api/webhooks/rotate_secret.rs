//! `POST /api/webhooks/{id}/rotate-secret`

use shared::model::span;
use tests::support::Api;

#[tokio::test]
async fn a_rotation_returns_another_secret_and_a_replay_the_same() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let (id, first) = api
        .has_webhook(&ada, "https://hooks.example.com", &["*"])
        .await;
    let path = format!("/api/webhooks/{id}/rotate-secret");
    let once = ada.clone().with_header("idempotency-key", "k");
    let second = once.trigger(&path).await.expect(200);
    assert_ne!(second["secret"], first.as_str());
    assert_eq!(second["previousSecretUntil"], "2026-01-16T12:00:00.000Z");
    assert_eq!(once.trigger(&path).await.expect(200), second);
    let third = ada.trigger(&path).await.expect(200);
    assert_ne!(third["secret"], second["secret"]);
    api.clock.advance(span::DAY);
    let ada = api.session_of(&api.user("ada").await).await;
    let webhook = ada.get(&format!("/api/webhooks/{id}")).await.expect(200);
    assert!(webhook["previousSecretUntil"].is_null(), "{webhook}");
}
