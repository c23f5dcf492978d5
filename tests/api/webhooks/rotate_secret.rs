//! `POST /api/webhooks/{id}/rotate-secret`

use shared::model::base::span;

use super::hooked;

#[tokio::test]
async fn a_rotation_returns_another_secret() {
    let (api, ada, webhook, first) = hooked().await;
    let path = format!("{webhook}/rotate-secret");
    let second = ada.triggers(&path).await;
    assert_ne!(second["secret"], first.as_str());
    assert_eq!(second["previousSecretUntil"], "2026-01-16T12:00:00.000Z");
    assert_ne!(ada.triggers(&path).await["secret"], second["secret"]);
    api.clock.advance(span::DAY);
    let webhook = api
        .sign_in("ada")
        .await
        .reads(&webhook)
        .await;
    assert!(webhook["previousSecretUntil"].is_null(), "{webhook}");
}
