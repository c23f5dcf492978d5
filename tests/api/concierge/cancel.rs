//! `POST /api/concierge/agent-sessions/{id}/cancel`

use tests::support::{Concierge, refused};

#[tokio::test]
async fn a_session_that_runs_nothing_is_cancelled_at_once() {
    let world = Concierge::start().await;
    let id = world.stuck_batch().await;
    let sue = world.api.sign_in("sue").await;
    let path = format!("/api/concierge/agent-sessions/{id}/cancel");
    let body = sue.triggers(&path).await;
    assert!(
        !body["message"]
            .as_str()
            .unwrap()
            .is_empty()
    );
    assert_eq!(body.as_object().unwrap().len(), 1);
    assert_eq!(world.session(&id).await["status"], "cancelled");
    // Again changes nothing.
    let before = world.api.table_dump().await;
    sue.triggers(&path).await;
    assert_eq!(world.api.table_dump().await, before);
}

#[tokio::test]
async fn actions_that_were_not_claimed_are_skipped() {
    let world = Concierge::start().await;
    let id = world.failed_payment().await;
    let actions = world.proposed(&id).await;
    world
        .executes(&id, &[&actions[0], &actions[1]])
        .await
        .expect(202);
    world.cancels(&id).await.expect(200);
    let (status, results) = world.outcome(&id).await;
    assert_eq!(status, "cancelled");
    for (success, error) in &results {
        assert!(!success);
        assert_eq!(error, "Cancelled before it started.");
    }
    assert_eq!(results.len(), 2);
    assert_eq!(world.delivers(&world.worker()).await, 0);
    assert_eq!(world.demo.effects(), []);
    refused!(world.executes(&id, &[&actions[0]]).await => 409, "invalid_transition");
}
