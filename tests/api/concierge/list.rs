//! `GET /api/concierge/agent-sessions`

use shared::model::base::span;
use tests::support::{Concierge, snapshot};

const SESSIONS: &str = "/api/concierge/agent-sessions";

#[tokio::test]
async fn sessions_come_newest_first_and_are_filtered_by_what_they_are_now() {
    let world = Concierge::start().await;
    let first = world.failed_payment().await;
    world.api.clock.advance(span::SECOND);
    let second = world.failed_payment().await;
    world.proposed(&second).await;
    let list = world.max.get(SESSIONS).await;
    snapshot!(list.expect(200)[1], @r#"
    {
      "alert": {
        "amountAtRisk": null,
        "id": 1,
        "occurredAt": "2026-01-15T12:00:00.000Z",
        "severity": "error",
        "signalType": "payment_failed",
        "status": "open",
        "targetSystem": "billing",
        "title": "payment_failed of [(\"payment\", \"pay_3001\"), (\"customer\", \"cus_501\")]"
      },
      "alertId": 1,
      "confidence": null,
      "createdAt": "2026-01-15T12:00:00.000Z",
      "createdBy": 1,
      "expiresAt": null,
      "id": 1,
      "impact": null,
      "isAnomalyPattern": null,
      "next": {
        "until": null,
        "what": "has actions proposed",
        "who": "A user who may propose actions"
      },
      "openActions": 0,
      "proposedActions": [],
      "rootCause": null,
      "status": "started",
      "updatedAt": "2026-01-15T12:00:00.000Z",
      "version": 1
    }
    "#);
    let ids = |query: &str| {
        let path = format!("{SESSIONS}?{query}");
        let max = world.max.clone();
        async move { max.get(&path).await.ids() }
    };
    let first = first.as_i64().unwrap();
    let second = second.as_i64().unwrap();
    assert_eq!(ids("").await, [second, first]);
    assert_eq!(ids("status=started").await, [first]);
    let unfinished = ids("status=awaiting_confirmation,started").await;
    assert_eq!(unfinished, [second, first]);
    assert_eq!(ids("alertId=2").await, [second]);
    assert_eq!(ids("alertId=99").await, [0; 0]);
    // Nobody has swept yet.
    world.api.clock.advance(20 * span::HOUR);
    let max = world.api.sign_in("max").await;
    world.api.clock.advance(5 * span::HOUR);
    let expired = max
        .get(&format!("{SESSIONS}?status=expired"))
        .await;
    assert_eq!(expired.ids(), [second]);
    let waiting = format!("{SESSIONS}?status=awaiting_confirmation");
    assert_eq!(max.get(&waiting).await.ids(), [0; 0]);
}

/// The approver's inbox reads an index of its own: an approver finds the waiting sessions among any
/// number of others.
#[tokio::test]
async fn the_inbox_shows_what_an_approver_goes_by_and_nothing_else() {
    let world = Concierge::start().await;
    let waits = format!("{SESSIONS}?status=awaiting_confirmation");
    let session = world.stuck_batch().await;
    world.failed_payment().await;
    assert_eq!(world.max.get(&waits).await.ids(), [0; 0]);
    world.proposed(&session).await;
    snapshot!(world.max.reads(&waits).await);
    // What was approved waits no longer.
    let actions = [format!("s{session}-p1-a1")];
    world
        .executes(&session, &[&actions[0]])
        .await
        .expect(202);
    assert_eq!(world.max.get(&waits).await.ids(), [0; 0]);
    // Nor does what was cancelled.
    let other = world.stuck_batch().await;
    world.proposed(&other).await;
    assert_eq!(world.max.get(&waits).await.ids().len(), 1);
    world.cancels(&other).await.expect(200);
    assert_eq!(world.max.get(&waits).await.ids(), [0; 0]);
    // Nor does what expired, although nobody has swept yet.
    world
        .proposed(&world.stuck_batch().await)
        .await;
    world.api.clock.advance(23 * span::HOUR);
    let last = world.stuck_batch().await;
    world.proposed(&last).await;
    world.api.clock.advance(2 * span::HOUR);
    let max = world.api.sign_in("max").await;
    assert_eq!(max.get(&waits).await.ids(), [last.as_i64().unwrap()]);
}

#[tokio::test]
async fn waiting_sessions_are_found_without_a_walk_of_the_others() {
    let world = Concierge::start().await;
    for _ in 0..12 {
        world.failed_payment().await;
    }
    world
        .proposed(&world.stuck_batch().await)
        .await;
    let path = format!("{SESSIONS}?status=awaiting_confirmation&limit=1");
    let page = world.max.get(&path).await;
    // A walk through all of them would not know that there is nothing more.
    assert_eq!((page.ids().len(), page.next()), (1, None));
    let of_alert = world
        .max
        .get(&format!("{path}&alertId=1"))
        .await;
    assert_eq!(of_alert.ids(), [0; 0]);
}
