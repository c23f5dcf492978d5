//! Whether actions had their effects.

use shared::model::Verification;

use super::*;
use crate::support::{fact_is, read_of, retrying, retrying_verified};

#[tokio::test]
async fn a_success_counts_once_its_effect_was_found() {
    let world = Concierge::start_proposing(vec![retrying_verified()]).await;
    let (id, actions) = approved(&world).await;
    runs(&world, &world.worker(), &id, &actions[0]).await;
    assert_eq!(world.outcome(&id).await.0, "completed");
    let session = world.session(&id).await;
    let now = &session["updatedAt"];
    assert_eq!(
        session["executionResults"][0]["verification"],
        json!({
            "status": "effective", "looks": 1, "at": now, "next": null, "problem": null,
            "found": {"payment.http": 200, "payment.state": "succeeded"},
        })
    );
    assert_eq!(world.minutes_saved().await, 5);
    assert_eq!(world.api.items_of("remedy").await.len(), 1);
    assert_eq!(alert_status(&world, &id).await, "resolved");
    let last: Vec<(String, String)> = journal(&world, &id).await;
    let both = ["verified", "alert_resolved"].map(|what| (what.to_owned(), "worker".to_owned()));
    assert!(both.iter().all(|one| last.contains(one)), "{last:?}");
}

#[tokio::test]
async fn without_a_look_a_success_counts_at_once_and_resolves_no_alert() {
    let world = Concierge::start_proposing(vec![retrying()]).await;
    let (id, actions) = approved(&world).await;
    runs(&world, &world.worker(), &id, &actions[0]).await;
    assert_eq!(world.outcome(&id).await.0, "completed");
    assert!(result(&world, &id).await["verification"].is_null());
    assert_eq!(world.minutes_saved().await, 5);
    assert_eq!(world.api.items_of("remedy").await.len(), 1);
    assert_eq!(alert_status(&world, &id).await, "open");
}

/// Brings a customer in line, which has its effect once what is missing was sent.
fn in_line(value: i64) -> ProposedAction {
    let path = "/customers/cus_501/sync";
    let sync = ActionType::SyncCustomer;
    let mut read = read_of("customer", "billing", "/customers/cus_501");
    let missing = ("missing".to_owned(), "/missingUsageEvents".to_owned());
    read.facts = [missing].into();
    ProposedAction {
        reads: vec![read],
        verify: Some(Verification {
            effective: fact_is("customer.missing", value),
            within: 10 * MINUTE,
        }),
        ..posting(sync, "billing", path, &json!({}), "cus_501")
    }
}

#[tokio::test]
async fn an_effect_that_takes_a_while_is_waited_for() {
    let world = Concierge::start_proposing(vec![in_line(0)]).await;
    let (id, actions) = approved(&world).await;
    runs(&world, &world.worker(), &id, &actions[0]).await;
    assert_eq!(world.outcome(&id).await.0, "completed");
    let looks = result(&world, &id).await["verification"].clone();
    assert_eq!(
        (&looks["status"], &looks["looks"]),
        (&json!("pending"), &json!(1))
    );
    assert_eq!(looks["found"]["customer.missing"], 1840);
    assert_eq!(world.minutes_saved().await, 0);
    assert_eq!(world.api.items_of("remedy").await.len(), 0);
    assert_eq!(alert_status(&world, &id).await, "open");
    assert_eq!(passes(&world, 15 * SECOND).await.looks, 1);
    let body = json!({"customerId": "cus_501"});
    let resend = ActionType::ResendUsageEvents;
    let resend = posting(resend, "billing", "/usage-events/resend", &body, "cus_501");
    let call = resend.steps[0].call.as_ref().unwrap();
    assert_eq!(world.calls("billing", call).await, 200);
    // The same message twice is one look.
    let asks = world.looks(&id, &actions[0]);
    world.api.clock.advance(45 * SECOND);
    let worker = world.worker();
    let response = worker.handle(event(&[(&asks, 1), (&asks, 1)])).await;
    assert_eq!(response.batch_item_failures.len(), 0);
    let looks = result(&world, &id).await["verification"].clone();
    assert_eq!(
        (&looks["status"], &looks["looks"]),
        (&json!("effective"), &json!(3))
    );
    assert_eq!(world.minutes_saved().await, 5);
    assert_eq!(alert_status(&world, &id).await, "resolved");
    assert_eq!(passes(&world, HOUR).await, sweeper::Swept::default());
}

#[tokio::test]
async fn an_effect_that_is_not_found_in_time_counts_nowhere() {
    let world = Concierge::start_proposing(vec![in_line(7)]).await;
    let (id, actions) = approved(&world).await;
    runs(&world, &world.worker(), &id, &actions[0]).await;
    let mut before = 0;
    for look in [15 * SECOND, MINUTE, 5 * MINUTE, 10 * MINUTE] {
        assert_eq!(
            result(&world, &id).await["verification"]["status"],
            "pending"
        );
        assert_eq!(passes(&world, look - before).await.looks, 1);
        before = look;
    }
    let looks = result(&world, &id).await["verification"].clone();
    assert_eq!(
        (&looks["status"], &looks["looks"]),
        (&json!("ineffective"), &json!(5))
    );
    let problem = looks["problem"].as_str().unwrap();
    assert!(
        problem.contains("found that customer.missing is 1840"),
        "{problem}"
    );
    assert_eq!(world.outcome(&id).await.0, "completed");
    assert_eq!(world.minutes_saved().await, 0);
    assert_eq!(world.api.items_of("remedy").await.len(), 0);
    assert_eq!(alert_status(&world, &id).await, "open");
    assert_eq!(passes(&world, HOUR).await, sweeper::Swept::default());
}

