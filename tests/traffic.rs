//! Connections that give no clear answers are left alone, and limited ones are called no more than they
//! may be.

use std::time::Duration;

use action_worker::{Limits, Worker};
use aws_sdk_dynamodb::types::AttributeValue;
use local::target_systems::{Fault, FaultMode};
use serde_json::{Value, json};
use shared::clock::Stopwatch;

use crate::support::{self, Concierge, event, text_of};

const SECOND: i64 = 1_000;
const BILLING: &str = "/api/concierge/connections/billing";

/// One call a run.
fn once(world: &Concierge) -> Worker {
    world.worker_with(support::once())
}

/// So many sessions, each on a batch of its own, whose actions were approved.
async fn approved(world: &Concierge, count: usize) -> Vec<(Value, String)> {
    let mut all = Vec::new();
    for number in 1..=count {
        let batch = format!("ub_100{number}");
        let entities = [("usage_batch", batch.as_str())];
        let signal = world.signal("usage_batch_stuck", &entities).await;
        let id = world.opened(&signal).await;
        let action = world.proposed(&id).await.remove(0);
        world.executes(&id, &[&action]).await.expect(202);
        all.push((id, action));
    }
    world.takes_messages().await;
    all
}

fn fails(world: &Concierge, times: u32) {
    world.demo.inject(Fault {
        times,
        ..Fault::once("billing", FaultMode::Fail)
    });
}

async fn delivers(world: &Concierge, worker: &Worker, (id, action): &(Value, String)) {
    let message = world.message(id, action);
    let response = worker.handle(event(&[(&message, 1)])).await;
    assert_eq!(response.batch_item_failures.len(), 0);
}

/// All of them at once.
async fn delivers_all(world: &Concierge, worker: &Worker, actions: &[(Value, String)]) {
    let messages = actions.iter().map(|(id, action)| world.message(id, action));
    let messages: Vec<String> = messages.collect();
    let all: Vec<(&str, u32)> = messages.iter().map(|text| (text.as_str(), 1)).collect();
    let response = worker.handle(event(&all)).await;
    assert_eq!(response.batch_item_failures.len(), 0);
}

/// The same, while the system takes effect and never answers.
async fn hangs(world: &Concierge, worker: &Worker, actions: &[(Value, String)]) {
    world.demo.inject(Fault {
        times: 100,
        delay_ms: 600_000,
        ..Fault::once("billing", FaultMode::Delay)
    });
    delivers_all(world, worker, actions).await;
}

/// How many actions are at work.
async fn at_work(world: &Concierge) -> usize {
    let known = world.api.items_of("connection_traffic").await.remove(0);
    known["atWork"].as_m().unwrap().len()
}

/// The breaker as the connection shows it.
async fn breaker(world: &Concierge) -> (String, i64, Option<String>) {
    let shown = world.max.get(BILLING).await.expect(200)["breaker"].clone();
    (
        shown["state"].as_str().unwrap().to_owned(),
        shown["unclearAnswers"].as_i64().unwrap(),
        shown["openUntil"].as_str().map(str::to_owned),
    )
}

/// The number of attempts that were counted of an action.
async fn attempts(world: &Concierge, (id, action): &(Value, String)) -> i64 {
    let all = world.api.items_of("agent_action").await.into_iter();
    let mut own = all.filter(|item| {
        text_of(item, "pk").ends_with(&format!("#{id}")) && text_of(item, "actionId") == *action
    });
    own.next().unwrap()["attempts"]
        .as_n()
        .unwrap()
        .parse()
        .unwrap()
}

#[tokio::test]
async fn a_breaker_opens_probes_once_and_closes() {
    let world = Concierge::start_unwary().await;
    let worker = once(&world);
    let actions = approved(&world, 6).await;
    let last = &actions[5];
    fails(&world, 100);
    for one in &actions[..4] {
        delivers(&world, &worker, one).await;
    }
    assert_eq!(breaker(&world).await, ("closed".into(), 4, None));
    delivers(&world, &worker, &actions[4]).await;
    let until = "2026-01-15T12:00:30.000Z".to_owned();
    assert_eq!(breaker(&world).await, ("open".into(), 5, Some(until)));
    assert_eq!(world.demo.waiting_faults(), 95);
    // Open: nothing is sent, and no attempt is counted.
    delivers(&world, &worker, last).await;
    world.api.clock.advance(30 * SECOND - 1);
    delivers(&world, &worker, last).await;
    assert_eq!(world.demo.waiting_faults(), 95);
    assert_eq!(attempts(&world, last).await, 0);
    // One probe, which fails: twice as long.
    world.api.clock.advance(1);
    assert_eq!(breaker(&world).await, ("probing".into(), 5, None));
    delivers(&world, &worker, last).await;
    assert_eq!(world.demo.waiting_faults(), 94);
    assert_eq!(attempts(&world, last).await, 1);
    world.api.clock.advance(60 * SECOND - 1);
    for one in &actions[..5] {
        delivers(&world, &worker, one).await;
    }
    assert_eq!(world.demo.waiting_faults(), 94);
    assert_eq!(breaker(&world).await.0, "open");
    // The next is answered, and closes it for all.
    world.demo.clear_faults();
    world.api.clock.advance(1);
    for one in &actions[..5] {
        delivers(&world, &worker, one).await;
    }
    assert_eq!(world.demo.effects().len(), 5);
    assert_eq!(breaker(&world).await, ("closed".into(), 0, None));
    world.api.clock.advance(120 * SECOND);
    delivers(&world, &worker, last).await;
    assert_eq!(world.demo.effects().len(), 6);
    for (id, _) in &actions {
        assert_eq!(world.outcome(id).await.0, "completed");
    }
}

