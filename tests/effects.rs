//! Effects on records of target systems: each takes place once at most, whichever session asks for
//! it, and in the order and company that a playbook allows.

use std::{sync::Arc, time::Duration};

use action_worker::Limits;
use futures::future::BoxFuture;
use local::target_systems::{Fault, FaultMode};
use resolution_agent::{Engine, EngineError};
use serde_json::{Value, json};
use shared::model::{ActionType, Case, Proposal};
use tests::unwary::Unwary;

use crate::support::{
    AgentSettings, Concierge, Fault as TableFault, Faults, Requests, Settings, event, posting,
    proposal,
};

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;

/// A session on an alert of its own about customer 501's payment, whose message to the customer is
/// approved, and that action.
async fn message_to_the_customer(world: &Concierge) -> (Value, String) {
    let (id, action) = world.approved_message().await;
    world.takes_messages().await;
    (id, action)
}

fn refused(world: &Concierge, status: u16) {
    world.demo.inject(Fault {
        status,
        ..Fault::once("notifications", FaultMode::Fail)
    });
}

/// Has a worker run an action; answers success and error.
async fn runs(world: &Concierge, session: &Value, action: &str) -> (bool, String) {
    let message = world.message(session, action);
    world.worker().handle(event(&[(&message, 1)])).await;
    world.outcome(session).await.1.remove(0)
}

/// The error of an action that was not started, since session 1 had its effect before.
#[track_caller]
fn skipped((success, error): &(bool, String), code: &str) {
    assert!(!success);
    assert!(error.starts_with(&format!("{code}: ")), "{error}");
    assert!(error.contains("session 1 "), "{error}");
    assert!(error.contains("Nothing was sent"), "{error}");
}

#[tokio::test]
async fn what_another_session_did_is_not_done_again_for_a_day() {
    let world = Concierge::start().await;
    let (first, action) = message_to_the_customer(&world).await;
    assert!(runs(&world, &first, &action).await.0);
    let (second, action) = message_to_the_customer(&world).await;
    skipped(&runs(&world, &second, &action).await, "done_recently");
    assert_eq!(world.outcome(&second).await.0, "failed");
    assert_eq!(world.demo.effects().len(), 1);

    // It was not done for certain: an hour later it may be tried again, and a day later it runs.
    world.api.clock.advance(HOUR);
    world.executes_again(&second, &[&action]).await.expect(202);
    skipped(&runs(&world, &second, &action).await, "done_recently");
    world.api.clock.advance(23 * HOUR - 1);
    let max = world.api.sign_in("max").await;
    let path = format!("/api/concierge/agent-sessions/{second}/execute");
    let body = json!({"actionIds": [action], "again": true});
    let max = max.with_header("prefer", "respond-async");
    max.post(&path, body).await.expect(202);
    world.api.clock.advance(1);
    let message = world.message(&second, &action);
    world.worker().handle(event(&[(&message, 1)])).await;
    assert_eq!(world.demo.effects().len(), 2);
}

#[tokio::test]
async fn what_another_session_is_at_work_on_is_left_to_it() {
    let world = Concierge::start().await;
    let (first, action) = message_to_the_customer(&world).await;
    // It was refused for now, and waits for its next attempt.
    for _ in 0..3 {
        refused(&world, 429);
    }
    let message = world.message(&first, &action);
    world.worker().handle(event(&[(&message, 1)])).await;
    assert_eq!(world.outcome(&first).await, ("executing".into(), vec![]));
    let (second, other) = message_to_the_customer(&world).await;
    skipped(&runs(&world, &second, &other).await, "effect_in_progress");
    world.api.clock.advance(MINUTE);
    assert!(runs(&world, &first, &action).await.0);
    assert_eq!(world.demo.effects().len(), 1);
}

