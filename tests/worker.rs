//! The queue's worker, before target systems that fail on demand: whatever is delivered, killed
//! or retried, an action has its effect once at most, and nothing is left hanging.

use std::time::Duration;

use action_worker::Limits;
use local::target_systems::{Fault, FaultMode};
use serde_json::{Value, json};

use crate::support::{Concierge, event};

/// Longer than a lease and what the sweeper waits beyond it.
const AFTER_THE_LEASE: i64 = 70_000;

fn impatient() -> Limits {
    Limits {
        step_timeout: Duration::from_millis(200),
        pauses: Vec::new(),
        ..Limits::default()
    }
}

fn late(system: &str) -> Fault {
    Fault {
        delay_ms: 600_000,
        ..Fault::once(system, FaultMode::Delay)
    }
}

#[tokio::test]
async fn an_approved_action_has_its_effect_and_saves_its_minutes() {
    let world = Concierge::start().await;
    let (id, action) = world.approved_batch().await;
    assert_eq!(world.delivers(&world.worker()).await, 0);
    assert_eq!(
        world.outcome(&id).await,
        ("completed".into(), vec![(true, String::new())])
    );
    let effects = world.demo.effects();
    assert_eq!(effects.len(), 1);
    assert_eq!(effects[0].entity, "ub_1001");
    let key = format!("wd-1-{id}-{action}-1");
    assert_eq!(effects[0].idempotency_key.as_deref(), Some(key.as_str()));
    assert_eq!(world.minutes_saved().await, 25);
}

#[tokio::test]
async fn the_same_message_three_times_is_one_effect() {
    let world = Concierge::start().await;
    let (id, action) = world.approved_message().await;
    let message = world.message(&id, &action);
    let worker = world.worker();
    // Twice at once, and once more after that.
    let response = worker.handle(event(&[(&message, 1), (&message, 1)])).await;
    assert_eq!(response.batch_item_failures.len(), 0);
    let response = worker.handle(event(&[(&message, 2)])).await;
    assert_eq!(response.batch_item_failures.len(), 0);
    assert_eq!(world.outcome(&id).await.0, "completed");
    assert_eq!(world.demo.effects().len(), 1);
    assert_eq!(world.minutes_saved().await, 10);
}

#[tokio::test]
async fn two_workers_on_one_message_are_one_effect() {
    let world = Concierge::start().await;
    let (id, action) = world.approved_message().await;
    let message = world.message(&id, &action);
    let (one, other) = (world.worker(), world.worker());
    futures::join!(
        one.handle(event(&[(&message, 1)])),
        other.handle(event(&[(&message, 1)])),
    );
    assert_eq!(world.outcome(&id).await.0, "completed");
    assert_eq!(world.demo.effects().len(), 1);
}

/// Lets a worker die between the call and the record of its answer.
async fn killed_after_the_effect(world: &Concierge, message: &str) {
    let worker = world.worker_with(Limits {
        step_timeout: Duration::from_secs(50),
        ..Limits::default()
    });
    let effects = world.demo.effects().len();
    tokio::select! {
        _ = worker.handle(event(&[(message, 1)])) => panic!("it was to be killed"),
        () = world.effects_reach(effects + 1) => {}
    }
}

#[tokio::test]
async fn a_worker_killed_after_the_call_is_made_good_with_the_same_key() {
    let world = Concierge::start().await;
    let (id, action) = world.approved_batch().await;
    world.takes_messages().await;
    world.demo.inject(late("billing"));
    let message = world.message(&id, &action);
    killed_after_the_effect(&world, &message).await;

    // While the lease lasts, nobody else takes it.
    world.worker().handle(event(&[(&message, 2)])).await;
    assert_eq!(world.outcome(&id).await, ("executing".into(), vec![]));
    world.api.clock.advance(AFTER_THE_LEASE);
    assert_eq!(world.sweeper().sweep().await.resent, 1);
    assert_eq!(world.delivers(&world.worker()).await, 0);
    assert_eq!(world.outcome(&id).await.0, "completed");
    assert_eq!(world.demo.effects().len(), 1);
    assert_eq!(world.minutes_saved().await, 25);
}

