//! `GET /api/managed-services/hours-saved`

use serde_json::{Value, json};
use shared::model::base::span;
use tests::support::{Concierge, snapshot};

use super::metrics;

const HOURS_SAVED: &str = "/api/managed-services/hours-saved";

fn minutes(rows: &Value) -> i64 {
    let rows = rows.as_array().unwrap().iter();
    rows.map(|row| row["minutes"].as_i64().unwrap())
        .sum()
}

#[tokio::test]
async fn the_dashboards_figure_opens() {
    let (world, [vic]) = Concierge::signed_in(["vic"]).await;
    assert_eq!(vic.reads(HOURS_SAVED).await, json!([]));
    world.approved_batch().await;
    world.delivers(&world.worker()).await;
    world
        .api
        .clock
        .advance(span::DAY - span::HOUR);
    let vic = world.api.sign_in("vic").await;
    world.tells("cus_501").await;
    let rows = vic.reads(HOURS_SAVED).await;
    snapshot!(rows, @r#"
    [
      {
        "actionType": "notify_customer",
        "agentSessionId": 2,
        "at": "2026-01-16T11:00:00.000Z",
        "entity": "pay_3001",
        "id": "s2-p1-a2",
        "minutes": 10,
        "targetSystem": "notifications"
      },
      {
        "actionType": "reprocess_usage_batch",
        "agentSessionId": 1,
        "at": "2026-01-15T12:00:00.000Z",
        "entity": "ub_1001",
        "id": "s1-p1-a1",
        "minutes": 25,
        "targetSystem": "billing"
      }
    ]
    "#);
    assert_eq!(metrics(&vic).await["hoursSaved"], 0.58);
    let zoe = world.api.sign_in("zoe").await;
    assert_eq!(zoe.reads(HOURS_SAVED).await, json!([]));
}

/// Has the first action of a proposal executed.
async fn done(world: &Concierge, class: &str, kind: &str, id: &str) {
    let session = world
        .opened(&world.alert(class, &[(kind, id)]).await)
        .await;
    let action = world.proposed(&session).await.remove(0);
    world
        .executes(&session, &[&action])
        .await
        .expect(202);
    world.delivers(&world.worker()).await;
    assert_eq!(world.outcome(&session).await.0, "completed", "{class}");
}

#[tokio::test]
async fn a_record_saves_once_a_day() {
    let world = Concierge::start().await;
    done(&world, "customer_out_of_sync", "customer", "cus_501").await;
    assert_eq!(world.minutes_saved().await, 20);
    // The second session does something else to the same customer.
    done(&world, "usage_events_missing", "customer", "cus_501").await;
    assert_eq!(world.demo.effects().len(), 2);
    assert_eq!(world.minutes_saved().await, 20);
    done(&world, "usage_events_missing", "customer", "cus_503").await;
    assert_eq!(world.minutes_saved().await, 50);
    let rows = world.max.reads(HOURS_SAVED).await;
    assert_eq!((rows.as_array().unwrap().len(), minutes(&rows)), (2, 50));
}

#[tokio::test]
async fn an_effect_from_before_saves_nothing() {
    let world = Concierge::start_unwary().await;
    // The system answers that the batch is processed already.
    done(&world, "usage_batch_stuck", "usage_batch", "ub_1007").await;
    assert_eq!(world.minutes_saved().await, 0);
    assert_eq!(world.max.reads(HOURS_SAVED).await, json!([]));
    // Nor did it put anything right.
    world.api.clock.advance(span::HOUR);
    let again = world.alert("usage_batch_stuck", &[("usage_batch", "ub_1007")]);
    assert_eq!(again.await.recurrence, None);
}
