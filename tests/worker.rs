//! The queue's worker, before target systems that fail on demand: whatever is delivered, killed
//! or retried, an action has its effect once at most, and nothing is left hanging.

use std::time::Duration;

use action_worker::{Limits, Worker};
use local::target_systems::{Fault, FaultMode};
use serde_json::{Value, json};

use crate::support::{Concierge, event, once};

/// Longer than a lease, and than the sweeper waits for a message.
const AFTER_THE_LEASE: i64 = 130_000;

const MINUTE: i64 = 60_000;

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
    let key = format!("wd-{}-1-{id}-{action}-1-1", world.stack().await);
    assert_eq!(effects[0].idempotency_key.as_deref(), Some(key.as_str()));
    assert_eq!(world.minutes_saved().await, 25);
}

#[tokio::test]
async fn the_same_message_three_times_is_one_effect() {
    let world = Concierge::start_unwary().await;
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
    let world = Concierge::start_unwary().await;
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
    let worker = world.worker_with(once());
    let effects = world.demo.effects().len();
    tokio::select! {
        _ = worker.handle(event(&[(message, 1)])) => panic!("it was to be killed"),
        () = world.effects_reach(effects + 1) => {}
    }
}

#[tokio::test]
async fn a_worker_killed_after_the_call_is_made_good_with_the_same_key() {
    let world = Concierge::start_unwary().await;
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
    let world = Concierge::start_unwary().await;
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
    let world = Concierge::start_unwary().await;
    let (id, action) = world.approved_batch().await;
    let message = world.message(&id, &action);
    world.demo.inject(late("billing"));
    let slow = world.worker();
    let message = message.as_str();
    let overtaken = async {
        world.effects_reach(1).await;
        world.api.clock.advance(AFTER_THE_LEASE);
        world.worker().handle(event(&[(message, 2)])).await;
        let before = world.session(&id).await;
        assert_eq!(before["status"], "completed");
        world.demo.hurry();
        before
    };
    let (_, before) = futures::join!(slow.handle(event(&[(message, 1)])), overtaken);
    assert_eq!(world.session(&id).await, before);
    assert_eq!(world.demo.effects().len(), 1);
    assert_eq!(world.minutes_saved().await, 25);
}

#[tokio::test]
async fn a_500_is_tried_again_with_the_same_key() {
    let world = Concierge::start_unwary().await;
    let (id, _) = world.approved_batch().await;
    world.demo.inject(Fault::once("billing", FaultMode::Fail));
    assert_eq!(world.delivers(&world.worker()).await, 0);
    assert_eq!(world.outcome(&id).await.0, "completed");
    assert_eq!(world.demo.effects().len(), 1);
}

/// Delivers what is in the queue under a fault, which may leave a call without an answer.
async fn delivers_under(world: &Concierge, worker: &Worker, mode: FaultMode) {
    let delivers = world.delivers(worker);
    let wanted_again = match mode {
        FaultMode::Hang => world.gives_up(0, delivers).await,
        _ => delivers.await,
    };
    assert_eq!(wanted_again, 0, "{mode:?}");
}

#[tokio::test]
async fn every_unclear_answer_is_tried_again_where_keys_are_honoured() {
    for mode in [FaultMode::Drop, FaultMode::Garbage, FaultMode::Hang] {
        let world = Concierge::start_unwary().await;
        let (id, _) = world.approved_batch().await;
        world.demo.inject(Fault::once("billing", mode));
        let worker = world.worker_with(Limits {
            pauses: vec![Duration::from_millis(1)],
            ..once()
        });
        delivers_under(&world, &worker, mode).await;
        assert_eq!(world.outcome(&id).await.0, "completed", "{mode:?}");
        assert_eq!(world.demo.effects().len(), 1, "{mode:?}");
    }
}

#[tokio::test]
async fn every_unclear_answer_is_unknown_at_once_where_they_are_not() {
    for (mode, effects, says) in [
        (FaultMode::Drop, 1, "The connection broke"),
        (FaultMode::Garbage, 0, "something else than JSON"),
        (FaultMode::Hang, 0, "did not answer in time"),
        (FaultMode::Fail, 0, "answered 500."),
    ] {
        let world = Concierge::start_unwary().await;
        let (id, _) = world.approved_message().await;
        world.demo.inject(Fault::once("notifications", mode));
        delivers_under(&world, &world.worker_with(once()), mode).await;
        let (status, results) = world.outcome(&id).await;
        assert_eq!(status, "failed", "{mode:?}");
        for text in [says, "may have been done"] {
            assert!(results[0].1.contains(text), "{results:?}");
        }
        assert_eq!(world.demo.effects().len(), effects, "{mode:?}");
    }
}

