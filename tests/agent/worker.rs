//! The worker before target systems that fail on demand. However often a message is delivered and
//! whenever a worker is killed, an action has at most one effect and its session ends.

use std::time::Duration;

use action_worker::{Limits, Worker};
use local::target_systems::{Fault, FaultMode};
use serde_json::{Value, json};
use tests::support::{AFTER_THE_LEASE, Concierge, event, late, once};

const MINUTE: i64 = 60_000;

const SYNC: (&str, &[(&str, &str)]) = ("customer_out_of_sync", &[("customer", "cus_501")]);

/// A worker that tries a call once more.
fn twice(world: &Concierge) -> Worker {
    world.worker_with(Limits {
        pauses: vec![Duration::from_millis(1)],
        ..once()
    })
}

#[tokio::test]
async fn an_approved_action_has_its_effect_and_saves_its_minutes() {
    let world = Concierge::start().await;
    let (id, action) = world.approved_batch().await;
    assert_eq!(world.delivers(&world.worker()).await, 0);
    let done = ("completed".into(), vec![(true, String::new())]);
    assert_eq!(world.outcome(&id).await, done);
    let effects = world.demo.effects();
    assert_eq!(effects.len(), 1);
    assert_eq!(effects[0].entity, "ub_1001");
    let key = format!("wd-{}-1-{id}-{action}-1-1", world.stack().await);
    assert_eq!(effects[0].idempotency_key.as_deref(), Some(key.as_str()));
    assert_eq!(world.minutes_saved().await, 25);
}

#[tokio::test]
async fn a_message_that_is_delivered_again_and_again_has_one_effect() {
    let world = Concierge::start_unwary().await;
    let (id, action) = world.approved_message().await;
    let message = world.message(&id, &action);
    let worker = world.worker();
    // Twice at once, once more after that, and by two workers at once.
    for batch in [&[(&*message, 1), (&*message, 1)][..], &[(&*message, 2)]] {
        let response = worker.handle(event(batch)).await;
        assert_eq!(response.batch_item_failures.len(), 0);
    }
    world.is_completed(&id, 1).await;
    assert_eq!(world.minutes_saved().await, 10);
    let world = Concierge::start_unwary().await;
    let (id, action) = world.approved_message().await;
    world.runs_all_at_once(&[world.message(&id, &action)]).await;
    world.is_completed(&id, 1).await;
}

#[tokio::test]
async fn a_call_whose_worker_was_killed_is_repeated_with_its_key() {
    let world = Concierge::start_unwary().await;
    let (id, action) = world.approved_batch().await;
    world.takes_messages().await;
    world.demo.inject(late("billing"));
    world.dies_after_the_effect(&id, &action).await;
    // While the lease lasts, no other worker takes it.
    world.runs(&id, &action).await;
    world.is_executing(&id, 1).await;
    assert_eq!(world.passes(AFTER_THE_LEASE).await.resent, 1);
    world.is_completed(&id, 1).await;
    assert_eq!(world.minutes_saved().await, 25);
}

#[tokio::test]
async fn without_keys_a_call_whose_worker_was_killed_is_not_repeated() {
    let world = Concierge::start_unwary().await;
    let (id, action) = world.approved_message().await;
    world.takes_messages().await;
    world.demo.inject(late("notifications"));
    world.dies_after_the_effect(&id, &action).await;
    assert_eq!(world.passes(AFTER_THE_LEASE).await.resent, 1);
    world.is_open(&id, "not sent again", 1).await;
    assert_eq!(world.minutes_saved().await, 0);

    // Nor is one whose header was taken away since.
    let world = Concierge::start_unwary().await;
    let (id, action) = world.approved_batch().await;
    world.takes_messages().await;
    world.demo.inject(late("billing"));
    world.dies_after_the_effect(&id, &action).await;
    world.api.clock.advance(AFTER_THE_LEASE);
    world.honours_no_keys("billing").await;
    world.runs(&id, &action).await;
    world.is_open(&id, "not sent again", 1).await;
}

#[tokio::test]
async fn a_worker_that_outlived_its_lease_overwrites_nothing() {
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
        world.is_completed(&id, 1).await;
        let before = world.session(&id).await;
        world.demo.hurry();
        before
    };
    let (_, before) = futures::join!(slow.handle(event(&[(message, 1)])), overtaken);
    assert_eq!(world.session(&id).await, before);
    assert_eq!(world.demo.effects().len(), 1);
    assert_eq!(world.minutes_saved().await, 25);
}