#[tokio::test]
async fn what_another_session_may_have_done_is_not_done_again() {
    let world = Concierge::start().await;
    let entities = [("payment", "pay_3001"), ("customer", "cus_501")];
    let signal = world.signal("payment_failed", &entities).await;
    let first = world.opened(&signal).await;
    let action = world.proposed(&first).await.remove(1);
    world.executes(&first, &[&action]).await.expect(202);
    world.takes_messages().await;
    let drop = Fault::once("notifications", FaultMode::Drop);
    world.demo.inject(drop);
    assert!(!runs(&world, &first, &action).await.0);
    // The alert is open for another session, which proposes the same.
    let second = world.opened(&signal).await;
    assert_ne!(second, first);
    let action = world.proposed(&second).await.remove(1);
    // However long it takes until somebody looks.
    world.api.clock.advance(23 * HOUR + HOUR / 2);
    world.executes(&second, &[&action]).await.expect(202);
    world.api.clock.advance(HOUR - 1);
    let message = world.message(&second, &action);
    world.worker().handle(event(&[(&message, 1)])).await;
    assert_eq!(world.demo.effects().len(), 1);
    let max = world.api.sign_in("max").await;
    let session = max
        .get(&format!("/api/concierge/agent-sessions/{second}"))
        .await
        .expect(200);
    let error = session["executionResults"][0]["error"].as_str().unwrap();
    skipped(&(false, error.to_owned()), "effect_unknown");
}

#[tokio::test]
async fn what_failed_for_certain_is_free_for_another_session() {
    let world = Concierge::start().await;
    let (first, action) = message_to_the_customer(&world).await;
    refused(&world, 422);
    assert!(!runs(&world, &first, &action).await.0);
    let (second, other) = message_to_the_customer(&world).await;
    assert!(runs(&world, &second, &other).await.0);
    // And then not for the first one any more.
    world.executes_again(&first, &[&action]).await.expect(202);
    let (success, error) = runs(&world, &first, &action).await;
    assert!(!success && error.starts_with("done_recently"), "{error}");
    assert_eq!(world.demo.effects().len(), 1);
}

#[tokio::test]
async fn sessions_that_begin_in_the_same_instant_have_one_effect() {
    let world = Concierge::start().await;
    let mut messages = Vec::new();
    for _ in 0..6 {
        let (session, action) = message_to_the_customer(&world).await;
        messages.push(world.message(&session, &action));
    }
    let batch: Vec<(&str, u32)> = messages.iter().map(|text| (text.as_str(), 1)).collect();
    let (one, other) = (world.worker(), world.worker());
    futures::join!(one.handle(event(&batch)), other.handle(event(&batch)));
    assert_eq!(world.demo.effects().len(), 1);
    assert_eq!(world.minutes_saved().await, 10);
}

#[tokio::test]
async fn an_effect_on_another_record_is_another_one() {
    let world = Concierge::start().await;
    for (payment, customer) in [("pay_3001", "cus_501"), ("pay_3002", "cus_503")] {
        let entities = [("payment", payment), ("customer", customer)];
        let id = world
            .opened(&world.signal("payment_failed", &entities).await)
            .await;
        let actions = world.proposed(&id).await;
        let both: Vec<&str> = actions.iter().map(String::as_str).collect();
        world.executes(&id, &both).await.expect(202);
        world.delivers(&world.worker()).await;
        assert_eq!(world.outcome(&id).await.0, "completed");
    }
    assert_eq!(world.demo.effects().len(), 4);
}

/// A session on a duplicated invoice, and the actions that void and credit it.
async fn duplicated(world: &Concierge) -> (Value, String, String) {
    let mut signal = tests::records::signal("invoice_duplicated", world.api.clock.now());
    signal.entities = vec![shared::model::SignalEntity {
        kind: "invoice".to_owned(),
        id: "inv_2008".to_owned(),
    }];
    signal.amount_at_risk = Some(shared::model::Money {
        minor_units: 100,
        currency: "USD".to_owned(),
    });
    let signals = world.api.store.signals();
    let signal = signals.record(world.api.home.id, signal).await.unwrap();
    let id = world.opened(&signal).await;
    let mut actions = world.proposed(&id).await;
    let credit = actions.remove(1);
    (id, actions.remove(0), credit)
}

