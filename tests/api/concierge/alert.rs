//! `GET` and `PATCH /api/concierge/alerts/{id}`, and the sessions on an alert.

use serde_json::json;
use shared::model::base::span;
use tests::support::{Concierge, patches, shows};

#[tokio::test]
async fn an_alert_is_acknowledged_resolved_and_opened_again() {
    let world = Concierge::start().await;
    let alert = world.alert("payment_failed", &[]).await;
    let sue = world.api.sign_in("sue").await;
    let path = format!("/api/concierge/alerts/{}", alert.id);
    sue.reads(&path).await;
    let mut read = 1;
    for (version, status, resolved_at) in [
        (2, "acknowledged", json!(null)),
        (3, "resolved", json!("2026-01-15T12:02:00.000Z")),
        // Nothing changes.
        (3, "resolved", json!("2026-01-15T12:02:00.000Z")),
        (4, "open", json!(null)),
        (5, "resolved", json!("2026-01-15T12:05:00.000Z")),
    ] {
        world.api.clock.advance(span::MINUTE);
        let sue = sue
            .clone()
            .with_header("if-match", &format!("\"{read}\""));
        let changed = patches!(sue, &path, {"status": status});
        shows!(changed, {"status": status, "resolvedAt": resolved_at});
        assert_eq!(changed["version"], version);
        read = version;
        assert_eq!(sue.reads(&path).await, changed);
    }
}

#[tokio::test]
async fn an_alert_shows_its_sessions_newest_first() {
    let world = Concierge::start().await;
    let alert = world
        .alert("payment_failed", &[("payment", "pay_3001")])
        .await;
    let path = format!("/api/concierge/alerts/{}/agent-sessions", alert.id);
    assert_eq!(world.max.get(&path).await.ids(), [0; 0]);
    let mut sessions = Vec::new();
    for _ in 0..3 {
        world.api.clock.advance(span::SECOND);
        let session = world.opened(&alert).await;
        // Asked for again, it is the same.
        assert_eq!(world.opened(&alert).await, session);
        world
            .cancels(&session)
            .await
            .expect(200);
        sessions.insert(0, session.as_i64().unwrap());
    }
    world.failed_payment().await;
    let answer = world.max.get(&path).await;
    let rows = answer.expect(200);
    assert_eq!(answer.ids(), sessions);
    shows!(rows[0], {"status": "cancelled", "/alert/id": alert.id});
}

/// A stolen token of a monitor neither hides a fault nor stops what people approved.
#[tokio::test]
async fn a_token_of_a_machine_reports_and_decides_nothing() {
    let world = Concierge::start().await;
    let (id, _) = world.approved_batch().await;
    let alert = world.session(&id).await["alertId"].clone();
    let path = format!("/api/concierge/alerts/{alert}");
    let max = world.api.user("max").await;
    let only = json!({"permissions": ["manage_signals"]});
    let monitor = world.api.token_of(&max, only).await;
    let resolved = patches!(monitor, &path, {"status": "resolved"});
    shows!(resolved, {"status": "resolved", "statusBy": "report"});
    world.delivers(&world.worker()).await;
    world.is_completed(&id, 1).await;
    let opened = patches!(world.max, &path, {"status": "acknowledged"});
    shows!(opened, {"statusBy": "user"});
    for status in ["resolved", "open"] {
        let refused = monitor
            .patch(&path, json!({"status": status}))
            .await;
        refused.expect_problem(409, "invalid_transition");
    }
    let same = patches!(monitor, &path, {"status": "acknowledged"});
    assert_eq!(same["version"], opened["version"]);
}
