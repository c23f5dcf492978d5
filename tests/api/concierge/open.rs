//! `POST /api/concierge/alerts/{id}/agent-session`

use serde_json::json;

use crate::{
    budgets::within,
    support::{AgentSettings, Api, Concierge, Settings},
};

/// The operation, as its budget calls it.
const OPEN: &str = "POST /api/concierge/alerts/{id}/agent-session";

#[tokio::test]
async fn a_new_session_is_started() {
    let world = Concierge::start().await;
    let signal = world.signal("usage_batch_stuck", &[]).await;
    let path = format!("/api/concierge/alerts/{}/agent-session", signal.id);
    let sue = world.api.sign_in("sue").await;
    assert_eq!(
        within(&world.api, OPEN, 200, &sue.trigger(&path).await),
        json!({"session": {
            "version": 1, "id": 1, "alertId": signal.id, "status": "started",
            "createdAt": "2026-01-15T12:00:00.000Z",
        }})
    );
}

#[tokio::test]
async fn an_alert_has_one_session_until_it_ends() {
    let world = Concierge::start().await;
    let signal = world.signal("usage_batch_stuck", &[]).await;
    let first = world.opened(&signal).await;
    assert_eq!(world.opened(&signal).await, first);
    world.proposed(&first).await;
    assert_eq!(world.opened(&signal).await, first);
    world.cancels(&first).await.expect(200);
    let second = world.opened(&signal).await;
    assert_ne!(second, first);
    // An expired proposal has ended, whether or not the sweeper came by.
    world.proposed(&second).await;
    world.api.clock.advance(24 * 3_600_000);
    let max = world.api.sign_in("max").await;
    let path = format!("/api/concierge/alerts/{}/agent-session", signal.id);
    world.api.counter.take();
    let third = within(&world.api, OPEN, 200, &max.trigger(&path).await);
    assert_ne!(third["session"]["id"], second);
}

#[tokio::test]
async fn sessions_opened_at_once_are_one() {
    let world = Concierge::start().await;
    let signal = world.signal("usage_batch_stuck", &[]).await;
    let opened = (0..8).map(|_| world.opened(&signal));
    let mut ids = Vec::new();
    for id in futures::future::join_all(opened).await {
        ids.push(id.as_i64().unwrap());
    }
    ids.dedup();
    assert_eq!(ids.len(), 1, "{ids:?}");
}

#[tokio::test]
async fn it_needs_the_permission_and_the_plan() {
    let world = Concierge::start().await;
    let signal = world.signal("usage_batch_stuck", &[]).await;
    let path = format!("/api/concierge/alerts/{}/agent-session", signal.id);
    let anonymous = world.api.anonymous().trigger(&path).await;
    anonymous.expect_problem(401, "unauthenticated");
    for name in ["vic", "mia"] {
        let caller = world.api.sign_in(name).await;
        let answer = caller.trigger(&path).await;
        answer.expect_problem(403, "permission_denied");
    }
    let poor = Api::start_with(Settings {
        without_agent: true,
        agent: AgentSettings::default(),
        ..Settings::default()
    })
    .await;
    let ada = poor.sign_in("ada").await;
    for path in [
        "/api/concierge/alerts/1/agent-session",
        "/api/concierge/agent-sessions/1/propose",
    ] {
        let answer = ada.trigger(path).await;
        answer.expect_problem(403, "plan_feature_unavailable");
    }
    let path = "/api/concierge/agent-sessions/1/execute";
    let answer = ada.post(path, json!({"actionIds": ["a"]})).await;
    answer.expect_problem(403, "plan_feature_unavailable");
    // Reading and cancelling need no plan.
    let path = "/api/concierge/agent-sessions/1";
    ada.get(path).await.expect_problem(404, "not_found");
    let answer = ada.trigger(&format!("{path}/cancel")).await;
    answer.expect_problem(404, "not_found");
}

#[tokio::test]
async fn a_foreign_or_impossible_alert_is_absent() {
    let world = Concierge::start().await;
    let foreign = world.signal_of(world.api.abroad.id, "x", &[]).await;
    let before = world.api.table_dump().await;
    let ids = ["0", "-1", "abc", "9007199254740993", "99"].map(str::to_owned);
    for id in ids.into_iter().chain([foreign.id.to_string()]) {
        let path = format!("/api/concierge/alerts/{id}/agent-session");
        world
            .max
            .trigger(&path)
            .await
            .expect_problem(404, "not_found");
    }
    assert_eq!(world.api.table_dump().await, before);
}