#[tokio::test]
async fn of_two_actions_that_exclude_each_other_one_is_executed() {
    let world = Concierge::start_unwary().await;
    let (first, void, credit) = duplicated(&world).await;
    let proposed = world.session(&first).await["proposedActions"].clone();
    assert_eq!(proposed[0]["excludes"], json!([credit]));
    assert_eq!(proposed[1]["excludes"], json!([void]));
    let before = world.api.table_dump().await;
    let answer = world.executes(&first, &[&void, &credit]).await;
    answer.expect_faults(&[("/actionIds/1", "exclusive")]);
    assert_eq!(world.api.table_dump().await, before);

    // Nor in another session, once one of them is done.
    world.executes(&first, &[&void]).await.expect(202);
    world.delivers(&world.worker()).await;
    assert_eq!(world.outcome(&first).await.0, "completed");
    let (second, _, credit) = duplicated(&world).await;
    world.executes(&second, &[&credit]).await.expect(202);
    world.delivers(&world.worker()).await;
    let (_, results) = world.outcome(&second).await;
    skipped(&results[0], "done_recently");
    assert!(results[0].1.contains("void_invoice of inv_2008"));
    assert_eq!(world.demo.effects().len(), 1);
}

#[tokio::test]
async fn actions_that_exclude_each_other_do_not_run_at_once() {
    let world = Concierge::start_unwary().await;
    let mut messages = Vec::new();
    for round in 0..6 {
        let (session, void, credit) = duplicated(&world).await;
        let action = if round % 2 == 0 { void } else { credit };
        world.executes(&session, &[&action]).await.expect(202);
        messages.push(world.message(&session, &action));
    }
    world.takes_messages().await;
    let batch: Vec<(&str, u32)> = messages.iter().map(|text| (text.as_str(), 1)).collect();
    let (one, other) = (world.worker(), world.worker());
    futures::join!(one.handle(event(&batch)), other.handle(event(&batch)));
    assert_eq!(world.demo.effects().len(), 1);
}

/// Proposes a payment and, after it, a message to the customer.
struct InOrder;

impl Engine for InOrder {
    fn analyse<'a>(&'a self, _: &'a Case) -> BoxFuture<'a, Result<Proposal, EngineError>> {
        let path = "/payments/pay_3001/retry";
        let body = json!({"customerId": "cus_501", "template": "paid"});
        let retry = ActionType::RetryPayment;
        let first = posting(retry, "payments", path, &json!({}), "pay_3001");
        let notify = ActionType::NotifyCustomer;
        let mut second = posting(notify, "notifications", "/messages", &body, "cus_501");
        second.after = vec![first.key.clone()];
        Box::pin(async { Ok(proposal(vec![first, second])) })
    }
}

async fn in_order() -> (Concierge, Value, Vec<String>) {
    let world = Concierge::start_with(AgentSettings {
        engine: Some(Arc::new(InOrder)),
        ..AgentSettings::default()
    })
    .await;
    let id = world
        .opened(&world.signal("payment_failed", &[]).await)
        .await;
    let actions = world.proposed(&id).await;
    (world, id, actions)
}

#[tokio::test]
async fn an_action_waits_for_the_one_before_it_and_follows_at_once() {
    let (world, id, actions) = in_order().await;
    let shown = world.session(&id).await["proposedActions"][1]["after"].clone();
    assert_eq!(shown, json!([actions[0]]));
    world
        .executes(&id, &[&actions[1], &actions[0]])
        .await
        .expect(202);
    world.takes_messages().await;
    let worker = world.worker();
    let (first, second) = (
        world.message(&id, &actions[0]),
        world.message(&id, &actions[1]),
    );
    worker.handle(event(&[(&second, 1)])).await;
    assert_eq!(world.demo.effects(), []);
    worker.handle(event(&[(&first, 1)])).await;
    assert_eq!(world.demo.effects().len(), 1);
    assert_eq!(world.takes_messages().await, [second.as_str()]);
    worker.handle(event(&[(&second, 2)])).await;
    assert_eq!(world.outcome(&id).await.0, "completed");
    let effects = world.demo.effects();
    let systems: Vec<&str> = effects.iter().map(|effect| &*effect.system).collect();
    assert_eq!(systems, ["payments", "notifications"]);
}

