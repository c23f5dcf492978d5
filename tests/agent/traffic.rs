//! The breaker and the limits of a connection: a system that gives no clear answers is not called,
//! and a limited one no more than it may be.

use std::time::Duration;

use action_worker::Worker;
use local::target_systems::{FaultMode, InjectedFault};
use serde_json::{Value, json};
use shared::clock::Stopwatch;
use tests::support::{self, Concierge, comes, event, posts, text_of};

const SECOND: i64 = 1_000;
const BILLING: &str = "/api/concierge/connections/billing";

/// A session and its action.
type Approved = (Value, String);

/// A world with these limits of the billing system, a worker with one try for each call, and so
/// many actions, each approved for its own batch.
async fn given(limits: Value, count: usize) -> (Concierge, Worker, Vec<Approved>) {
    let world = Concierge::start_unwary().await;
    if !limits.is_null() {
        world
            .connects("billing", json!({"limits": limits}))
            .await;
    }
    let worker = world.worker_with(support::once());
    let actions = approved(&world, count).await;
    (world, worker, actions)
}

async fn approved(world: &Concierge, count: usize) -> Vec<Approved> {
    let mut approved = Vec::new();
    for number in 1..=count {
        let batch = format!("ub_100{number}");
        let entities = [("usage_batch", batch.as_str())];
        approved.push(
            world
                .approved("usage_batch_stuck", &entities, 0)
                .await,
        );
    }
    world.takes_messages().await;
    approved
}

fn fails(world: &Concierge, times: u32) {
    world
        .demo
        .inject(InjectedFault::once("billing", FaultMode::Fail).times(times));
}

/// One after another.
async fn delivers(world: &Concierge, worker: &Worker, actions: &[Approved]) {
    for (id, action) in actions {
        world
            .runs_with(worker, id, action)
            .await;
    }
}

/// All of them at once.
async fn delivers_all(world: &Concierge, worker: &Worker, actions: &[Approved]) {
    let messages = actions
        .iter()
        .map(|(id, action)| world.message(id, action));
    let messages: Vec<String> = messages.collect();
    let batch: Vec<(&str, u32)> = messages
        .iter()
        .map(|text| (text.as_str(), 1))
        .collect();
    let response = worker.handle(event(&batch)).await;
    assert_eq!(response.batch_item_failures.len(), 0);
}

/// Delivers some, which take effect and are never answered, and the others while those are at work.
async fn hangs_beside(
    world: &Concierge,
    worker: &Worker,
    hanging: &[Approved],
    others: &[Approved],
) {
    world
        .demo
        .inject(support::late("billing").times(100));
    tokio::select! {
        () = delivers_all(world, worker, hanging) => panic!("{hanging:?} were to hang"),
        () = async {
            world.effects_reach(hanging.len()).await;
            delivers_all(world, &world.worker_with(support::once()), others).await;
        } => {}
    }
    assert_eq!(world.demo.effects().len(), hanging.len());
    world.demo.clear_faults();
}

/// The breaker as the connection shows it.
async fn breaker(world: &Concierge) -> (String, i64, Option<String>) {
    let shown = world.max.reads(BILLING).await["breaker"].clone();
    (
        shown["state"]
            .as_str()
            .unwrap()
            .to_owned(),
        shown["unclearAnswers"]
            .as_i64()
            .unwrap(),
        shown["openUntil"]
            .as_str()
            .map(str::to_owned),
    )
}

/// The number of attempts that were counted of an action.
async fn attempts(world: &Concierge, (id, action): &Approved) -> i64 {
    let items = world
        .api
        .items_of("agent_action")
        .await
        .into_iter();
    let mut own = items.filter(|item| {
        text_of(item, "pk").ends_with(&format!("#{id}")) && text_of(item, "actionId") == *action
    });
    let progress = own.next().unwrap()["progress"].clone();
    let attempts = &progress.as_m().unwrap()["attempts"];
    attempts
        .as_n()
        .unwrap()
        .parse()
        .unwrap()
}

