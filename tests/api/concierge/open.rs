//! `POST /api/concierge/alerts/{id}/agent-session`

use serde_json::json;
use tests::support::Concierge;

#[tokio::test]
async fn an_alert_has_one_session_until_it_ends() {
    let world = Concierge::start().await;
    let alert = world
        .alert("usage_batch_stuck", &[])
        .await;
    let path = format!("/api/concierge/alerts/{}/agent-session", alert.id);
    let sue = world.api.sign_in("sue").await;
    let started = json!({
        "version": 1, "id": 1, "alertId": alert.id, "status": "started",
        "createdAt": "2026-01-15T12:00:00.000Z",
    });
    assert_eq!(sue.triggers(&path).await, json!({"session": started}));
    let first = started["id"].clone();
    assert_eq!(world.opened(&alert).await, first);
    world.proposed(&first).await;
    assert_eq!(world.opened(&alert).await, first);
    world.cancels(&first).await.expect(200);
    let second = world.opened(&alert).await;
    assert_ne!(second, first);
    // An expired proposal has ended, whether or not the sweeper came by.
    world.proposed(&second).await;
    world.api.clock.advance(24 * 3_600_000);
    let max = world.api.sign_in("max").await;
    assert_ne!(max.triggers(&path).await["session"]["id"], second);
}

#[tokio::test]
async fn sessions_opened_at_once_are_one() {
    let world = Concierge::start().await;
    let alert = world
        .alert("usage_batch_stuck", &[])
        .await;
    let opened = (0..8).map(|_| world.opened(&alert));
    let mut ids = Vec::new();
    for id in futures::future::join_all(opened).await {
        ids.push(id.as_i64().unwrap());
    }
    ids.dedup();
    assert_eq!(ids.len(), 1, "{ids:?}");
}