/// Delivers the queue's messages under a fault, which may leave a call without an answer.
async fn delivers_under(world: &Concierge, worker: &Worker, mode: FaultMode) {
    let delivers = world.delivers(worker);
    let wanted_again = match mode {
        FaultMode::Hang => world.gives_up(0, delivers).await,
        _ => delivers.await,
    };
    assert_eq!(wanted_again, 0, "{mode:?}");
}

/// Every answer to the first call of an action, of a system that honours keys and of one without;
/// the worker tries a call twice. With the status, what the result says, and the effects.
#[tokio::test]
async fn each_answer_ends_an_action_as_its_keys_allow() {
    use FaultMode::{Drop, Fail, Garbage, Hang};
    let unclear = "may have been done";
    for (keyed, mode, code, status, says, effects) in [
        // What is unclear is asked again under the same key.
        (true, Fail, 500, "completed", &[] as &[&str], 1),
        (true, Drop, 500, "completed", &[], 1),
        (true, Garbage, 500, "completed", &[], 1),
        (true, Hang, 500, "completed", &[], 1),
        // Without keys it stays unclear.
        (
            false,
            Fail,
            500,
            "executing",
            &["answered 500.", unclear],
            0,
        ),
        (
            false,
            Drop,
            500,
            "executing",
            &["The connection broke", unclear],
            1,
        ),
        (
            false,
            Garbage,
            500,
            "executing",
            &["something else than JSON", unclear],
            0,
        ),
        (
            false,
            Hang,
            500,
            "executing",
            &["did not answer in time", unclear],
            0,
        ),
        // A proxy answers so when the system behind it dies after its commit.
        (false, Fail, 503, "executing", &[unclear], 0),
        (false, Fail, 425, "executing", &[unclear], 0),
        // What was not taken is sent again, and what was refused is not.
        (false, Fail, 429, "completed", &[], 1),
        (
            false,
            Fail,
            404,
            "failed",
            &["The target system answered 404."],
            0,
        ),
    ] {
        let world = Concierge::start_unwary().await;
        let (system, (id, _)) = if keyed {
            ("billing", world.approved_batch().await)
        } else {
            ("notifications", world.approved_message().await)
        };
        world.demo.inject(Fault {
            status: code,
            ..Fault::once(system, mode)
        });
        delivers_under(&world, &twice(&world), mode).await;
        let case = format!("{mode:?} {code}, keyed {keyed}");
        let (found, results) = world.outcome(&id).await;
        assert_eq!(found, status, "{case}: {results:?}");
        for text in says {
            assert!(results[0].1.contains(text), "{case}: {results:?}");
        }
        assert_eq!(world.demo.effects().len(), effects, "{case}");
    }
}

#[tokio::test]
async fn a_refusal_of_a_repeat_says_nothing_of_the_first_call() {
    let world = Concierge::start_unwary().await;
    let (id, action) = world.approved_batch().await;
    world.takes_messages().await;
    // The first call takes effect, and its answer is lost; then the secret is rotated.
    world.fails("billing", FaultMode::Drop);
    world.demo.inject(Fault {
        status: 401,
        times: 2,
        ..Fault::once("billing", FaultMode::Fail)
    });
    world.runs(&id, &action).await;
    world.is_executing(&id, 1).await;
    assert_eq!(world.passes(MINUTE).await.resent, 1);
    world.is_completed(&id, 1).await;
}

#[tokio::test]
async fn a_refusal_that_is_repeated_for_the_key_is_definite() {
    let world = Concierge::start_unwary().await;
    let (id, action) = world.approved_batch().await;
    world.takes_messages().await;
    world.demo.inject(Fault {
        status: 422,
        delay_ms: 600_000,
        kept: true,
        ..Fault::once("billing", FaultMode::Fail)
    });
    let worker = twice(&world);
    let run = world.runs_with(&worker, &id, &action);
    world.gives_up(0, run).await;
    world.has_failed(&id, "422", 0).await;

    // Under the old key the system would give the old answer for ever.
    world.executes_again(&id, &[&action]).await.expect(202);
    assert_eq!(world.delivers(&world.worker()).await, 0);
    world.is_completed(&id, 1).await;
    let key = world.demo.effects()[0].idempotency_key.clone().unwrap();
    assert!(key.ends_with("-1-2"), "{key}");
}

