//! The sweeper finishes work that others left undone.

use shared::{
    agent::{
        action::{ActionKey, Outcome},
        session::Case,
        transition::Claim,
    },
    model::base::Id,
    store::upkeep::Shard,
};
use sweeper::{Started, Swept};
use tests::support::{Concierge, engines, shows};
use tokio::sync::oneshot;

const MINUTE: i64 = 60_000;

#[tokio::test]
async fn a_sweep_without_due_work_changes_nothing() {
    let world = Concierge::start().await;
    world.stuck_batch().await;
    let before = world.api.table_dump().await;
    assert_eq!(world.sweeper().sweep().await, Swept::default());
    assert_eq!(world.api.table_dump().await, before);
}

#[tokio::test]
async fn a_message_that_was_lost_is_sent_again_with_growing_pauses() {
    let (world, id, action) = Concierge::start()
        .await
        .with_approved_batch()
        .await;
    let message = world.message(&id, &action);
    assert_eq!(world.takes_messages().await, [message.as_str()]);
    // A message is under way for so long.
    world.api.clock.advance(2 * MINUTE - 1);
    assert_eq!(world.sweeper().sweep().await.resent, 0);
    for pause in [1, 2 * MINUTE, 4 * MINUTE] {
        world.api.clock.advance(pause - 1);
        assert_eq!(world.sweeper().sweep().await.resent, 0);
        world.api.clock.advance(1);
        assert_eq!(world.sweeper().sweep().await.resent, 1);
        assert_eq!(world.takes_messages().await, [message.as_str()]);
        assert_eq!(world.sweeper().sweep().await.resent, 0);
    }
}

/// Returns the overdue actions of all shards, and the minutes since the oldest was due.
async fn overdue(world: &Concierge) -> (usize, i64) {
    let counts = world.api.store.due_counts();
    let now = world.api.clock.now();
    let mut overdue = 0;
    let mut oldest = now;
    for shard in Shard::all() {
        for due in counts.of(shard, now).await.unwrap() {
            overdue += due.overdue;
            oldest = oldest.min(due.oldest);
        }
    }
    (overdue, now.since(oldest) / MINUTE)
}

/// The alarm wants ten minutes in a row: between two messages, the action is no less overdue.
#[tokio::test]
async fn an_action_that_was_sent_again_is_overdue_until_it_is_claimed() {
    let (world, id, action) = Concierge::start()
        .await
        .with_approved_batch()
        .await;
    world.api.clock.advance(2 * MINUTE);
    assert_eq!(world.sweeper().sweep().await.overdue, 1);
    for minute in 1..=20 {
        world.api.clock.advance(MINUTE);
        assert_eq!(overdue(&world).await, (1, minute));
        world.sweeper().sweep().await;
    }
    let session = Id::new(id.as_i64().unwrap()).unwrap();
    let key = ActionKey::new(world.api.home.id, session, &*action);
    let claim = world
        .api
        .store
        .agent()
        .claim(&key, MINUTE)
        .await
        .unwrap();
    assert!(matches!(claim, Claim::Held(_)), "{claim:?}");
    assert_eq!(overdue(&world).await, (0, 0));
}

#[tokio::test]
async fn while_the_queue_is_down_nothing_counts_as_sent() {
    let (world, id, action) = Concierge::start()
        .await
        .with_approved_batch()
        .await;
    world.takes_messages().await;
    world.api.clock.advance(2 * MINUTE);
    let nowhere = local::engines::sqs_client("http://127.0.0.1:9");
    let client = engines::engines().await.sqs();
    let store = world.api.store.clone();
    let sweeping = world
        .api
        .sweeper_of(store.clone(), nowhere.clone(), client);
    let swept = sweeping.sweep().await;
    assert_eq!((swept.resent, swept.errors), (0, 1));
    let without_queue = world
        .api
        .sweeper_of(store, nowhere.clone(), nowhere);
    let unstarted = Started {
        errors: 1,
        ..Started::default()
    };
    assert_eq!(without_queue.sweeper.start().await, unstarted);
    assert_eq!(world.sweeper().sweep().await.resent, 1);
    assert_eq!(world.takes_messages().await, [world.message(&id, &action)]);
}

#[tokio::test]
async fn an_analysis_whose_function_died_fails() {
    let world = Concierge::start().await;
    let id = world.stuck_batch().await;
    let session = shared::model::base::Id::new(id.as_i64().unwrap()).unwrap();
    let agent = world.api.store.agent();
    let (tell, begun) = oneshot::channel();
    let dies = async |_: &Case| {
        tell.send(()).unwrap();
        std::future::pending().await
    };
    tokio::select! {
        proposed = agent.propose(world.api.home.id, session, dies, "It failed.") => {
            panic!("it was to die: {proposed:?}")
        }
        begun = begun => begun.unwrap(),
    }
    assert_eq!(world.session(&id).await["status"], "analyzing");
    world.api.clock.advance(2 * MINUTE);
    // It reads as failed before the sweeper writes so.
    assert_eq!(world.session(&id).await["status"], "failed");
    assert_eq!(
        world
            .sweeper()
            .sweep()
            .await
            .interrupted,
        1
    );
    let session = world.session(&id).await;
    shows!(session, {"status": "failed", "error": "The analysis was interrupted."});
}

#[tokio::test]
async fn a_session_whose_last_worker_died_before_ending_it_is_ended() {
    let (world, id, action) = Concierge::start()
        .await
        .with_approved_batch()
        .await;
    world.takes_messages().await;
    // As a worker does that dies between the record and the end of the session.
    let session = shared::model::base::Id::new(id.as_i64().unwrap()).unwrap();
    let agent = world.api.store.agent();
    let key = ActionKey::new(world.api.home.id, session, &*action);
    let claim = agent.claim(&key, MINUTE).await.unwrap();
    let Claim::Held(held) = claim else {
        panic!("{claim:?}");
    };
    let outcome = Outcome::succeeded(None);
    assert!(
        agent
            .record(&held.action, &outcome)
            .await
            .unwrap()
    );
    assert_eq!(world.session(&id).await["status"], "executing");
    world.api.clock.advance(MINUTE);
    assert_eq!(world.sweeper().sweep().await.settled, 1);
    shows!(world.session(&id).await, {"status": "completed", "/executionResults/0/success": true});
}

#[tokio::test]
async fn one_damaged_record_does_not_stop_the_others() {
    let (world, bad, bad_action) = Concierge::start()
        .await
        .with_approved_batch()
        .await;
    world.poisons(&bad, &bad_action).await;
    let (good, good_action) = world.approved_message().await;
    world.takes_messages().await;
    world.api.clock.advance(2 * MINUTE);
    let swept = world.sweeper().sweep().await;
    assert_eq!((swept.resent, swept.given_up, swept.errors), (1, 1, 0));
    // A user says what became of it.
    assert_eq!(swept.settled, 0);
    assert_eq!(world.outcome(&bad).await.0, "executing");
    assert_eq!(world.session(&bad).await["openActions"], 2);
    let messages = world.takes_messages().await;
    assert_eq!(messages, [world.message(&good, &good_action)]);
}

/// A proposal without an approval expires as designed, without an alarm.
#[tokio::test]
async fn only_actions_are_overdue() {
    let world = Concierge::start().await;
    world
        .proposed(&world.failed_payment().await)
        .await;
    world.approved_batch().await;
    world
        .api
        .clock
        .advance(25 * 60 * MINUTE);
    let swept = world.sweeper().sweep().await;
    assert_eq!((swept.expired, swept.overdue, swept.errors), (1, 1, 0));
}
