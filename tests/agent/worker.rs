//! The worker before target systems that fail on demand. However often a message is delivered and
//! whenever a worker is killed, an action has at most one effect and its session ends.

use std::time::Duration;

use action_worker::{Worker, WorkerLimits};
use local::target_systems::{FaultMode, InjectedFault};
use serde_json::Value;
use shared::{
    agent::{action::ActionKey, transition::Claim},
    model::base::{Id, span},
    store::agent::Lease,
};
use tests::support::{AFTER_THE_LEASE, Concierge, event, late, once};

const SYNC: (&str, &[(&str, &str)]) = ("customer_out_of_sync", &[("customer", "cus_501")]);

/// A worker that tries a call once more.
fn twice(world: &Concierge) -> Worker {
    world.worker_with(WorkerLimits {
        pauses: vec![Duration::from_millis(1)],
        ..once()
    })
}

#[tokio::test]
async fn an_approved_action_has_its_effect_and_saves_its_minutes() {
    let (world, id, action) = Concierge::start()
        .await
        .with_approved_batch()
        .await;
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
    world
        .runs_all_at_once(&[world.message(&id, &action)])
        .await;
    world.is_completed(&id, 1).await;
}

#[tokio::test]
async fn a_call_whose_worker_was_killed_is_repeated_with_its_key() {
    let (world, id, action) = Concierge::start_unwary()
        .await
        .with_approved_batch()
        .await;
    world.takes_messages().await;
    world.demo.inject(late("billing"));
    world
        .dies_after_the_effect(&id, &action)
        .await;
    // While the lease lasts, no other worker takes it.
    world.runs(&id, &action).await;
    world.is_executing(&id, 1).await;
    assert_eq!(
        world
            .passes(AFTER_THE_LEASE)
            .await
            .resent,
        1
    );
    world.is_completed(&id, 1).await;
    assert_eq!(world.minutes_saved().await, 25);
}

#[tokio::test]
async fn without_keys_a_call_whose_worker_was_killed_is_not_repeated() {
    let world = Concierge::start_unwary().await;
    let (id, action) = world.approved_message().await;
    world.takes_messages().await;
    world.demo.inject(late("notifications"));
    world
        .dies_after_the_effect(&id, &action)
        .await;
    assert_eq!(
        world
            .passes(AFTER_THE_LEASE)
            .await
            .resent,
        1
    );
    world
        .is_open(&id, "not sent again", 1)
        .await;
    assert_eq!(world.minutes_saved().await, 0);
}

