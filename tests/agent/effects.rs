//! Effects on records of target systems: each takes place at most once, whichever session asks for
//! it, and in the order and company that a playbook allows.

use std::time::Duration;

use action_worker::WorkerLimits;
use serde_json::{Value, json};
use shared::{
    agent::action::{ActionKey, ActionType},
    model::base::{AgentSessionId, Id},
};
use tests::{
    support::{Concierge, Fault as TableFault, Faults, Requests, Settings, event, late, posting},
    unwary,
};

const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;

/// A failed payment, and its customer.
const PAYMENT: [(&str, &str); 2] = [("payment", "pay_3001"), ("customer", "cus_501")];

/// A session on an alert of its own, with an approved message to customer 501, and that action.
async fn message_to_the_customer(world: &Concierge) -> (Value, String) {
    let (id, action) = world.approved_message().await;
    world.takes_messages().await;
    (id, action)
}

/// Has a worker run an action; returns success and error.
async fn runs(world: &Concierge, session: &Value, action: &str) -> (bool, String) {
    world.runs(session, action).await;
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
async fn an_effect_of_another_session_is_not_repeated_for_a_day() {
    let world = Concierge::start().await;
    let (first, action) = message_to_the_customer(&world).await;
    assert!(runs(&world, &first, &action).await.0);
    let (second, action) = message_to_the_customer(&world).await;
    skipped(&runs(&world, &second, &action).await, "done_recently");
    world
        .has_failed(&second, "done_recently", 1)
        .await;

    // It failed for certain: an hour later it may be tried again, and a day later it runs.
    world.api.clock.advance(HOUR);
    world
        .executes_again(&second, &[&action])
        .await
        .expect(202);
    skipped(&runs(&world, &second, &action).await, "done_recently");
    world.api.clock.advance(23 * HOUR - 1);
    let path = format!("/api/concierge/agent-sessions/{second}/execute");
    let body = json!({"actionIds": [action], "again": true});
    world
        .max_again()
        .await
        .posts(&path, body)
        .await;
    world.api.clock.advance(1);
    world.runs(&second, &action).await;
    assert_eq!(world.demo.effects().len(), 2);
}

#[tokio::test]
async fn sessions_that_begin_in_the_same_instant_have_one_effect() {
    let world = Concierge::start().await;
    let mut messages = Vec::new();
    for _ in 0..6 {
        let (session, action) = message_to_the_customer(&world).await;
        messages.push(world.message(&session, &action));
    }
    world.runs_all_at_once(&messages).await;
    assert_eq!(world.demo.effects().len(), 1);
    assert_eq!(world.minutes_saved().await, 10);
}

/// A session that proposes a payment and, after it, a message to the customer.
async fn in_order() -> (Concierge, Value, Vec<String>) {
    let path = "/payments/pay_3001/retry";
    let body = json!({"customerId": "cus_501", "template": "paid"});
    let retry = ActionType::RetryPayment;
    let first = posting(retry, "payments", path, &json!({}), "pay_3001");
    let notify = ActionType::NotifyCustomer;
    let mut second = posting(notify, "notifications", "/messages", &body, "cus_501");
    second.after = vec![first.key.clone()];
    let world = Concierge::start_proposing(vec![first, second]).await;
    let alert = world.alert("payment_failed", &[]).await;
    let id = world.opened(&alert).await;
    let actions = world.proposed(&id).await;
    (world, id, actions)
}

/// Reversed in the request, refused at first, and approved again.
#[tokio::test]
async fn an_action_follows_the_one_before_it_once_that_succeeded() {
    let (world, id, actions) = Box::pin(in_order()).await;
    let shown = world.session(&id).await["proposedActions"][1]["after"].clone();
    assert_eq!(shown, json!([actions[0]]));
    let both = [&*actions[1], &*actions[0]];
    world.refuses("payments", 422);
    world
        .executes(&id, &both)
        .await
        .expect(202);
    world.takes_messages().await;
    world.runs(&id, &actions[1]).await;
    world.is_executing(&id, 0).await;
    world.runs(&id, &actions[0]).await;
    let second = world.message(&id, &actions[1]);
    assert_eq!(world.takes_messages().await, [second]);
    world.runs(&id, &actions[1]).await;
    world.has_failed(&id, "", 0).await;
    let error = world.outcome(&id).await.1.remove(1).1;
    assert!(error.starts_with("predecessor_not_done: "), "{error}");
    world
        .executes_again(&id, &both)
        .await
        .expect(202);
    let worker = world.worker();
    world.delivers(&worker).await;
    world.delivers(&worker).await;
    world.is_completed(&id, 2).await;
    let effects = world.demo.effects();
    let systems: Vec<&str> = effects
        .iter()
        .map(|effect| &*effect.system)
        .collect();
    assert_eq!(systems, ["payments", "notifications"]);
}

#[tokio::test]
async fn another_table_has_other_idempotency_keys() {
    let (world, id, _) = Concierge::start()
        .await
        .with_approved_batch()
        .await;
    world.delivers(&world.worker()).await;
    world.is_completed(&id, 1).await;
    let stack = world.stack().await;
    // As it is found in a table that was restored under another name.
    world
        .forgets_the_table_of_the_stack()
        .await;
    let customer = [("customer", "cus_503")];
    let (id, action) = world
        .approved("usage_events_missing", &customer, 0)
        .await;
    world.delivers(&world.worker()).await;
    world.is_completed(&id, 2).await;
    let renewed = world.stack().await;
    assert_ne!(renewed, stack);
    let keys = world.demo.effects().into_iter();
    let keys: Vec<String> = keys
        .filter_map(|effect| effect.idempotency_key)
        .collect();
    assert!(keys[0].starts_with(&format!("wd-{stack}-")), "{keys:?}");
    assert_eq!(keys[1], format!("wd-{renewed}-1-{id}-{action}-1-1"));
}

#[tokio::test]
async fn a_session_is_not_executed_again_while_another_is_opened() {
    let world = Concierge::start().await;
    for _ in 0..2 {
        let alert = world
            .alert("payment_failed", &PAYMENT)
            .await;
        let first = world.opened(&alert).await;
        let action = world.proposed(&first).await.remove(1);
        world
            .executes(&first, &[&action])
            .await
            .expect(202);
        world.refuses("notifications", 404);
        world.delivers(&world.worker()).await;
        let list = [action.as_str()];
        let (second, again) =
            futures::join!(world.opened(&alert), world.executes_again(&first, &list));
        // Either the old session runs again, or there is a new one.
        assert_eq!(second == first, again.status == 202, "{}", again.text);
        if again.status == 202 {
            world.cancels(&first).await.expect(200);
        }
    }
}

async fn behind_faults() -> (Concierge, Faults) {
    let (mut settings, faults) = Settings::behind_faults().await;
    settings.agent.analyse = Some(unwary::analyse());
    (Concierge::start_in(settings).await, faults)
}

/// On DynamoDB, transactions that write the same item turn each other away, and every success of
/// an organization writes its totals.
#[tokio::test]
async fn an_outcome_is_recorded_though_the_totals_are_busy() {
    let (world, faults) = behind_faults().await;
    let (id, action) = world.approved_batch().await;
    world.takes_messages().await;
    world.demo.inject(late("billing"));
    let worker = world.worker();
    let is_busy = async {
        world.effects_reach(1).await;
        // The totals are the only item of this partition that is written in a transaction.
        faults.begin(Requests::Writing("ORG#1"), TableFault::Conflict);
        world.demo.hurry();
    };
    futures::join!(world.runs_with(&worker, &id, &action), is_busy);
    world.is_completed(&id, 1).await;
    // An alert about the same record may come before the sweeper does.
    assert_eq!(world.fixes().await, 1);
    assert_eq!(world.minutes_saved().await, 0);
    faults.end();
    assert_eq!(world.passes(MINUTE).await.counted, 1);
    assert_eq!(world.minutes_saved().await, 25);
    assert_eq!(world.passes(HOUR).await, sweeper::Swept::default());
    assert_eq!(world.minutes_saved().await, 25);
}

/// The lease ends as many milliseconds earlier as the claim's write took.
#[tokio::test]
async fn the_lease_runs_while_the_claim_is_written() {
    let (world, faults) = behind_faults().await;
    let (id, action) = world.approved_message().await;
    world.takes_messages().await;
    let lease = Duration::from_millis(800);
    let step_timeout = Duration::from_millis(400);
    let worker = world.worker_with(WorkerLimits {
        lease,
        step_timeout,
        ..WorkerLimits::default()
    });
    faults.hold(Requests::Of("TransactWriteItems"));
    let is_slow = async {
        faults.holds(1).await;
        // More than what is left then for a call.
        tokio::time::sleep(lease.saturating_sub(step_timeout)).await;
        faults.release();
    };
    futures::join!(world.runs_with(&worker, &id, &action), is_slow);
    world.is_executing(&id, 0).await;
}

/// The last delivery of a message neither runs its action nor ends it while the table fails.
#[tokio::test]
async fn a_failing_table_makes_a_message_a_dead_letter_and_leaves_its_action_to_the_sweeper() {
    for requests in [
        Requests::BesideAuthentication,
        // It is read, and takes no writes.
        Requests::Of("TransactWriteItems"),
    ] {
        let (world, faults) = behind_faults().await;
        let (id, action) = world.approved_batch().await;
        world.takes_messages().await;
        faults.begin(requests, TableFault::Denied);
        let message = world.message(&id, &action);
        let response = world
            .worker()
            .handle(event(&[(&message, 5)]))
            .await;
        assert_eq!(response.batch_item_failures.len(), 1);
        faults.end();
        world.recovers(&id).await;
        assert_eq!(world.demo.effects().len(), 1);
    }
}

/// A claim reads the session and expects no version of it: the cancellation must be seen anyway,
/// also beside the takeover of an action whose worker died.
#[tokio::test]
async fn a_cancellation_beside_a_claim_lets_nothing_start() {
    for is_takeover in [false, true] {
        let (world, faults) = behind_faults().await;
        let (id, action) = world.approved_batch().await;
        world.takes_messages().await;
        let session = AgentSessionId::new(id.as_i64().unwrap()).unwrap();
        if is_takeover {
            let agent = world.api.store.agent();
            let key = ActionKey::new(world.api.home.id, session, &*action);
            drop(agent.claim(&key, MINUTE).await.unwrap());
            world.api.clock.advance(2 * MINUTE);
        }
        let beside = world.store_beside().await;
        faults.hold(Requests::Of("TransactWriteItems"));
        let worker = world.worker();
        let cancels = async {
            faults.holds(1).await;
            let agent = beside.agent();
            agent
                .cancel(world.api.home.id, session)
                .await
                .unwrap();
            faults.release();
        };
        futures::join!(world.runs_with(&worker, &id, &action), cancels);
        let (status, results) = world.outcome(&id).await;
        assert_eq!(status, "cancelled");
        if !is_takeover {
            assert_eq!(results[0].1, "Cancelled before it started.");
        }
        assert_eq!(world.demo.effects(), []);
    }
}