#[tokio::test]
async fn a_call_that_changes_nothing_never_ends_as_unknown() {
    use FaultMode::{Drop, Fail, Garbage, Hang};
    for mode in [Hang, Drop, Garbage, Fail] {
        let world = Concierge::start_unwary().await;
        world.honours_no_keys("billing").await;
        let (id, _) = world.approved(SYNC.0, SYNC.1, 0).await;
        world.demo.inject(Fault {
            operation: Some("GET /customers/{id}".to_owned()),
            ..Fault::once("billing", mode)
        });
        delivers_under(&world, &world.worker_with(once()), mode).await;
        world.is_executing(&id, 0).await;
        assert_eq!(world.passes(MINUTE).await.resent, 1);
        world.is_completed(&id, 1).await;
    }
}

#[tokio::test]
async fn a_system_that_asks_for_a_pause_is_not_called_before_its_end() {
    let world = Concierge::start_unwary().await;
    let (id, action) = world.approved_message().await;
    world.takes_messages().await;
    world.demo.inject(Fault {
        status: 429,
        retry_after: Some("600".to_owned()),
        operation: Some("POST /messages".to_owned()),
        ..Fault::once("notifications", FaultMode::Fail)
    });
    world.runs(&id, &action).await;
    assert_eq!(world.passes(10 * MINUTE - 1).await.resent, 0);
    // Not even for a message that came twice.
    world.runs(&id, &action).await;
    world.is_executing(&id, 0).await;
    assert_eq!(world.passes(1).await.resent, 1);
    world.is_completed(&id, 1).await;
}

#[tokio::test]
async fn an_effect_that_had_taken_place_before_counts_as_done() {
    let world = Concierge::start_unwary().await;
    let batch = [("usage_batch", "ub_1007")];
    let (id, _) = world.approved("usage_batch_stuck", &batch, 0).await;
    world.delivers(&world.worker()).await;
    world.is_completed(&id, 0).await;
    let response = &world.session(&id).await["executionResults"][0]["response"];
    assert_eq!(response["body"]["code"], "already_done");
}

/// Lets time pass while sweeper and worker do their work; returns the number of rounds.
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
    // The message is done with: it is not delivered again beside those that the sweeper sends.
    world.runs_with(&world.worker(), &id, &action).await;
    let attempts = a_day_passes(&world).await;
    // The last one would have had its next after more than a day.
    assert_eq!(attempts, 5 + 46);
    let max = world.max_again().await;
    let path = format!("/api/concierge/agent-sessions/{id}");
    let session = max.get(&path).await.expect(200);
    assert_eq!(session["status"], "executing");
    let error = session["executionResults"][0]["error"].as_str().unwrap();
    assert!(error.contains("may have been done"), "{error}");
    assert_eq!(world.takes_messages().await, [] as [String; 0]);
}

#[tokio::test]
async fn fifty_minutes_without_its_target_system_cost_an_action_nothing() {
    let world = Concierge::start_unwary().await;
    // This port is closed.
    let nowhere = json!({"baseUrl": "http://127.0.0.1:9"});
    world.connects("notifications", nowhere).await;
    let (id, _) = world.approved_message().await;
    let down = world.worker_with(once());
    assert_eq!(world.delivers(&down).await, 0);
    for _ in 0..20 {
        world.api.clock.advance(MINUTE);
        world.sweeper().sweep().await;
        assert_eq!(world.delivers(&down).await, 0);
    }
    world.is_executing(&id, 0).await;
    // The longest pause is half an hour, and the approval is valid for an hour.
    world.api.clock.advance(30 * MINUTE);
    world.comes_up("notifications").await;
    world.sweeper().sweep().await;
    world.delivers(&world.worker()).await;
    world.is_completed(&id, 1).await;
}

#[tokio::test]
async fn no_call_begins_with_less_of_the_lease_than_it_may_take() {
    let world = Concierge::start_unwary().await;
    let (id, _) = world.approved_message().await;
    let short = Limits {
        lease: Duration::from_millis(100),
        ..once()
    };
    assert_eq!(world.delivers(&world.worker_with(short)).await, 0);
    // Since no call was sent, none is unknown, even without keys.
    world.is_executing(&id, 0).await;
    world.passes(MINUTE).await;
    world.is_completed(&id, 1).await;
}