#[tokio::test]
async fn an_action_is_skipped_when_the_one_before_it_did_not_succeed() {
    let (world, id, actions) = in_order().await;
    let both: Vec<&str> = actions.iter().map(String::as_str).collect();
    world.demo.inject(Fault {
        status: 422,
        ..Fault::once("payments", FaultMode::Fail)
    });
    world.executes(&id, &both).await.expect(202);
    let worker = world.worker();
    // Both messages, and the one that the end of the first action sends.
    world.delivers(&worker).await;
    world.delivers(&worker).await;
    let (status, results) = world.outcome(&id).await;
    assert_eq!(status, "failed");
    let error = &results[1].1;
    assert!(error.starts_with("predecessor_not_done: "), "{error}");
    assert_eq!(world.demo.effects(), []);
    // Together they can be executed again.
    world.executes_again(&id, &both).await.expect(202);
    world.delivers(&worker).await;
    world.delivers(&worker).await;
    assert_eq!(world.outcome(&id).await.0, "completed");
    assert_eq!(world.demo.effects().len(), 2);
}

#[tokio::test]
async fn approved_alone_an_action_waits_for_nobody() {
    let (world, id, actions) = in_order().await;
    world.executes(&id, &[&actions[1]]).await.expect(202);
    world.delivers(&world.worker()).await;
    assert_eq!(world.outcome(&id).await.0, "completed");
}

#[tokio::test]
async fn another_table_has_other_keys() {
    let world = Concierge::start().await;
    let (id, _) = world.approved_batch().await;
    world.delivers(&world.worker()).await;
    assert_eq!(world.outcome(&id).await.0, "completed");
    let stack = world.stack().await;
    // As it is found in a table that was restored under another name.
    world.forgets_the_table_of_the_stack().await;
    let customer = [("customer", "cus_503")];
    let id = world
        .opened(&world.signal("usage_events_missing", &customer).await)
        .await;
    let action = world.proposed(&id).await.remove(0);
    world.executes(&id, &[&action]).await.expect(202);
    world.delivers(&world.worker()).await;
    assert_eq!(world.outcome(&id).await.0, "completed");
    let renewed = world.stack().await;
    assert_ne!(renewed, stack);
    let keys = world.demo.effects().into_iter();
    let keys: Vec<String> = keys.filter_map(|effect| effect.idempotency_key).collect();
    assert!(keys[0].starts_with(&format!("wd-{stack}-")), "{keys:?}");
    assert_eq!(keys[1], format!("wd-{renewed}-1-{id}-{action}-1-1"));
}

#[tokio::test]
async fn who_approved_an_action_stands_on_its_record() {
    let world = Concierge::start().await;
    let (id, action) = world.approved_batch().await;
    let max = world.api.user("max").await.id;
    let session = world.session(&id).await;
    let proposed = &session["proposedActions"][0];
    assert_eq!(proposed["id"], json!(action));
    let approved = json!([{
        "userId": max, "at": world.api.clock.now(), "digest": proposed["digest"], "note": null,
    }]);
    assert_eq!(proposed["approvals"], approved);
    assert_eq!(session["status"], "executing");
}