#[tokio::test]
async fn a_worker_that_outlived_its_lease_overwrites_nothing() {
    let (world, id, action) = Concierge::start_unwary()
        .await
        .with_approved_batch()
        .await;
    let message = world.message(&id, &action);
    world.demo.inject(late("billing"));
    let slow = world.worker();
    let message = message.as_str();
    let overtaken = async {
        world.effects_reach(1).await;
        world.api.clock.advance(AFTER_THE_LEASE);
        world
            .worker()
            .handle(event(&[(message, 2)]))
            .await;
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

/// The next holder is at work, so that the number of the claim alone tells who holds the action.
#[tokio::test]
async fn a_worker_whose_claim_is_not_the_last_may_send_nothing() {
    let (world, id, action) = Concierge::start()
        .await
        .with_approved_batch()
        .await;
    let session = Id::new(id.as_i64().unwrap()).unwrap();
    let key = ActionKey::new(world.api.home.id, session, &*action);
    let agent = world.api.store.agent();
    let claims = async || match agent
        .claim(&key, span::MINUTE)
        .await
        .unwrap()
    {
        Claim::Held(held) => *held.action,
        other => panic!("{other:?}"),
    };
    let mut former = claims().await;
    world.api.clock.advance(AFTER_THE_LEASE);
    let mut next = claims().await;
    for (holder, lease) in [(&mut former, Lease::Lost), (&mut next, Lease::Held)] {
        assert_eq!(agent.heartbeat(holder).await.unwrap(), lease);
    }
}

/// The answers to the first call of an action. The crate `agent` has what each means, with keys and
/// without.
#[tokio::test]
async fn an_answer_ends_an_action_as_its_keys_allow() {
    use FaultMode::{Drop, Fail, Garbage, Hang};
    let unclear = "may have been done";
    for (keyed, mode, code, status, says, effects) in [
        (true, Drop, 500, "completed", "", 1),
        (false, Drop, 500, "executing", unclear, 1),
        (false, Garbage, 500, "executing", "else than JSON", 0),
        (false, Hang, 500, "executing", "did not answer in time", 0),
        (false, Fail, 503, "executing", unclear, 0),
        (false, Fail, 429, "completed", "", 1),
        (false, Fail, 404, "failed", "answered 404.", 0),
    ] {
        let world = Concierge::start_unwary().await;
        let (system, (id, _)) = if keyed {
            ("billing", world.approved_batch().await)
        } else {
            ("notifications", world.approved_message().await)
        };
        world
            .demo
            .inject(InjectedFault::once(system, mode).status(code));
        let worker = twice(&world);
        let delivers = world.delivers(&worker);
        let wanted_again = match mode {
            Hang => world.gives_up(0, delivers).await,
            _ => delivers.await,
        };
        let case = format!("{mode:?} {code}, keyed {keyed}");
        assert_eq!(wanted_again, 0, "{case}");
        let (actual, results) = world.outcome(&id).await;
        assert_eq!(actual, status, "{case}: {results:?}");
        assert!(results[0].1.contains(says), "{case}: {results:?}");
        assert_eq!(world.demo.effects().len(), effects, "{case}");
    }
}

#[tokio::test]
async fn a_session_cancelled_during_a_call_lets_it_end_and_starts_no_other() {
    let world = Concierge::start_unwary().await;
    let id = world.failed_payment().await;
    let actions = world.proposed(&id).await;
    let both = [&*actions[0], &*actions[1]];
    world
        .executes(&id, &both)
        .await
        .expect(202);
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
    world
        .demo
        .inject(late("billing").of("GET /customers/{id}"));
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
async fn a_poisoned_message_harms_no_neighbour() {
    let (world, id, action) = Concierge::start_unwary()
        .await
        .with_approved_batch()
        .await;
    let good = world.message(&id, &action);
    let absent = world.message(&Value::from(4711), "s4711-p1-a1");
    let future = good.replace("\"version\":1", "\"version\":2");
    let batch = ["poison", &absent, &good, &future, ""].map(|text| (text, 1));
    let response = world
        .worker()
        .handle(event(&batch))
        .await;
    let failed = response.batch_item_failures.iter();
    let failed: Vec<&str> = failed
        .map(|failure| &*failure.item_identifier)
        .collect();
    assert_eq!(failed, ["message-0", "message-1", "message-3", "message-4"]);
    world.is_completed(&id, 1).await;
}

#[tokio::test]
async fn a_damaged_record_becomes_a_dead_letter_and_does_not_hold_up_its_session() {
    let world = Concierge::start_unwary().await;
    let id = world.failed_payment().await;
    let actions = world.proposed(&id).await;
    let both = [&*actions[0], &*actions[1]];
    world
        .executes(&id, &both)
        .await
        .expect(202);
    world.poisons(&id, both[1]).await;
    let [good, bad] = both.map(|action| world.message(&id, action));
    let response = world
        .worker()
        .handle(event(&[(&bad, 5), (&good, 1)]))
        .await;
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
        let entities = [("usage_batch", &*format!("ub_100{number}"))];
        let (id, action) = world
            .approved("usage_batch_stuck", &entities, 0)
            .await;
        messages.extend([world.message(&id, &action), world.message(&id, &action)]);
    }
    world.runs_all_at_once(&messages).await;
    assert_eq!(world.demo.effects().len(), 6);
    assert_eq!(world.minutes_saved().await, 6 * 25);
}
