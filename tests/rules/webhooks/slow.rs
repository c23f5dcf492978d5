//! Slow receivers: their messages take turns, and hold up no others.

use axum::{
    Router,
    routing::{MethodRouter, any},
};
use serde_json::json;
use shared::model::base::span;
use tests::support::{patches, shows, webhooks::Receiver};
use tokio::{net::TcpListener, sync::watch};

use super::{Told, next_attempt};

#[tokio::test]
async fn a_slow_receiver_gets_one_message_in_each_turn() {
    let told = Told::start().await;
    let api = &told.api;
    let receiver = &told.receiver;
    let [first, ..] = [told.task().await, told.task().await, told.task().await];
    receiver
        .takes(&api.clock, 6 * span::SECOND)
        .await;
    told.attempts(&first).await;
    assert_eq!(receiver.take().await.len(), 1);
    // The others wait, and that counts as no attempt. Each wakes in its own time.
    told.all_attempt().await;
    assert!(receiver.take().await.is_empty());
    for waits in told.pending().await {
        let wait = next_attempt(&waits).since(api.clock.now());
        assert!((15 * span::SECOND..=2 * span::MINUTE).contains(&wait));
        assert_eq!(waits["attempts"], 0);
    }
    assert_eq!(told.pending().await.len(), 2);
    // One has the turn; its answer is slow again.
    api.clock.advance(2 * span::MINUTE);
    told.all_attempt().await;
    assert_eq!(receiver.take().await.len(), 1);
    assert_eq!(told.pending().await.len(), 1);
    // The next answer is quick, and then nothing waits any more.
    receiver.takes(&api.clock, 0).await;
    api.clock.advance(2 * span::MINUTE);
    told.all_attempt().await;
    assert!(told.pending().await.is_empty());
    for _ in 0..2 {
        told.task().await;
    }
    told.all_attempt().await;
    assert_eq!(receiver.take().await.len(), 3);
}

/// A slow failure lets messages take turns, as a slow success does.
#[tokio::test]
async fn a_slow_receiver_holds_up_no_other_webhook() {
    let told = Told::start().await;
    let api = &told.api;
    let quick = Receiver::start().await;
    api.has_webhook(&told.ada, &quick.url, &["task.*"])
        .await;
    told.receiver.always_answers(503).await;
    told.receiver
        .takes(&api.clock, 6 * span::SECOND)
        .await;
    for _ in 0..2 {
        told.task().await;
        // One after another: all answers take their time on one clock.
        for message in api.webhook_messages().await {
            api.sends(vec![message]).await;
        }
    }
    assert_eq!(told.receiver.take().await.len(), 1);
    assert_eq!(quick.take().await.len(), 2);
}

#[tokio::test]
async fn a_slow_receiver_does_not_delay_another() {
    let told = Told::start().await;
    let api = &told.api;
    // The slow one answers once the quick one has its message.
    let (quick_has_it, waits) = watch::channel(false);
    let slow = any(async move || {
        let _ = waits
            .clone()
            .wait_for(|has_it| *has_it)
            .await;
    });
    let quick = any(async move || {
        quick_has_it.send_replace(true);
    });
    patches!(told.ada, "/api/webhooks/1", {"url": listening(slow).await});
    let zoe = api.sign_in("zoe").await;
    let quick = listening(quick).await;
    api.has_webhook(&zoe, &quick, &["task.*"])
        .await;
    api.changes().await;
    told.ada.creates_tasks(["x"; 7]).await;
    zoe.creates_task(json!({"projectId": 3}))
        .await;
    api.publishes().await;
    let mut batch = api.webhook_messages().await;
    let is_abroad = |text: &String| text.contains("\"organizationId\":2");
    batch.sort_by_key(|message| {
        message
            .body
            .as_ref()
            .is_some_and(is_abroad)
    });
    api.sends(batch).await;
    let deliveries = told.deliveries().await;
    assert_eq!(deliveries.len(), 7);
    for delivery in deliveries {
        shows!(delivery, {"status": "delivered", "attempts": 1});
    }
}

/// The URL of a receiver on a port of its own.
async fn listening(handler: MethodRouter) -> String {
    let listener = TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let routes = Router::new().route("/", handler);
    tokio::spawn(async move {
        axum::serve(listener, routes)
            .await
            .unwrap();
    });
    url
}