#[tokio::test]
async fn what_a_breaker_put_off_comes_back_by_itself() {
    let world = Concierge::start_unwary().await;
    let worker = once(&world);
    let actions = approved(&world, 6).await;
    fails(&world, 5);
    for one in &actions {
        delivers(&world, &worker, one).await;
    }
    world.api.clock.advance(30 * SECOND);
    assert_eq!(world.sweeper().sweep().await.resent, 1);
    assert_eq!(world.delivers(&worker).await, 0);
    assert_eq!(world.outcome(&actions[5].0).await.0, "completed");
    world.api.clock.advance(30 * SECOND);
    assert_eq!(world.sweeper().sweep().await.resent, 5);
    assert_eq!(world.delivers(&worker).await, 0);
    assert_eq!(world.demo.effects().len(), 6);
}

#[tokio::test]
async fn within_a_run_nothing_is_sent_once_the_breaker_is_open() {
    let world = Concierge::start_unwary().await;
    let worker = world.worker_with(Limits {
        pauses: vec![Duration::from_millis(1); 20],
        ..support::once()
    });
    let actions = approved(&world, 1).await;
    fails(&world, 100);
    delivers(&world, &worker, &actions[0]).await;
    assert_eq!(world.demo.waiting_faults(), 95);
}

#[tokio::test]
async fn who_goes_on_with_a_connection_closes_its_breaker() {
    let world = Concierge::start_unwary().await;
    let worker = once(&world);
    let actions = approved(&world, 6).await;
    fails(&world, 5);
    for one in &actions[..5] {
        delivers(&world, &worker, one).await;
    }
    assert_eq!(breaker(&world).await.0, "open");
    let path = format!("{BILLING}/resume");
    world.max.trigger(&path).await.expect(200);
    assert_eq!(breaker(&world).await, ("closed".into(), 0, None));
    delivers(&world, &worker, &actions[5]).await;
    assert_eq!(world.demo.effects().len(), 1);
}

#[tokio::test]
async fn of_many_that_come_when_a_breaker_may_close_one_probes() {
    let world = Concierge::start_unwary().await;
    let worker = once(&world);
    let actions = approved(&world, 6).await;
    fails(&world, 5);
    for one in &actions[..5] {
        delivers(&world, &worker, one).await;
    }
    world.api.clock.advance(60 * SECOND);
    let (probe, others) = actions.split_first().unwrap();
    tokio::select! {
        () = hangs(&world, &worker, &actions[..1]) => panic!("{probe:?} was to hang"),
        () = async {
            world.effects_reach(1).await;
            delivers_all(&world, &worker, others).await;
        } => {}
    }
    assert_eq!(world.demo.effects().len(), 1);
    // Whoever was to tell is gone: after its lease the next one is the probe.
    world.api.clock.advance(60 * SECOND);
    world.demo.clear_faults();
    delivers(&world, &worker, &others[0]).await;
    assert_eq!(breaker(&world).await.0, "closed");
    assert_eq!(world.demo.effects().len(), 2);
}

#[tokio::test]
async fn refusals_open_no_breaker() {
    let world = Concierge::start_unwary().await;
    let worker = once(&world);
    let actions = approved(&world, 6).await;
    for one in &actions[..5] {
        world.demo.inject(Fault {
            status: 429,
            ..Fault::once("billing", FaultMode::Fail)
        });
        delivers(&world, &worker, one).await;
    }
    delivers(&world, &worker, &actions[5]).await;
    assert_eq!(world.demo.effects().len(), 1);
}

#[tokio::test]
async fn of_a_quiet_connection_nothing_is_written() {
    let world = Concierge::start_unwary().await;
    let worker = once(&world);
    for one in &approved(&world, 3).await {
        delivers(&world, &worker, one).await;
    }
    assert_eq!(world.demo.effects().len(), 3);
    assert!(world.api.items_of("connection_traffic").await.is_empty());
}

#[tokio::test]
async fn with_a_connection_goes_what_is_known_of_it() {
    let world = Concierge::start_unwary().await;
    let actions = approved(&world, 1).await;
    fails(&world, 1);
    delivers(&world, &once(&world), &actions[0]).await;
    assert_eq!(world.api.items_of("connection_traffic").await.len(), 1);
    let ada = world.api.sign_in("ada").await;
    ada.delete(BILLING).await.expect(204);
    assert!(world.api.items_of("connection_traffic").await.is_empty());
}