#[tokio::test]
async fn what_was_not_taken_is_tried_again_even_without_keys() {
    let world = Concierge::start_unwary().await;
    world.demo.inject(Fault {
        status: 429,
        times: 2,
        ..Fault::once("notifications", FaultMode::Fail)
    });
    let (id, _) = world.approved_message().await;
    assert_eq!(world.delivers(&world.worker()).await, 0);
    assert_eq!(world.outcome(&id).await.0, "completed");
    assert_eq!(world.demo.effects().len(), 1);
}

/// A proxy answers so when the system behind it dies after its commit.
#[tokio::test]
async fn a_503_does_not_say_that_nothing_was_done() {
    for status in [503, 425] {
        let world = Concierge::start_unwary().await;
        world.demo.inject(Fault {
            status,
            ..Fault::once("notifications", FaultMode::Fail)
        });
        let (id, _) = world.approved_message().await;
        assert_eq!(world.delivers(&world.worker()).await, 0);
        let (status, results) = world.outcome(&id).await;
        assert_eq!(status, "failed");
        assert!(results[0].1.contains("may have been done"), "{results:?}");
        assert_eq!(world.demo.effects(), []);
    }
}

#[tokio::test]
async fn a_refusal_of_a_repeat_is_no_answer_to_the_first_call() {
    let world = Concierge::start_unwary().await;
    let (id, action) = world.approved_batch().await;
    world.takes_messages().await;
    // The first call takes effect, and its answer is lost; then the secret is rotated.
    world.demo.inject(Fault::once("billing", FaultMode::Drop));
    world.demo.inject(Fault {
        status: 401,
        times: 2,
        ..Fault::once("billing", FaultMode::Fail)
    });
    let message = world.message(&id, &action);
    world.worker().handle(event(&[(&message, 1)])).await;
    assert_eq!(world.outcome(&id).await, ("executing".into(), vec![]));
    world.api.clock.advance(MINUTE);
    assert_eq!(world.sweeper().sweep().await.resent, 1);
    assert_eq!(world.delivers(&world.worker()).await, 0);
    assert_eq!(world.outcome(&id).await.0, "completed");
    assert_eq!(world.demo.effects().len(), 1);
}

#[tokio::test]
async fn the_first_calls_refusal_given_again_is_definite() {
    let world = Concierge::start_unwary().await;
    let (id, action) = world.approved_batch().await;
    world.takes_messages().await;
    world.demo.inject(Fault {
        status: 422,
        delay_ms: 600_000,
        kept: true,
        ..Fault::once("billing", FaultMode::Fail)
    });
    let worker = world.worker_with(Limits {
        pauses: vec![Duration::from_millis(1)],
        ..once()
    });
    let message = world.message(&id, &action);
    let batch = [(message.as_str(), 1)];
    world.gives_up(0, worker.handle(event(&batch))).await;
    let (status, results) = world.outcome(&id).await;
    assert_eq!(status, "failed");
    assert!(results[0].1.contains("422"), "{results:?}");

    // Under the old key the system would give the old answer for ever.
    world.executes_again(&id, &[&action]).await.expect(202);
    assert_eq!(world.delivers(&world.worker()).await, 0);
    assert_eq!(world.outcome(&id).await.0, "completed");
    let effects = world.demo.effects();
    assert_eq!(effects.len(), 1);
    assert!(
        effects[0]
            .idempotency_key
            .as_ref()
            .unwrap()
            .ends_with("-1-2")
    );
}

#[tokio::test]
async fn a_call_that_changes_nothing_never_ends_as_unknown() {
    for mode in [
        FaultMode::Hang,
        FaultMode::Drop,
        FaultMode::Garbage,
        FaultMode::Fail,
    ] {
        let world = Concierge::start_unwary().await;
        world
            .connects("billing", json!({"idempotency": null}))
            .await;
        let signal = world.signal("customer_out_of_sync", &[("customer", "cus_501")]);
        let id = world.opened(&signal.await).await;
        let action = world.proposed(&id).await.remove(0);
        world.executes(&id, &[&action]).await.expect(202);
        world.demo.inject(Fault {
            operation: Some("GET /customers/{id}".to_owned()),
            ..Fault::once("billing", mode)
        });
        delivers_under(&world, &world.worker_with(once()), mode).await;
        assert_eq!(world.outcome(&id).await, ("executing".into(), vec![]));
        world.api.clock.advance(MINUTE);
        assert_eq!(world.sweeper().sweep().await.resent, 1);
        world.delivers(&world.worker_with(once())).await;
        assert_eq!(world.outcome(&id).await.0, "completed", "{mode:?}");
        assert_eq!(world.demo.effects().len(), 1, "{mode:?}");
    }
}