#[tokio::test]
async fn without_keys_a_worker_killed_after_the_call_leaves_the_outcome_unknown() {
    let world = Concierge::start().await;
    let (id, action) = world.approved_message().await;
    world.takes_messages().await;
    world.demo.inject(late("notifications"));
    killed_after_the_effect(&world, &world.message(&id, &action)).await;

    world.api.clock.advance(AFTER_THE_LEASE);
    assert_eq!(world.sweeper().sweep().await.resent, 1);
    assert_eq!(world.delivers(&world.worker()).await, 0);
    let (status, results) = world.outcome(&id).await;
    assert_eq!(status, "failed");
    assert!(results[0].1.contains("not sent again"), "{results:?}");
    assert_eq!(world.demo.effects().len(), 1);
    assert_eq!(world.minutes_saved().await, 0);
}

#[tokio::test]
async fn a_worker_that_was_thought_dead_writes_over_nobody() {
    let world = Concierge::start().await;
    let (id, action) = world.approved_batch().await;
    let message = world.message(&id, &action);
    world.demo.inject(Fault {
        delay_ms: 400,
        ..Fault::once("billing", FaultMode::Delay)
    });
    let slow = world.worker();
    let message = message.as_str();
    let overtaken = async {
        world.effects_reach(1).await;
        world.api.clock.advance(AFTER_THE_LEASE);
        world.worker().handle(event(&[(message, 2)])).await;
        let before = world.session(&id).await;
        assert_eq!(before["status"], "completed");
        before
    };
    let (_, before) = futures::join!(slow.handle(event(&[(message, 1)])), overtaken);
    assert_eq!(world.session(&id).await, before);
    assert_eq!(world.demo.effects().len(), 1);
    assert_eq!(world.minutes_saved().await, 25);
}

#[tokio::test]
async fn a_500_is_tried_again_with_the_same_key() {
    let world = Concierge::start().await;
    let (id, _) = world.approved_batch().await;
    world.demo.inject(Fault::once("billing", FaultMode::Fail));
    assert_eq!(world.delivers(&world.worker()).await, 0);
    assert_eq!(world.outcome(&id).await.0, "completed");
    assert_eq!(world.demo.effects().len(), 1);
}

#[tokio::test]
async fn every_unclear_answer_is_tried_again_where_keys_are_honoured() {
    for mode in [FaultMode::Drop, FaultMode::Garbage, FaultMode::Hang] {
        let world = Concierge::start().await;
        let (id, _) = world.approved_batch().await;
        world.demo.inject(Fault::once("billing", mode));
        let worker = world.worker_with(Limits {
            pauses: vec![Duration::from_millis(1)],
            ..impatient()
        });
        assert_eq!(world.delivers(&worker).await, 0, "{mode:?}");
        assert_eq!(world.outcome(&id).await.0, "completed", "{mode:?}");
        assert_eq!(world.demo.effects().len(), 1, "{mode:?}");
    }
}

#[tokio::test]
async fn every_unclear_answer_is_unknown_at_once_where_they_are_not() {
    for (mode, effects) in [
        (FaultMode::Drop, 1),
        (FaultMode::Garbage, 0),
        (FaultMode::Hang, 0),
        (FaultMode::Fail, 0),
    ] {
        let world = Concierge::start().await;
        let (id, _) = world.approved_message().await;
        world.demo.inject(Fault::once("notifications", mode));
        assert_eq!(world.delivers(&world.worker_with(impatient())).await, 0);
        let (status, results) = world.outcome(&id).await;
        assert_eq!(status, "failed", "{mode:?}");
        assert!(results[0].1.contains("may have been done"), "{results:?}");
        assert_eq!(world.demo.effects().len(), effects, "{mode:?}");
    }
}

#[tokio::test]
async fn what_was_not_taken_is_tried_again_even_without_keys() {
    let world = Concierge::start().await;
    for status in [429, 503] {
        world.demo.inject(Fault {
            status,
            ..Fault::once("notifications", FaultMode::Fail)
        });
    }
    let (id, _) = world.approved_message().await;
    assert_eq!(world.delivers(&world.worker()).await, 0);
    assert_eq!(world.outcome(&id).await.0, "completed");
    assert_eq!(world.demo.effects().len(), 1);
}

#[tokio::test]
async fn a_refusal_fails_for_good() {
    let world = Concierge::start().await;
    let (id, _) = world.approved_message().await;
    world.demo.inject(Fault {
        status: 404,
        ..Fault::once("notifications", FaultMode::Fail)
    });
    assert_eq!(world.delivers(&world.worker()).await, 0);
    let (status, results) = world.outcome(&id).await;
    assert_eq!(status, "failed");
    assert!(results[0].1.contains("404"), "{results:?}");
    assert_eq!(world.demo.effects(), []);
}