#[tokio::test]
async fn a_session_that_has_a_successor_does_not_run_again() {
    let world = Concierge::start().await;
    let entities = [("payment", "pay_3001"), ("customer", "cus_501")];
    let signal = world.signal("payment_failed", &entities).await;
    let first = world.opened(&signal).await;
    let action = world.proposed(&first).await.remove(1);
    world.executes(&first, &[&action]).await.expect(202);
    refused(&world, 404);
    world.delivers(&world.worker()).await;
    // The same request again, as a client's library sends it that got no answer.
    let stored = world.executes(&first, &[&action]).await.expect(200);
    assert_eq!(stored["results"][0]["success"], false);
    assert_eq!(world.takes_messages().await, [] as [String; 0]);

    let second = world.opened(&signal).await;
    let answer = world.executes_again(&first, &[&action]).await;
    answer.expect_problem(409, "session_superseded");
    assert_eq!(world.session(&first).await["status"], "failed");
    world.cancels(&second).await.expect(200);
    let answer = world.executes_again(&first, &[&action]).await;
    answer.expect_problem(409, "session_superseded");
}

#[tokio::test]
async fn a_failed_session_runs_again_for_a_day() {
    let world = Concierge::start().await;
    let (id, action) = world.approved_message().await;
    refused(&world, 404);
    world.delivers(&world.worker()).await;
    world.api.clock.advance(24 * HOUR);
    let max = world.api.sign_in("max").await;
    let path = format!("/api/concierge/agent-sessions/{id}/execute");
    let body = json!({"actionIds": [action], "again": true});
    let answer = max.post(&path, body).await;
    answer.expect_problem(409, "session_expired");
}

#[tokio::test]
async fn a_session_is_not_executed_again_while_another_is_opened() {
    let world = Concierge::start().await;
    let entities = [("payment", "pay_3001"), ("customer", "cus_501")];
    for _ in 0..4 {
        let signal = world.signal("payment_failed", &entities).await;
        let first = world.opened(&signal).await;
        let action = world.proposed(&first).await.remove(1);
        world.executes(&first, &[&action]).await.expect(202);
        refused(&world, 404);
        world.delivers(&world.worker()).await;
        let list = [action.as_str()];
        let (second, again) =
            futures::join!(world.opened(&signal), world.executes_again(&first, &list));
        // Either the old session runs again, or there is a new one.
        assert_eq!(second == first, again.status == 202, "{}", again.text);
        if again.status == 202 {
            world.cancels(&first).await.expect(200);
        }
    }
}

async fn behind_faults() -> (Concierge, Faults) {
    let (mut settings, faults) = Settings::behind_faults().await;
    settings.agent.engine = Some(Arc::new(Unwary::default()));
    (Concierge::start_in(settings).await, faults)
}

/// On DynamoDB, transactions that write the same item turn each other away, and every success of
/// an organization writes its totals.
#[tokio::test]
async fn an_outcome_is_recorded_though_the_totals_are_busy() {
    let (world, faults) = behind_faults().await;
    let (id, action) = world.approved_batch().await;
    world.takes_messages().await;
    world.demo.inject(Fault {
        delay_ms: 600_000,
        ..Fault::once("billing", FaultMode::Delay)
    });
    let message = world.message(&id, &action);
    let worker = world.worker();
    let batch = [(message.as_str(), 1)];
    let is_busy = async {
        world.effects_reach(1).await;
        // The totals are the only item of this partition that is written in a transaction.
        faults.begin(Requests::Writing("ORG#1"), TableFault::Conflict);
        world.demo.hurry();
    };
    let (response, ()) = futures::join!(worker.handle(event(&batch)), is_busy);
    assert_eq!(response.batch_item_failures.len(), 0);
    assert_eq!(world.outcome(&id).await.0, "completed");
    // An alert about the same record may come before the sweeper does.
    assert_eq!(world.api.items_of("remedy").await.len(), 1);
    assert_eq!(world.minutes_saved().await, 0);
    faults.end();
    world.api.clock.advance(MINUTE);
    let swept = world.sweeper().sweep().await;
    assert_eq!((swept.counted, swept.errors), (1, 0));
    assert_eq!(world.minutes_saved().await, 25);
    world.api.clock.advance(HOUR);
    assert_eq!(world.sweeper().sweep().await, sweeper::Swept::default());
    assert_eq!(world.minutes_saved().await, 25);
}