#[tokio::test]
async fn an_alert_is_resolved_once_all_of_its_actions_are_effective() {
    let sync = ProposedAction {
        key: "sync".to_owned(),
        ..in_line(0)
    };
    let world = Concierge::start_proposing(vec![sync, retrying_verified()]).await;
    let (id, actions) = approved(&world).await;
    runs(&world, &world.worker(), &id, &actions[0]).await;
    runs(&world, &world.worker(), &id, &actions[1]).await;
    assert_eq!(world.outcome(&id).await.0, "completed");
    assert_eq!(alert_status(&world, &id).await, "open");
    let body = json!({"customerId": "cus_501"});
    let resend = ActionType::ResendUsageEvents;
    let resend = posting(resend, "billing", "/usage-events/resend", &body, "cus_501");
    let call = resend.steps[0].call.as_ref().unwrap();
    world.calls("billing", call).await;
    passes(&world, 15 * SECOND).await;
    assert_eq!(alert_status(&world, &id).await, "resolved");
    assert_eq!(world.minutes_saved().await, 10);
}

#[tokio::test]
async fn a_worker_that_is_killed_before_its_look_is_followed_by_another() {
    let world = Concierge::start_proposing(vec![retrying_verified()]).await;
    let (id, actions) = approved(&world).await;
    killed_in_a_read(&world, &id, &actions[0]).await;
    let looks = result(&world, &id).await["verification"].clone();
    assert_eq!(
        (&looks["status"], &looks["looks"]),
        (&json!("pending"), &json!(0))
    );
    assert_eq!(world.outcome(&id).await.0, "completed");
    // The sweeper asks for it at once, and again where that is lost as well.
    assert_eq!(world.sweeper().sweep().await.looks, 1);
    assert_eq!(
        world.takes_messages().await,
        [world.looks(&id, &actions[0])]
    );
    world.api.clock.advance(2 * MINUTE - 1);
    assert_eq!(world.sweeper().sweep().await.looks, 0);
    let swept = passes(&world, 1).await;
    assert_eq!((swept.looks, swept.overdue), (1, 1));
    assert_eq!(
        result(&world, &id).await["verification"]["status"],
        "effective"
    );
    assert_eq!(world.minutes_saved().await, 5);
    assert_eq!(world.demo.effects().len(), 1);
}

#[tokio::test]
async fn while_its_connection_is_paused_nobody_looks() {
    let world = Concierge::start_proposing(vec![in_line(7)]).await;
    let (id, actions) = approved(&world).await;
    runs(&world, &world.worker(), &id, &actions[0]).await;
    let pause = "/api/concierge/connections/billing/pause";
    world.max.trigger(pause).await.expect(200);
    for _ in 0..3 {
        assert_eq!(passes(&world, MINUTE).await.looks, 1);
        assert_eq!(result(&world, &id).await["verification"]["looks"], 1);
    }
    let resume = "/api/concierge/connections/billing/resume";
    world.max.trigger(resume).await.expect(200);
    passes(&world, MINUTE).await;
    assert_eq!(result(&world, &id).await["verification"]["looks"], 2);
}

#[tokio::test]
async fn a_verdict_that_was_all_that_was_missing_resolves_the_alert() {
    let body = json!({"customerId": "cus_501", "template": "payment_failed"});
    let tell = ActionType::NotifyCustomer;
    let message = posting(tell, "notifications", "/messages", &body, "cus_501");
    let world = Concierge::start_proposing(vec![message, retrying_verified()]).await;
    world
        .connects("notifications", json!({"idempotency": null}))
        .await;
    let (id, actions) = approved(&world).await;
    world
        .demo
        .inject(Fault::once("notifications", FaultMode::Drop));
    runs(&world, &world.worker(), &id, &actions[0]).await;
    runs(&world, &world.worker(), &id, &actions[1]).await;
    assert_eq!(world.outcome(&id).await.0, "failed");
    assert_eq!(alert_status(&world, &id).await, "open");
    let action = &actions[0];
    let path = format!("/api/concierge/agent-sessions/{id}/actions/{action}/verdict");
    let seen = json!({"outcome": "done", "note": "The log of the mail server has it."});
    world.max.post(&path, seen).await.expect(200);
    assert_eq!(world.outcome(&id).await.0, "completed");
    assert_eq!(result(&world, &id).await["steps"][0]["status"], "done");
    assert_eq!(alert_status(&world, &id).await, "resolved");
    let resolved = ("alert_resolved".to_owned(), "user".to_owned());
    assert!(journal(&world, &id).await.contains(&resolved));
}