#[tokio::test]
async fn a_breaker_opens_probes_once_and_closes() {
    let (world, worker, actions) = given(json!(null), 6).await;
    let (first, last) = actions.split_at(5);
    fails(&world, 100);
    delivers(&world, &worker, &first[..4]).await;
    assert_eq!(breaker(&world).await, ("closed".into(), 4, None));
    delivers(&world, &worker, &first[4..]).await;
    let until = "2026-01-15T12:00:30.000Z".to_owned();
    assert_eq!(breaker(&world).await, ("open".into(), 5, Some(until)));
    assert_eq!(world.demo.waiting_faults(), 95);
    // Open: no call is sent, and no attempt is counted.
    delivers(&world, &worker, last).await;
    world.api.clock.advance(30 * SECOND - 1);
    delivers(&world, &worker, last).await;
    assert_eq!(world.demo.waiting_faults(), 95);
    assert_eq!(attempts(&world, &last[0]).await, 0);
    // One probe, which fails: twice as long.
    world.api.clock.advance(1);
    assert_eq!(breaker(&world).await, ("probing".into(), 5, None));
    delivers(&world, &worker, last).await;
    assert_eq!(world.demo.waiting_faults(), 94);
    assert_eq!(attempts(&world, &last[0]).await, 1);
    // The next is answered, and closes it for all.
    world.demo.clear_faults();
    world.api.clock.advance(60 * SECOND);
    delivers(&world, &worker, first).await;
    assert_eq!(world.demo.effects().len(), 5);
    assert_eq!(breaker(&world).await, ("closed".into(), 0, None));
    world.api.clock.advance(120 * SECOND);
    delivers(&world, &worker, last).await;
    for (id, _) in &actions {
        world.is_completed(id, 6).await;
    }
}

#[tokio::test]
async fn resuming_a_connection_closes_its_breaker() {
    let (world, worker, actions) = given(json!(null), 6).await;
    fails(&world, 5);
    delivers(&world, &worker, &actions[..5]).await;
    assert_eq!(breaker(&world).await.0, "open");
    world
        .max
        .triggers(&format!("{BILLING}/resume"))
        .await;
    assert_eq!(breaker(&world).await, ("closed".into(), 0, None));
    delivers(&world, &worker, &actions[5..]).await;
    assert_eq!(world.demo.effects().len(), 1);
}

#[tokio::test]
async fn traffic_is_kept_of_failing_connections_and_goes_with_them() {
    let (world, worker, actions) = given(json!(null), 4).await;
    delivers(&world, &worker, &actions[..3]).await;
    assert_eq!(world.demo.effects().len(), 3);
    assert!(
        world
            .api
            .items_of("connection_traffic")
            .await
            .is_empty()
    );
    fails(&world, 1);
    delivers(&world, &worker, &actions[3..]).await;
    assert_eq!(
        world
            .api
            .items_of("connection_traffic")
            .await
            .len(),
        1
    );
    world
        .api
        .sign_in("ada")
        .await
        .deletes(BILLING)
        .await;
    assert!(
        world
            .api
            .items_of("connection_traffic")
            .await
            .is_empty()
    );
}

#[tokio::test]
async fn no_more_actions_are_at_work_than_a_connection_takes() {
    let (world, worker, actions) = given(json!({"concurrent": 2}), 6).await;
    let (first, others) = actions.split_at(2);
    hangs_beside(&world, &worker, first, others).await;
    // An action that found no place lost no attempt. The workers that have the places are gone, and
    // have them until their leases end.
    delivers(&world, &worker, others).await;
    for action in others {
        assert_eq!(attempts(&world, action).await, 0);
    }
    world.api.clock.advance(60 * SECOND);
    // An action that has ended gives its place back.
    delivers(&world, &worker, others).await;
    for action in others {
        assert_eq!(attempts(&world, action).await, 1);
    }
    assert_eq!(world.demo.effects().len(), 6);
    let traffic = world
        .api
        .items_of("connection_traffic")
        .await
        .remove(0);
    assert_eq!(traffic["atWork"].as_m().unwrap().len(), 0);
}

#[tokio::test]
async fn no_more_calls_begin_in_a_second_than_a_connection_takes() {
    let (world, worker, actions) = given(json!({"perSecond": 10}), 6).await;
    let began = Stopwatch::start();
    let workers = [worker, world.worker_with(support::once())];
    for (chunk, worker) in actions
        .chunks(1)
        .zip(workers.iter().cycle())
    {
        delivers(&world, worker, chunk).await;
    }
    // The clock of the table stands still: their calls are due at 0, 100 … 500 ms of it.
    assert!(began.elapsed() >= Duration::from_millis(1_500));
    assert_eq!(world.demo.effects().len(), 6);
    let traffic = world
        .api
        .items_of("connection_traffic")
        .await
        .remove(0);
    assert_eq!(text_of(&traffic, "nextCall"), "2026-01-15T12:00:00.600Z");
}