#[tokio::test]
async fn a_system_that_asks_to_wait_is_left_alone_for_as_long() {
    let world = Concierge::start_unwary().await;
    let (id, action) = world.approved_message().await;
    world.takes_messages().await;
    let asked = Fault {
        status: 429,
        retry_after: Some("600".to_owned()),
        ..Fault::once("notifications", FaultMode::Fail)
    };
    world.demo.inject(asked);
    let message = world.message(&id, &action);
    world.worker().handle(event(&[(&message, 1)])).await;
    world.api.clock.advance(10 * MINUTE - 1);
    assert_eq!(world.sweeper().sweep().await.resent, 0);
    // Not even for a message that came twice.
    world.worker().handle(event(&[(&message, 2)])).await;
    assert_eq!(world.demo.effects(), []);
    world.api.clock.advance(1);
    assert_eq!(world.sweeper().sweep().await.resent, 1);
    world.delivers(&world.worker()).await;
    assert_eq!(world.outcome(&id).await.0, "completed");
    assert_eq!(world.demo.effects().len(), 1);
}

#[tokio::test]
async fn a_refusal_fails_for_good() {
    let world = Concierge::start_unwary().await;
    let (id, _) = world.approved_message().await;
    world.demo.inject(Fault {
        status: 404,
        ..Fault::once("notifications", FaultMode::Fail)
    });
    assert_eq!(world.delivers(&world.worker()).await, 0);
    let (status, results) = world.outcome(&id).await;
    assert_eq!(status, "failed");
    assert_eq!(results[0].1, "The target system answered 404.");
    assert_eq!(world.demo.effects(), []);
}

