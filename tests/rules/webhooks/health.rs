//! The health of a webhook: failing days, and the reasons of failed deliveries.

use serde_json::json;
use shared::model::{
    base::span,
    updates::{Webhook, WebhookDelivery},
};
use tests::support::{shows, text_of};

use super::Told;

#[tokio::test]
async fn failures_with_quiet_days_between_them_disable_no_webhook() {
    let told = Told::start().await;
    told.receiver.answers(500, &[]).await;
    told.receiver.answers(500, &[]).await;
    told.attempts_task().await;
    told.api
        .clock
        .advance(Webhook::PATIENCE + span::HOUR);
    told.attempts_task().await;
    shows!(told.shown().await, {"enabled": true, "failingSince": "2026-01-20T13:00:00.000Z"});
}

#[tokio::test]
async fn another_url_begins_anew() {
    let told = Told::start().await;
    told.receiver.always_answers(500).await;
    for _ in 0..4 {
        told.attempts_task().await;
        told.api
            .clock
            .advance(span::DAY + 8 * span::HOUR);
    }
    let kept = told
        .changes(json!({"description": "The chat"}))
        .await;
    for webhook in [told.shown().await, kept] {
        assert_eq!(webhook["failingSince"], "2026-01-15T12:00:00.000Z");
    }
    let url = format!("{}/new", told.receiver.url);
    assert!(
        told.changes(json!({ "url": url }))
            .await["failingSince"]
            .is_null()
    );
    told.attempts_task().await;
    assert_eq!(told.shown().await["enabled"], true);
}

#[tokio::test]
async fn a_delivery_that_expires_names_that_as_its_reason() {
    let told = Told::start().await;
    let waiting = told.task().await;
    let disabled = told.task().await;
    told.api
        .clock
        .advance(WebhookDelivery::KEPT);
    told.attempts(&waiting).await;
    told.changes(json!({"enabled": false}))
        .await;
    told.attempts(&disabled).await;
    let table = told
        .api
        .items_of("webhook_delivery")
        .await;
    for (id, reason) in [
        (waiting, "It was not delivered within 7 days."),
        (disabled, "The webhook is disabled, or was deleted."),
    ] {
        let delivery = table
            .iter()
            .find(|delivery| text_of(delivery, "id") == id);
        assert_eq!(text_of(delivery.unwrap(), "lastError"), reason);
    }
}
