//! Receivers that verify webhooks with the published libraries of Standard Webhooks, for Node.js
//! and Python.

use reqwest::Client;
use serde_json::{Value, json};
use shared::{Clock, model::base::span};
use tests::support::{
    Api,
    webhooks::{Receiver, message_of},
};

use super::url_of;

/// Sends a delivery to a receiver that knows a secret. Returns the status of its answer.
async fn status(api: &Api, receiver: &str, secret: &str) -> Value {
    let http = Client::builder()
        .no_proxy()
        .build()
        .unwrap();
    let response = http
        .put(receiver)
        .body(secret.to_owned())
        .send()
        .await;
    assert_eq!(response.unwrap().status(), 204);
    let ada = api
        .session_of(&api.user("ada").await)
        .await;
    api.changes().await;
    ada.creates_task(json!({"title": "Déjà vu — 再び"}))
        .await;
    api.publishes().await;
    let delivery = api.newest_delivery(&ada, 1).await;
    let id = delivery["id"].as_str().unwrap();
    api.sends(vec![message_of(api.home.id, 1, id)])
        .await;
    let sent = api.newest_delivery(&ada, 1).await;
    assert_eq!(sent["id"], id);
    sent["lastStatusCode"].clone()
}

async fn is_verified_by(receiver: &str) {
    let receiver = url_of(receiver);
    let api = Api::start().await;
    // The libraries refuse messages that are more than five minutes away from their clock.
    api.clock.advance(
        Clock::system()
            .now()
            .since(api.clock.now()),
    );
    let ada = api.sign_in("ada").await;
    let (id, first) = api
        .has_webhook(&ada, &receiver, &["task.*"])
        .await;
    assert_eq!(status(&api, &receiver, &first).await, 204);
    let path = format!("/api/webhooks/{id}/rotate-secret");
    let rotated = ada.triggers(&path).await;
    let second = rotated["secret"].as_str().unwrap();
    for secret in [&first, second] {
        assert_eq!(status(&api, &receiver, secret).await, 204);
    }
    let elsewhere = Receiver::start().await;
    let (_, other) = api
        .has_webhook(&ada, &elsewhere.url, &["tag.*"])
        .await;
    assert_eq!(status(&api, &receiver, &other).await, 400);
    // A message with a clock an hour ahead is refused.
    api.clock.advance(span::HOUR);
    assert_eq!(status(&api, &receiver, second).await, 400);
}

#[tokio::test]
#[ignore = "needs a receiver: python3 tests/doubles/check.py"]
async fn the_library_for_node_verifies_messages() {
    is_verified_by("webhooks_node").await;
}

#[tokio::test]
#[ignore = "needs a receiver: python3 tests/doubles/check.py"]
async fn the_library_for_python_verifies_messages() {
    is_verified_by("webhooks_python").await;
}