#[tokio::test]
async fn an_action_that_would_occupy_a_worker_comes_back_at_its_turn() {
    let (world, worker, actions) = given(json!({"perSecond": 1}), 3).await;
    delivers(&world, &worker, &actions).await;
    // Another delivery takes no other turn.
    delivers(&world, &worker, &actions[2..]).await;
    assert_eq!(attempts(&world, &actions[2]).await, 0);
    assert_eq!(world.demo.effects().len(), 2);
    let traffic = world
        .api
        .items_of("connection_traffic")
        .await
        .remove(0);
    assert_eq!(text_of(&traffic, "nextTurn"), "2026-01-15T12:00:03.000Z");
    world.api.clock.advance(2 * SECOND);
    let runs = async {
        while world.demo.effects().len() < 3 {
            assert_eq!(world.delivers_once(&worker).await, 0);
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    comes("the message of its turn", runs).await;
    assert_eq!(attempts(&world, &actions[2]).await, 1);
}

#[tokio::test]
async fn failing_reads_of_preconditions_open_the_breaker() {
    let world = Concierge::start().await;
    let actions = approved(&world, 6).await;
    let (first, last) = actions.split_at(5);
    let fault = InjectedFault::once("billing", FaultMode::Fail);
    let read = |times| {
        fault
            .clone()
            .of("GET /usage-batches/{id}")
            .times(times)
    };
    world.demo.inject(read(5));
    let worker = world.worker_with(support::once());
    delivers(&world, &worker, first).await;
    for action in first {
        assert_eq!(attempts(&world, action).await, 1);
    }
    assert_eq!(breaker(&world).await.0, "open");
    // No action reads again until its pause is over, and the one that does decides.
    delivers(&world, &worker, last).await;
    assert_eq!(attempts(&world, &last[0]).await, 0);
    world.api.clock.advance(30 * SECOND);
    world.demo.inject(read(1));
    delivers(&world, &worker, last).await;
    let open_until = |seconds: i64| {
        world
            .api
            .clock
            .now()
            .plus(seconds * SECOND)
            .to_string()
    };
    let (state, _, until) = breaker(&world).await;
    assert_eq!((state.as_str(), until), ("open", Some(open_until(60))));
    assert_eq!(world.demo.effects(), []);
    // A read that succeeds says nothing of calls.
    world.api.clock.advance(60 * SECOND);
    fails(&world, 1);
    delivers(&world, &worker, last).await;
    assert_eq!(breaker(&world).await.2, Some(open_until(120)));
}

/// The preview of a proposal on a real batch, as the playbook reads it.
async fn previews(world: &Concierge, (id, action): &Approved) -> Value {
    posts!(world.max, "/api/concierge/agent-sessions/{id}/preview", {
        "actionIds": [action],
    })["actions"][0]
        .clone()
}

fn read_error(preview: &Value) -> &str {
    let unmet = preview["preconditions"][0]["problem"].as_str();
    unmet.unwrap_or_default()
}

async fn proposed(world: &Concierge) -> Approved {
    let id = world.stuck_batch().await;
    let action = world.proposed(&id).await.remove(0);
    (id, action)
}

#[tokio::test]
async fn reads_count_for_the_calls_of_a_second() {
    let world = Concierge::start().await;
    let limits = json!({"limits": {"perSecond": 1}});
    world.connects("billing", limits).await;
    let proposal = proposed(&world).await;
    let connections = world.store_beside().await;
    let connections = connections.connections();
    let billing = connections
        .all(world.api.home.id)
        .await
        .unwrap();
    let billing = billing
        .iter()
        .find(|connection| &*connection.name == "billing")
        .unwrap();
    world.api.clock.advance(SECOND);
    assert_eq!(read_error(&previews(&world, &proposal).await), "");
    // The calls of nine seconds are reserved, and a preview takes eight at most.
    for _ in 0..9 {
        connections
            .slot(billing)
            .await
            .unwrap()
            .unwrap();
    }
    let preview = previews(&world, &proposal).await;
    let holds = read_error(&preview).contains("nothing was sent");
    assert!(holds, "{preview}");
}
