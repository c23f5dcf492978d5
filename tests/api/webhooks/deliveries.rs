//! `GET /api/webhooks/{id}/deliveries`, `POST …/redeliver`

use serde_json::json;
use shared::model::base::span;
use tests::support::{Api, patches, refused, shows, webhooks::Receiver};

#[tokio::test]
async fn deliveries_are_listed_the_newest_first() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let receiver = Receiver::start().await;
    api.publishes().await;
    let (id, _) = api
        .has_webhook(&ada, &receiver.url, &["task.*"])
        .await;
    for title in ["a", "b", "c"] {
        ada.creates_task(json!({"title": title}))
            .await;
        api.publishes().await;
        api.clock.advance(span::SECOND);
    }
    receiver.answers(500, &[]).await;
    assert_eq!(api.sends_webhooks().await, 3);
    let path = format!("/api/webhooks/{id}/deliveries");
    let deliveries = api.deliveries(&ada, id).await;
    let records: Vec<_> = deliveries
        .iter()
        .map(|delivery| &delivery["change"]["recordId"])
        .collect();
    assert_eq!(records, [3, 2, 1]);
    let failed = deliveries
        .iter()
        .find(|delivery| delivery["status"] == "pending")
        .unwrap();
    shows!(failed, {"lastStatusCode": 500, "lastError": "The receiver answered 500."});
    assert_eq!(failed["attempts"], 1);
    let pending = ada
        .reads(&format!("{path}?status=pending"))
        .await;
    assert_eq!(pending, json!([failed]));
    let both = ada
        .get(&format!("{path}?status=pending,delivered"))
        .await;
    assert_eq!(
        both.expect(200)
            .as_array()
            .unwrap()
            .len(),
        3
    );
    api.clock.advance(7 * span::DAY);
    let ada = api
        .session_of(&api.user("ada").await)
        .await;
    assert!(
        api.deliveries(&ada, id)
            .await
            .is_empty()
    );
}

#[tokio::test]
async fn a_delivery_is_sent_again_with_the_same_id_and_body() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    let receiver = Receiver::start().await;
    api.publishes().await;
    let (id, _) = api
        .has_webhook(&ada, &receiver.url, &["task.*"])
        .await;
    ada.creates_task(json!({})).await;
    api.publishes().await;
    api.sends_webhooks().await;
    let [first] = receiver
        .take()
        .await
        .try_into()
        .unwrap();
    let delivery = first.header("webhook-id").to_owned();
    let path = format!("/api/webhooks/{id}/deliveries/{delivery}/redeliver");
    ada.triggers(&path).await;
    assert_eq!(api.deliveries(&ada, id).await[0]["status"], "pending");
    assert_eq!(api.sends_webhooks().await, 1);
    let [second] = receiver
        .take()
        .await
        .try_into()
        .unwrap();
    assert_eq!(second.header("webhook-id"), delivery);
    assert_eq!(second.body, first.body);
    let unknown = format!("/api/webhooks/{id}/deliveries/evt_1/redeliver");
    ada.trigger(&unknown)
        .await
        .expect_not_found();
    patches!(ada, "/api/webhooks/{id}", {"enabled": false});
    refused!(ada.trigger(&path).await => 409, "webhook_disabled");
}