#[tokio::test]
async fn what_was_done_before_counts_as_done() {
    let world = Concierge::start().await;
    let signal = world
        .signal("usage_batch_stuck", &[("usage_batch", "ub_1007")])
        .await;
    let id = world.opened(&signal).await;
    let action = world.proposed(&id).await.remove(0);
    world.executes(&id, &[&action]).await.expect(202);
    world.delivers(&world.worker()).await;
    assert_eq!(world.outcome(&id).await.0, "completed");
    let response = &world.session(&id).await["executionResults"][0]["response"];
    assert_eq!(response["body"]["code"], "already_done");
    assert_eq!(world.demo.effects(), []);
}

#[tokio::test]
async fn a_target_system_that_is_down_is_tried_until_the_last_delivery() {
    let world = Concierge::start().await;
    let (id, action) = world.approved_batch().await;
    let message = world.message(&id, &action);
    let worker = world.worker();
    // Five times three calls.
    world.demo.inject(Fault {
        times: 15,
        ..Fault::once("billing", FaultMode::Fail)
    });
    for delivery in 1..5 {
        let response = worker.handle(event(&[(&message, delivery)])).await;
        assert_eq!(response.batch_item_failures.len(), 1, "{delivery}");
        assert_eq!(world.outcome(&id).await, ("executing".into(), vec![]));
    }
    // The message becomes a dead letter, and its action has an outcome before that.
    let response = worker.handle(event(&[(&message, 5)])).await;
    assert_eq!(response.batch_item_failures.len(), 1);
    let (status, results) = world.outcome(&id).await;
    assert_eq!(status, "failed");
    assert!(results[0].1.contains("may have been done"), "{results:?}");
}

#[tokio::test]
async fn nothing_sent_at_all_ends_as_failed_and_can_be_executed_again() {
    let world = Concierge::start().await;
    let (id, action) = world.approved_message().await;
    let message = world.message(&id, &action);
    world.demo.inject(Fault {
        status: 503,
        times: 3,
        ..Fault::once("notifications", FaultMode::Fail)
    });
    world.takes_messages().await;
    world.worker().handle(event(&[(&message, 5)])).await;
    let (status, results) = world.outcome(&id).await;
    assert_eq!(status, "failed");
    assert!(results[0].1.contains("It was not done"), "{results:?}");
    world.executes(&id, &[&action]).await.expect(202);
    world.delivers(&world.worker()).await;
    assert_eq!(world.outcome(&id).await.0, "completed");
    assert_eq!(world.demo.effects().len(), 1);
}

#[tokio::test]
async fn cancelled_while_a_call_is_under_way_it_ends_and_nothing_new_starts() {
    let world = Concierge::start().await;
    let id = world.failed_payment().await;
    let actions = world.proposed(&id).await;
    world
        .executes(&id, &[&actions[0], &actions[1]])
        .await
        .expect(202);
    world.demo.inject(Fault {
        delay_ms: 300,
        ..Fault::once("payments", FaultMode::Delay)
    });
    let message = world.message(&id, &actions[0]);
    let worker = world.worker();
    let cancels = async {
        world.effects_reach(1).await;
        world.cancels(&id).await.expect(200);
        assert_eq!(world.session(&id).await["status"], "cancelling");
    };
    futures::join!(worker.handle(event(&[(&message, 1)])), cancels);
    world.delivers(&worker).await;
    let (status, results) = world.outcome(&id).await;
    assert_eq!(status, "cancelled");
    assert_eq!(results[0], (true, String::new()));
    assert_eq!(results[1].1, "Cancelled before it started.");
    assert_eq!(world.demo.effects().len(), 1);
}