#[tokio::test]
async fn what_was_done_before_counts_as_done() {
    let world = Concierge::start_unwary().await;
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

/// Lets the time pass in which the sweeper and a worker do what they can; answers how often that
/// was.
async fn a_day_passes(world: &Concierge) -> usize {
    let worker = world.worker_with(once());
    let mut attempts = 0;
    // Each pause is over when the sweeper comes by, and not before.
    for pause in [1, 2, 4, 8, 16].into_iter().chain([30; 48]) {
        world.api.clock.advance(pause * MINUTE - 1);
        assert_eq!(world.sweeper().sweep().await.resent, 0);
        world.api.clock.advance(1);
        attempts += world.sweeper().sweep().await.resent;
        assert_eq!(world.delivers(&worker).await, 0);
    }
    attempts
}

#[tokio::test]
async fn a_target_system_that_is_down_is_tried_for_a_day_with_growing_pauses() {
    let world = Concierge::start_unwary().await;
    let (id, action) = world.approved_batch().await;
    world.takes_messages().await;
    world.demo.inject(Fault {
        times: 1_000,
        ..Fault::once("billing", FaultMode::Fail)
    });
    let message = world.message(&id, &action);
    let response = world.worker().handle(event(&[(&message, 1)])).await;
    // The message is done with: nothing of it is delivered again beside what the sweeper sends.
    assert_eq!(response.batch_item_failures.len(), 0);
    let attempts = a_day_passes(&world).await;
    // The last one would have had its next after more than a day.
    assert_eq!(attempts, 5 + 46);
    let max = world.api.sign_in("max").await;
    let session = max
        .get(&format!("/api/concierge/agent-sessions/{id}"))
        .await;
    let session = session.expect(200);
    assert_eq!(session["status"], "failed");
    let error = session["executionResults"][0]["error"].as_str().unwrap();
    assert!(error.contains("may have been done"), "{error}");
    assert_eq!(world.takes_messages().await, [] as [String; 0]);
}

#[tokio::test]
async fn an_hour_without_its_target_system_costs_an_action_nothing() {
    let world = Concierge::start_unwary().await;
    // Nobody listens on this port.
    let nowhere = json!({"baseUrl": "http://127.0.0.1:9"});
    world.connects("notifications", nowhere).await;
    let (id, _) = world.approved_message().await;
    let down = world.worker_with(once());
    assert_eq!(world.delivers(&down).await, 0);
    for _ in 0..60 {
        world.api.clock.advance(MINUTE);
        world.sweeper().sweep().await;
        assert_eq!(world.delivers(&down).await, 0);
    }
    assert_eq!(world.outcome(&id).await, ("executing".into(), vec![]));
    world.api.clock.advance(30 * MINUTE);
    world.comes_up("notifications").await;
    world.sweeper().sweep().await;
    world.delivers(&world.worker()).await;
    assert_eq!(world.outcome(&id).await.0, "completed");
    assert_eq!(world.demo.effects().len(), 1);
}

#[tokio::test]
async fn a_refused_action_can_be_executed_again() {
    let world = Concierge::start_unwary().await;
    let (id, action) = world.approved_message().await;
    world.demo.inject(Fault {
        status: 404,
        ..Fault::once("notifications", FaultMode::Fail)
    });
    world.delivers(&world.worker()).await;
    let (status, results) = world.outcome(&id).await;
    assert_eq!(status, "failed");
    assert!(results[0].1.contains("404"), "{results:?}");
    world.executes_again(&id, &[&action]).await.expect(202);
    world.delivers(&world.worker()).await;
    assert_eq!(world.outcome(&id).await.0, "completed");
    assert_eq!(world.demo.effects().len(), 1);
}

#[tokio::test]
async fn no_call_begins_with_less_of_the_lease_than_it_may_take() {
    let world = Concierge::start_unwary().await;
    let (id, _) = world.approved_message().await;
    let late = Limits {
        lease: Duration::from_millis(100),
        ..once()
    };
    assert_eq!(world.delivers(&world.worker_with(late)).await, 0);
    // Nothing was sent, so that nothing is unknown, even where keys are not honoured.
    assert_eq!(world.outcome(&id).await, ("executing".into(), vec![]));
    world.api.clock.advance(MINUTE);
    world.sweeper().sweep().await;
    world.delivers(&world.worker()).await;
    assert_eq!(world.outcome(&id).await.0, "completed");
    assert_eq!(world.demo.effects().len(), 1);
}

#[tokio::test]
async fn a_header_that_was_taken_away_repeats_no_call_without_its_key() {
    let world = Concierge::start_unwary().await;
    let (id, action) = world.approved_batch().await;
    world.takes_messages().await;
    world.demo.inject(late("billing"));
    killed_after_the_effect(&world, &world.message(&id, &action)).await;
    world.api.clock.advance(AFTER_THE_LEASE);
    world
        .connects("billing", json!({"idempotency": null}))
        .await;
    world
        .worker_with(once())
        .handle(event(&[(&world.message(&id, &action), 2)]))
        .await;
    let (status, results) = world.outcome(&id).await;
    assert_eq!(status, "failed");
    assert!(results[0].1.contains("not sent again"), "{results:?}");
    assert_eq!(world.demo.effects().len(), 1);
}

#[tokio::test]
async fn cancelled_while_a_call_is_under_way_it_ends_and_nothing_new_starts() {
    let world = Concierge::start_unwary().await;
    let id = world.failed_payment().await;
    let actions = world.proposed(&id).await;
    world
        .executes(&id, &[&actions[0], &actions[1]])
        .await
        .expect(202);
    world.demo.inject(late("payments"));
    let message = world.message(&id, &actions[0]);
    let worker = world.worker();
    let cancels = async {
        world.effects_reach(1).await;
        world.cancels(&id).await.expect(200);
        assert_eq!(world.session(&id).await["status"], "cancelling");
        world.demo.hurry();
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
    let world = Concierge::start_unwary().await;
    let signal = world
        .signal("customer_out_of_sync", &[("customer", "cus_501")])
        .await;
    let id = world.opened(&signal).await;
    let action = world.proposed(&id).await.remove(0);
    world.executes(&id, &[&action]).await.expect(202);
    world.demo.inject(Fault {
        operation: Some("GET /customers/{id}".to_owned()),
        ..late("billing")
    });
    let message = world.message(&id, &action);
    let worker = world.worker();
    let cancels = async {
        world.faults_are_met().await;
        world.cancels(&id).await.expect(200);
        world.demo.hurry();
    };
    futures::join!(worker.handle(event(&[(&message, 1)])), cancels);
    let (status, results) = world.outcome(&id).await;
    assert_eq!(status, "cancelled");
    assert_eq!(results[0].1, "Cancelled after some of its steps were done.");
    assert_eq!(world.demo.effects(), []);
}

#[tokio::test]
async fn a_worker_that_died_in_a_cancelled_session_leaves_the_outcome_unknown() {
    let world = Concierge::start_unwary().await;
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
    let world = Concierge::start_unwary().await;
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
    let world = Concierge::start_unwary().await;
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
    let world = Concierge::start_unwary().await;
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
    let world = Concierge::start_unwary().await;
    let (id, _) = world.approved_batch().await;
    world.delivers(&world.worker()).await;
    let response = &world.session(&id).await["executionResults"][0]["response"];
    assert_eq!(response["status"], json!(200));
    assert!(response.to_string().len() < 5_000);
}
