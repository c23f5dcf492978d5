//! Verification: checks find whether an action had its effect.

use shared::agent::check::Verification;
use tests::support::{fact_is, posts, read_of, retrying_verified, with};

use super::*;

#[tokio::test]
async fn a_success_counts_once_its_effect_is_verified() {
    let (world, id, actions) = given(vec![retrying_verified()], true).await;
    world
        .runs_with(&world.worker(), &id, &actions[0])
        .await;
    world.is_completed(&id, 1).await;
    let session = world.session(&id).await;
    let now = &session["updatedAt"];
    let expected = json!({
        "purpose": "effect", "status": "done", "count": 1, "at": now, "next": null, "problem": null,
        "found": {"payment.http": 200, "payment.state": "succeeded"},
    });
    assert_eq!(session["executionResults"][0]["checks"], json!([expected]));
    counts(&world, &id, true).await;
    let last = journal(&world, &id).await;
    let both = ["verified", "alert_resolved"].map(|event| (event.to_owned(), "worker".to_owned()));
    assert!(
        both.iter()
            .all(|entry| last.contains(entry)),
        "{last:?}"
    );
}

/// Brings a customer in line, which takes effect once this many events are missing.
fn in_line(missing: i64) -> ProposedAction {
    let path = "/customers/cus_501/sync";
    let sync = ActionType::SyncCustomer;
    let mut read = read_of("customer", "billing", "/customers/cus_501");
    read.facts = [("missing".to_owned(), "/missingUsageEvents".to_owned())].into();
    let sync = posting(sync, "billing", path, &json!({}), "cus_501");
    with(sync, |sync| {
        sync.reads = vec![read];
        sync.verify = Some(Verification {
            effective: vec![fact_is("customer.missing", missing)],
            fails_if: Vec::new(),
            amount: None,
            within: 10 * MINUTE,
        });
    })
}

/// Sends the customer's missing events past the agent.
async fn resent_by_another(world: &Concierge) {
    let resend = ActionType::ResendUsageEvents;
    let body = json!({"customerId": "cus_501"});
    calls(world, resend, "billing", "/usage-events/resend", &body).await;
}

#[tokio::test]
async fn an_effect_that_takes_a_while_is_waited_for() {
    let (world, id, actions) = given(vec![in_line(0)], true).await;
    world
        .runs_with(&world.worker(), &id, &actions[0])
        .await;
    world.is_completed(&id, 1).await;
    let pending = ("pending".to_owned(), 1);
    assert_eq!(checked(&world, &id, "effect").await, pending);
    let result = result(&world, &id).await;
    let facts = &check_of(&result, "effect")["found"];
    assert_eq!(facts["customer.missing"], 1840);
    counts(&world, &id, false).await;
    assert_eq!(world.passes(15 * SECOND).await.checks, 1);
    resent_by_another(&world).await;
    // The same message twice is one check.
    let asks = world.checks(&id, &actions[0]);
    world.api.clock.advance(45 * SECOND);
    let worker = world.worker();
    let response = worker
        .handle(event(&[(&asks, 1), (&asks, 1)]))
        .await;
    assert_eq!(response.batch_item_failures.len(), 0);
    let effective = ("done".to_owned(), 3);
    assert_eq!(checked(&world, &id, "effect").await, effective);
    counts(&world, &id, true).await;
    assert_eq!(world.passes(HOUR).await, sweeper::Swept::default());
}

#[tokio::test]
async fn a_worker_killed_before_its_verification_is_followed_by_another() {
    let (world, id, actions) = given(vec![retrying_verified()], true).await;
    dies_under(&world, &id, &actions[0], fault(FaultMode::Hang, READ)).await;
    let pending = ("pending".to_owned(), 0);
    assert_eq!(checked(&world, &id, "effect").await, pending);
    assert_eq!(world.outcome(&id).await.0, "completed");
    // The sweeper asks for it at once, and again where that is lost as well.
    assert_eq!(world.sweeper().sweep().await.checks, 1);
    let message = world.checks(&id, &actions[0]);
    assert_eq!(world.takes_messages().await, [message]);
    world.api.clock.advance(2 * MINUTE - 1);
    assert_eq!(world.sweeper().sweep().await.checks, 0);
    let swept = world.passes(1).await;
    assert_eq!((swept.checks, swept.overdue), (1, 1));
    let effective = ("done".to_owned(), 1);
    assert_eq!(checked(&world, &id, "effect").await, effective);
    assert_eq!(world.minutes_saved().await, 5);
    assert_eq!(world.demo.effects().len(), 1);
}

#[tokio::test]
async fn a_verification_waits_while_its_connection_is_paused() {
    let (world, id, actions) = given(vec![in_line(7)], true).await;
    world
        .runs_with(&world.worker(), &id, &actions[0])
        .await;
    let pause = "/api/concierge/connections/billing/pause";
    world.max.triggers(pause).await;
    for _ in 0..3 {
        assert_eq!(world.passes(MINUTE).await.checks, 1);
        assert_eq!(checked(&world, &id, "effect").await.1, 1);
    }
    let resume = "/api/concierge/connections/billing/resume";
    world.max.triggers(resume).await;
    world.passes(MINUTE).await;
    assert_eq!(checked(&world, &id, "effect").await.1, 2);
}

#[tokio::test]
async fn a_verdict_that_was_all_that_was_missing_resolves_the_alert() {
    let body = json!({"customerId": "cus_501", "template": "payment_failed"});
    let tell = ActionType::NotifyCustomer;
    let message = posting(tell, "notifications", "/messages", &body, "cus_501");
    let world = Concierge::start_proposing(vec![message, retrying_verified()]).await;
    world
        .honours_no_keys("notifications")
        .await;
    let payment = [("payment", "pay_3001")];
    let (id, actions) = world
        .all_approved("payment_failed", &payment)
        .await;
    world.fails("notifications", FaultMode::Drop);
    for action in &actions {
        world
            .runs_with(&world.worker(), &id, action)
            .await;
    }
    assert_eq!(world.outcome(&id).await.0, "executing");
    assert_eq!(alert_status(&world, &id).await, "open");
    let action = &actions[0];
    posts!(world.max, "/api/concierge/agent-sessions/{id}/actions/{action}/settle", {
        "outcome": "done", "note": "The log of the mail server has it.",
    });
    assert_eq!(world.outcome(&id).await.0, "completed");
    assert_eq!(result(&world, &id).await["steps"][0]["status"], "done");
    // The settlement has a worker read whether the alert's matter is settled.
    assert_eq!(alert_status(&world, &id).await, "open");
    world.delivers(&world.worker()).await;
    assert_eq!(alert_status(&world, &id).await, "resolved");
    let resolved = ("alert_resolved".to_owned(), "worker".to_owned());
    assert!(
        journal(&world, &id)
            .await
            .contains(&resolved)
    );
}