#[tokio::test]
async fn no_more_actions_are_at_work_than_a_connection_takes() {
    let world = Concierge::start_unwary().await;
    let limits = json!({"limits": {"concurrent": 2}});
    world.connects("billing", limits).await;
    let actions = approved(&world, 6).await;
    let worker = once(&world);
    let (first, others) = actions.split_at(2);
    tokio::select! {
        () = hangs(&world, &worker, first) => panic!("{first:?} were to hang"),
        () = async {
            world.effects_reach(2).await;
            delivers_all(&world, &once(&world), others).await;
        } => {}
    }
    assert_eq!(world.demo.effects().len(), 2);
    // Those that found no place lost no attempt. The holders of the places are gone: they have them until
    // their leases end.
    for one in others {
        delivers(&world, &worker, one).await;
        assert_eq!(attempts(&world, one).await, 0);
    }
    world.api.clock.advance(60 * SECOND);
    world.demo.clear_faults();
    // Who is done gives its place back.
    for one in others {
        delivers(&world, &worker, one).await;
        assert_eq!(attempts(&world, one).await, 1);
    }
    assert_eq!(world.demo.effects().len(), 6);
    assert_eq!(at_work(&world).await, 0);
}

#[tokio::test]
async fn no_more_calls_begin_in_a_second_than_a_connection_takes() {
    let world = Concierge::start_unwary().await;
    let limits = json!({"limits": {"perSecond": 10}});
    world.connects("billing", limits).await;
    let actions = approved(&world, 6).await;
    let began = Stopwatch::start();
    let workers = [once(&world), once(&world)];
    for (one, worker) in actions.iter().zip(workers.iter().cycle()) {
        delivers(&world, worker, one).await;
    }
    // The clock of the table stands still: their turns are at 0, 100 … 500 ms of it.
    assert!(began.elapsed() >= Duration::from_millis(1_500));
    assert_eq!(world.demo.effects().len(), 6);
    let known = world.api.items_of("connection_traffic").await.remove(0);
    assert_eq!(text_of(&known, "nextCall"), "2026-01-15T12:00:00.600Z");
}

#[tokio::test]
async fn who_would_wait_too_long_is_put_off() {
    let world = Concierge::start_unwary().await;
    let limits = json!({"limits": {"perSecond": 1}});
    world.connects("billing", limits).await;
    let actions = approved(&world, 2).await;
    let worker = once(&world);
    delivers(&world, &worker, &actions[0]).await;
    // Others have taken all turns of the next seconds.
    let mut known = world.api.items_of("connection_traffic").await.remove(0);
    let late = AttributeValue::S("2026-01-15T12:00:40.000Z".to_owned());
    known.insert("nextCall".to_owned(), late);
    world.api.puts([known]).await;
    delivers(&world, &worker, &actions[1]).await;
    assert_eq!(attempts(&world, &actions[1]).await, 0);
    world.api.clock.advance(40 * SECOND);
    assert_eq!(world.sweeper().sweep().await.resent, 1);
    assert_eq!(world.delivers(&worker).await, 0);
    assert_eq!(world.demo.effects().len(), 2);
}

#[tokio::test]
async fn a_stored_failure_ends_as_unknown_after_two_calls() {
    let world = Concierge::start_unwary().await;
    let actions = approved(&world, 1).await;
    world.demo.inject(Fault {
        kept: true,
        ..Fault::once("billing", FaultMode::Fail)
    });
    delivers(&world, &world.worker(), &actions[0]).await;
    let (status, results) = world.outcome(&actions[0].0).await;
    assert_eq!(status, "failed");
    assert!(results[0].1.contains("may have been done"), "{results:?}");
    // The answer that was given again says that the system works.
    assert_eq!(breaker(&world).await, ("closed".into(), 0, None));
}

#[tokio::test]
async fn a_system_that_tells_nothing_of_what_is_required_is_left_alone() {
    let world = Concierge::start().await;
    let actions = approved(&world, 6).await;
    let read = |mode, times| Fault {
        operation: Some("GET /usage-batches/{id}".to_owned()),
        times,
        ..Fault::once("billing", mode)
    };
    world.demo.inject(read(FaultMode::Fail, 5));
    let worker = once(&world);
    for action in &actions[..5] {
        delivers(&world, &worker, action).await;
        assert_eq!(attempts(&world, action).await, 1);
    }
    assert_eq!(breaker(&world).await.0, "open");
    // Nobody looks again until its pause is over, and the one who does decides.
    delivers(&world, &worker, &actions[5]).await;
    assert_eq!(attempts(&world, &actions[5]).await, 0);
    world.api.clock.advance(30 * SECOND);
    world.demo.inject(read(FaultMode::Fail, 1));
    delivers(&world, &worker, &actions[5]).await;
    let open_until = |seconds: i64| world.api.clock.now().plus(seconds * SECOND).to_string();
    let (state, _, until) = breaker(&world).await;
    assert_eq!((state.as_str(), until), ("open", Some(open_until(60))));
    assert_eq!(world.demo.effects(), []);
    // That something can be read says nothing of calls.
    world.api.clock.advance(60 * SECOND);
    fails(&world, 1);
    delivers(&world, &worker, &actions[5]).await;
    assert_eq!(breaker(&world).await.2, Some(open_until(120)));
}