#[tokio::test]
async fn a_session_cancelled_during_a_call_lets_it_end_and_starts_no_other() {
    let world = Concierge::start_unwary().await;
    let id = world.failed_payment().await;
    let actions = world.proposed(&id).await;
    let both = [&*actions[0], &*actions[1]];
    world.executes(&id, &both).await.expect(202);
    world.demo.inject(late("payments"));
    let worker = world.worker();
    let cancels = async {
        world.effects_reach(1).await;
        world.cancels(&id).await.expect(200);
        assert_eq!(world.session(&id).await["status"], "cancelling");
        world.demo.hurry();
    };
    futures::join!(world.runs_with(&worker, &id, &actions[0]), cancels);
    world.delivers(&worker).await;
    let (status, results) = world.outcome(&id).await;
    assert_eq!(status, "cancelled");
    assert_eq!(results[0], (true, String::new()));
    assert_eq!(results[1].1, "Cancelled before it started.");
    assert_eq!(world.demo.effects().len(), 1);
}

#[tokio::test]
async fn a_session_cancelled_between_two_steps_sends_no_second_one() {
    let world = Concierge::start_unwary().await;
    let (id, action) = world.approved(SYNC.0, SYNC.1, 0).await;
    world.demo.inject(Fault {
        operation: Some("GET /customers/{id}".to_owned()),
        ..late("billing")
    });
    let worker = world.worker();
    let cancels = async {
        world.faults_are_met().await;
        world.cancels(&id).await.expect(200);
        world.demo.hurry();
    };
    futures::join!(world.runs_with(&worker, &id, &action), cancels);
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
    world.dies_after_the_effect(&id, &action).await;
    world.cancels(&id).await.expect(200);
    assert_eq!(world.outcome(&id).await.0, "cancelling");
    world.passes(AFTER_THE_LEASE).await;
    let (status, results) = world.outcome(&id).await;
    assert_eq!(status, "cancelled");
    let error = &results[0].1;
    assert!(error.contains("check the target system"), "{error}");
    assert_eq!(world.demo.effects().len(), 1);
}

#[tokio::test]
async fn a_poisoned_message_harms_no_neighbour() {
    let world = Concierge::start_unwary().await;
    let (id, action) = world.approved_batch().await;
    let good = world.message(&id, &action);
    let absent = world.message(&Value::from(4711), "s4711-p1-a1");
    let future = good.replace("\"version\":1", "\"version\":2");
    let batch = ["poison", &absent, &good, &future, ""].map(|text| (text, 1));
    let response = world.worker().handle(event(&batch)).await;
    let failed = response.batch_item_failures.iter();
    let failed: Vec<&str> = failed.map(|failure| &*failure.item_identifier).collect();
    assert_eq!(failed, ["message-0", "message-1", "message-3", "message-4"]);
    world.is_completed(&id, 1).await;
}

#[tokio::test]
async fn a_damaged_record_becomes_a_dead_letter_and_does_not_hold_up_its_session() {
    let world = Concierge::start_unwary().await;
    let id = world.failed_payment().await;
    let actions = world.proposed(&id).await;
    let both = [&*actions[0], &*actions[1]];
    world.executes(&id, &both).await.expect(202);
    world.poisons(&id, both[1]).await;
    let [good, bad] = both.map(|action| world.message(&id, action));
    let response = world.worker().handle(event(&[(&bad, 5), (&good, 1)])).await;
    assert_eq!(response.batch_item_failures.len(), 1);
    let (status, results) = world.outcome(&id).await;
    assert_eq!(status, "executing");
    assert_eq!(results[0], (true, String::new()));
    assert!(results[1].1.contains("cannot be read"), "{results:?}");
    // It is out of the sweeper's way, too.
    world.api.clock.advance(AFTER_THE_LEASE);
    assert_eq!(world.sweeper().sweep().await, sweeper::Swept::default());
}

#[tokio::test]
async fn many_actions_at_once_each_have_one_effect() {
    let world = Concierge::start_unwary().await;
    let mut messages = Vec::new();
    for number in 1..=6 {
        let batch = format!("ub_100{number}");
        let entities = [("usage_batch", &*batch)];
        let (id, action) = world.approved("usage_batch_stuck", &entities, 0).await;
        messages.extend([world.message(&id, &action), world.message(&id, &action)]);
    }
    world.runs_all_at_once(&messages).await;
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