/// What the claim's write took is gone from the lease that it gave.
#[tokio::test]
async fn the_lease_runs_while_the_claim_is_written() {
    let (world, faults) = behind_faults().await;
    let (id, action) = world.approved_message().await;
    world.takes_messages().await;
    let (lease, step_timeout) = (Duration::from_millis(800), Duration::from_millis(400));
    let worker = world.worker_with(Limits {
        lease,
        step_timeout,
        ..Limits::default()
    });
    faults.hold(Requests::Of("TransactWriteItems"));
    let message = world.message(&id, &action);
    let batch = [(message.as_str(), 1)];
    let is_slow = async {
        faults.holds(1).await;
        // More than what is left then for a call.
        tokio::time::sleep(lease.saturating_sub(step_timeout)).await;
        faults.release();
    };
    futures::join!(worker.handle(event(&batch)), is_slow);
    assert_eq!(world.demo.effects(), []);
    assert_eq!(world.outcome(&id).await, ("executing".into(), vec![]));
}

#[tokio::test]
async fn a_table_that_denies_access_is_no_damaged_record() {
    let (world, faults) = behind_faults().await;
    let (id, action) = world.approved_batch().await;
    world.takes_messages().await;
    faults.begin(Requests::BesideAuthentication, TableFault::Denied);
    let message = world.message(&id, &action);
    let response = world.worker().handle(event(&[(&message, 5)])).await;
    assert_eq!(response.batch_item_failures.len(), 1);
    faults.end();
    world.recovers(&id).await;
}

/// A claim looks at the session and does not expect it: the cancellation must be seen anyway.
#[tokio::test]
async fn a_cancellation_beside_a_claim_lets_nothing_start() {
    let (world, faults) = behind_faults().await;
    let (id, action) = world.approved_batch().await;
    world.takes_messages().await;
    let beside = world.store_beside().await;
    faults.hold(Requests::Of("TransactWriteItems"));
    let message = world.message(&id, &action);
    let worker = world.worker();
    let batch = [(message.as_str(), 1)];
    let cancels = async {
        faults.holds(1).await;
        let session = shared::model::Id::new(id.as_i64().unwrap()).unwrap();
        beside
            .agent()
            .cancel(world.api.home.id, session)
            .await
            .unwrap();
        faults.release();
    };
    futures::join!(worker.handle(event(&batch)), cancels);
    let (status, results) = world.outcome(&id).await;
    assert_eq!(status, "cancelled");
    assert_eq!(results[0].1, "Cancelled before it started.");
    assert_eq!(world.demo.effects(), []);
}

/// And one beside the takeover of an action whose worker died.
#[tokio::test]
async fn a_cancellation_beside_a_takeover_lets_nothing_start() {
    let (world, faults) = behind_faults().await;
    let (id, action) = world.approved_batch().await;
    world.takes_messages().await;
    let session = shared::model::Id::new(id.as_i64().unwrap()).unwrap();
    let agent = world.api.store.agent();
    let died = agent.claim(world.api.home.id, session, &action, MINUTE);
    drop(died.await.unwrap());
    world.api.clock.advance(2 * MINUTE);
    let beside = world.store_beside().await;
    faults.hold(Requests::Of("TransactWriteItems"));
    let worker = world.worker();
    let message = world.message(&id, &action);
    let batch = [(message.as_str(), 1)];
    let cancels = async {
        faults.holds(1).await;
        beside
            .agent()
            .cancel(world.api.home.id, session)
            .await
            .unwrap();
        faults.release();
    };
    futures::join!(worker.handle(event(&batch)), cancels);
    assert_eq!(world.demo.effects(), []);
    assert_eq!(world.outcome(&id).await.0, "cancelled");
}