#[tokio::test]
async fn cancelled_between_two_steps_the_second_is_not_sent() {
    let world = Concierge::start().await;
    let signal = world
        .signal("customer_out_of_sync", &[("customer", "cus_501")])
        .await;
    let id = world.opened(&signal).await;
    let action = world.proposed(&id).await.remove(0);
    world.executes(&id, &[&action]).await.expect(202);
    world.demo.inject(Fault {
        delay_ms: 300,
        operation: Some("GET /customers/{id}".to_owned()),
        ..Fault::once("billing", FaultMode::Delay)
    });
    let message = world.message(&id, &action);
    let worker = world.worker();
    let cancels = async {
        while !world.demo.state()["faults"].as_array().unwrap().is_empty() {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        world.cancels(&id).await.expect(200);
    };
    futures::join!(worker.handle(event(&[(&message, 1)])), cancels);
    let (status, results) = world.outcome(&id).await;
    assert_eq!(status, "cancelled");
    assert_eq!(results[0].1, "Cancelled after some of its steps were done.");
    assert_eq!(world.demo.effects(), []);
}

#[tokio::test]
async fn a_worker_that_died_in_a_cancelled_session_leaves_the_outcome_unknown() {
    let world = Concierge::start().await;
    let (id, action) = world.approved_batch().await;
    world.takes_messages().await;
    world.demo.inject(late("billing"));
    killed_after_the_effect(&world, &world.message(&id, &action)).await;
    world.cancels(&id).await.expect(200);
    assert_eq!(world.outcome(&id).await.0, "cancelling");
    world.api.clock.advance(AFTER_THE_LEASE);
    world.sweeper().sweep().await;
    world.delivers(&world.worker()).await;
    let (status, results) = world.outcome(&id).await;
    assert_eq!(status, "cancelled");
    assert!(
        results[0].1.contains("check the target system"),
        "{results:?}"
    );
    assert_eq!(world.demo.effects().len(), 1);
}

#[tokio::test]
async fn a_poisoned_message_harms_no_neighbour() {
    let world = Concierge::start().await;
    let (id, action) = world.approved_batch().await;
    let good = world.message(&id, &action);
    let absent = world.message(&Value::from(4711), "s4711-p1-a1");
    let future = good.replace("\"version\":1", "\"version\":2");
    let batch = [
        ("poison", 1),
        (&*absent, 1),
        (&*good, 1),
        (&*future, 1),
        ("", 1),
    ];
    let response = world.worker().handle(event(&batch)).await;
    let failed: Vec<&str> = response
        .batch_item_failures
        .iter()
        .map(|failure| failure.item_identifier.as_str())
        .collect();
    assert_eq!(failed, ["message-0", "message-1", "message-3", "message-4"]);
    assert_eq!(world.outcome(&id).await.0, "completed");
}

#[tokio::test]
async fn a_damaged_record_becomes_a_dead_letter_and_does_not_hold_up_its_session() {
    let world = Concierge::start().await;
    let id = world.failed_payment().await;
    let actions = world.proposed(&id).await;
    world
        .executes(&id, &[&actions[0], &actions[1]])
        .await
        .expect(202);
    world.poisons(&id, &actions[1]).await;
    let (good, bad) = (
        world.message(&id, &actions[0]),
        world.message(&id, &actions[1]),
    );
    let response = world.worker().handle(event(&[(&bad, 5), (&good, 1)])).await;
    assert_eq!(response.batch_item_failures.len(), 1);
    let (status, results) = world.outcome(&id).await;
    assert_eq!(status, "failed");
    assert_eq!(results[0], (true, String::new()));
    assert!(results[1].1.contains("does not read"), "{results:?}");
    // It is out of the sweeper's way, too.
    world.api.clock.advance(AFTER_THE_LEASE);
    assert_eq!(world.sweeper().sweep().await, sweeper::Swept::default());
}

#[tokio::test]
async fn many_actions_at_once_each_have_one_effect() {
    let world = Concierge::start().await;
    let mut messages = Vec::new();
    for batch in [
        "ub_1001", "ub_1002", "ub_1003", "ub_1004", "ub_1005", "ub_1006",
    ] {
        let signal = world
            .signal("usage_batch_stuck", &[("usage_batch", batch)])
            .await;
        let id = world.opened(&signal).await;
        let action = world.proposed(&id).await.remove(0);
        world.executes(&id, &[&action]).await.expect(202);
        messages.push(world.message(&id, &action));
    }
    let batch: Vec<(&str, u32)> = messages
        .iter()
        .chain(&messages)
        .map(|message| (message.as_str(), 1))
        .collect();
    let (one, other) = (world.worker(), world.worker());
    futures::join!(one.handle(event(&batch)), other.handle(event(&batch)));
    assert_eq!(world.demo.effects().len(), 6);
    assert_eq!(world.minutes_saved().await, 6 * 25);
}

#[tokio::test]
async fn results_carry_no_more_than_the_bound_of_an_answer() {
    let world = Concierge::start().await;
    let (id, _) = world.approved_batch().await;
    world.delivers(&world.worker()).await;
    let response = &world.session(&id).await["executionResults"][0]["response"];
    assert_eq!(response["status"], json!(200));
    assert!(response.to_string().len() < 5_000);
}
