//! The health of a webhook: failing days, and the reasons of failed deliveries.

use serde_json::json;
use shared::model::{Webhook, WebhookDelivery, span};

use tests::support::shows;

use super::Told;

#[tokio::test]
async fn failures_with_quiet_days_between_them_disable_no_webhook() {
    let told = Told::start().await;
    told.receiver.answers(500, &[]).await;
    told.receiver.answers(500, &[]).await;
    let first = told.task().await;
    told.attempts(&first).await;
    told.api.clock.advance(Webhook::PATIENCE + span::HOUR);
    let second = told.task().await;
    told.attempts(&second).await;
    let webhook = told.shown().await;
    shows!(webhook, {"enabled": true, "failingSince": "2026-01-20T13:00:00.000Z"});
}

#[tokio::test]
async fn another_url_begins_anew() {
    let told = Told::start().await;
    told.receiver.always_answers(500).await;
    for _ in 0..4 {
        let delivery = told.task().await;
        told.attempts(&delivery).await;
        told.api.clock.advance(span::DAY + 8 * span::HOUR);
    }
    assert_eq!(
        told.shown().await["failingSince"],
        "2026-01-15T12:00:00.000Z"
    );
    let ada = told.api.session_of(&told.api.user("ada").await).await;
    let path = format!("/api/webhooks/{}", told.webhook);
    let kept = ada
        .patch(&path, json!({"description": "The chat"}))
        .await
        .expect(200);
    assert_eq!(kept["failingSince"], "2026-01-15T12:00:00.000Z");
    let url = format!("{}/new", told.receiver.url);
    let moved = ada.patch(&path, json!({ "url": url })).await.expect(200);
    assert!(moved["failingSince"].is_null());
    let delivery = told.task().await;
    told.attempts(&delivery).await;
    assert_eq!(told.shown().await["enabled"], true);
}

#[tokio::test]
async fn a_delivery_that_expires_names_that_as_its_reason() {
    let told = Told::start().await;
    let (waiting, disabled) = (told.task().await, told.task().await);
    told.api.clock.advance(WebhookDelivery::KEPT);
    told.attempts(&waiting).await;
    let ada = told.api.session_of(&told.api.user("ada").await).await;
    let path = format!("/api/webhooks/{}", told.webhook);
    ada.patch(&path, json!({"enabled": false}))
        .await
        .expect(200);
    told.attempts(&disabled).await;
    let table = told.api.items_of("webhook_delivery").await;
    let reason = |id: &str| {
        let one = table.iter().find(|one| one["id"].as_s().unwrap() == id);
        one.unwrap()["lastError"].as_s().unwrap().clone()
    };
    assert_eq!(reason(&waiting), "It was not delivered within 7 days.");
    assert_eq!(
        reason(&disabled),
        "The webhook is disabled, or was deleted."
    );
}
