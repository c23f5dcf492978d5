//! Effects on records of target systems: each takes place at most once, whichever session asks for it, and in
//! the order and company that a playbook allows.

use std::time::Duration;

use action_worker::Limits;
use local::target_systems::FaultMode;
use serde_json::{Value, json};
use shared::{
    agent::{
        action::{ActionKey, ActionType, MoneyDirection, MoneyMoved},
        session::ProposedAction,
    },
    model::{AgentSessionId, Id},
};
use tests::{
    support::{
        Concierge, Fault as TableFault, Faults, Requests, Settings, event, late, posting, retrying,
        with,
    },
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
    world.has_failed(&second, "done_recently", 1).await;

    // It failed for certain: an hour later it may be tried again, and a day later it runs.
    world.api.clock.advance(HOUR);
    world.executes_again(&second, &[&action]).await.expect(202);
    skipped(&runs(&world, &second, &action).await, "done_recently");
    world.api.clock.advance(23 * HOUR - 1);
    let path = format!("/api/concierge/agent-sessions/{second}/execute");
    let body = json!({"actionIds": [action], "again": true});
    world.max_again().await.post(&path, body).await.expect(202);
    world.api.clock.advance(1);
    world.runs(&second, &action).await;
    assert_eq!(world.demo.effects().len(), 2);
}

#[tokio::test]
async fn an_effect_in_progress_is_left_to_its_session() {
    let world = Concierge::start().await;
    let (first, action) = message_to_the_customer(&world).await;
    // It was refused for now, and waits for its next attempt.
    for _ in 0..3 {
        world.refuses("notifications", 429);
    }
    world.runs(&first, &action).await;
    world.is_executing(&first, 0).await;
    let (second, other) = message_to_the_customer(&world).await;
    skipped(&runs(&world, &second, &other).await, "effect_in_progress");
    world.api.clock.advance(MINUTE);
    assert!(runs(&world, &first, &action).await.0);
    assert_eq!(world.demo.effects().len(), 1);
}

#[tokio::test]
async fn an_effect_of_unknown_outcome_is_not_repeated() {
    let world = Concierge::start().await;
    let alert = world.alert("payment_failed", &PAYMENT).await;
    let first = world.opened(&alert).await;
    let action = world.proposed(&first).await.remove(1);
    world.executes(&first, &[&action]).await.expect(202);
    world.takes_messages().await;
    world.fails("notifications", FaultMode::Drop);
    assert!(!runs(&world, &first, &action).await.0);
    // Cancelled, it leaves the alert to another session, which proposes the same.
    world.cancels(&first).await.expect(200);
    let second = world.opened(&alert).await;
    assert_ne!(second, first);
    let action = world.proposed(&second).await.remove(1);
    // However long it takes until a person finds out.
    world.api.clock.advance(23 * HOUR + HOUR / 2);
    world.executes(&second, &[&action]).await.expect(202);
    world.api.clock.advance(HOUR - 1);
    world.runs(&second, &action).await;
    assert_eq!(world.demo.effects().len(), 1);
    let path = format!("/api/concierge/agent-sessions/{second}");
    let session = world.max_again().await.get(&path).await.expect(200);
    let error = session["executionResults"][0]["error"].as_str().unwrap();
    skipped(&(false, error.to_owned()), "effect_unknown");
}

#[tokio::test]
async fn an_action_that_failed_for_certain_leaves_its_effect_to_another_session() {
    let world = Concierge::start().await;
    let (first, action) = message_to_the_customer(&world).await;
    world.refuses("notifications", 422);
    assert!(!runs(&world, &first, &action).await.0);
    let (second, other) = message_to_the_customer(&world).await;
    assert!(runs(&world, &second, &other).await.0);
    // And then not to the first one any more.
    world.executes_again(&first, &[&action]).await.expect(202);
    world.runs(&first, &action).await;
    world.has_failed(&first, "done_recently", 1).await;
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

#[tokio::test]
async fn an_effect_on_another_record_is_another_one() {
    let world = Concierge::start_unwary().await;
    let other = [("payment", "pay_3002"), ("customer", "cus_503")];
    for (effects, entities) in [(2, PAYMENT), (4, other)] {
        let (id, actions) = world.all_approved("payment_failed", &entities).await;
        for action in &actions {
            world.runs(&id, action).await;
        }
        world.is_completed(&id, effects).await;
    }
}

/// A session on a duplicated invoice, and the actions that void and credit it.
async fn duplicated(world: &Concierge) -> (Value, String, String) {
    let entities = [("invoice", "inv_2008")];
    let alert = world.alert("invoice_duplicated", &entities).await;
    let id = world.opened(&alert).await;
    let mut actions = world.proposed(&id).await;
    let credit = actions.remove(1);
    (id, actions.remove(0), credit)
}

#[tokio::test]
async fn one_of_two_actions_that_exclude_each_other_is_executed() {
    let world = Concierge::start_exclusive().await;
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
    world.is_completed(&first, 1).await;
    let (second, _, credit) = duplicated(&world).await;
    world.executes(&second, &[&credit]).await.expect(202);
    world.delivers(&world.worker()).await;
    let (_, results) = world.outcome(&second).await;
    // The later one reads again.
    let changed = "precondition_changed: expected that invoice.state is `open`";
    assert!(results[0].1.starts_with(changed), "{results:?}");
    world.has_failed(&second, changed, 1).await;
}

#[tokio::test]
async fn actions_that_exclude_each_other_do_not_run_at_once() {
    let world = Concierge::start_exclusive().await;
    let mut messages = Vec::new();
    for round in 0..6 {
        let (session, void, credit) = duplicated(&world).await;
        let action = if round % 2 == 0 { void } else { credit };
        world.executes(&session, &[&action]).await.expect(202);
        messages.push(world.message(&session, &action));
    }
    world.takes_messages().await;
    world.runs_all_at_once(&messages).await;
    assert_eq!(world.demo.effects().len(), 1);
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

#[tokio::test]
async fn an_action_waits_for_the_one_before_it_and_follows_at_once() {
    let (world, id, actions) = in_order().await;
    let shown = world.session(&id).await["proposedActions"][1]["after"].clone();
    assert_eq!(shown, json!([actions[0]]));
    let reversed = [&*actions[1], &*actions[0]];
    world.executes(&id, &reversed).await.expect(202);
    world.takes_messages().await;
    world.runs(&id, &actions[1]).await;
    world.is_executing(&id, 0).await;
    world.runs(&id, &actions[0]).await;
    assert_eq!(world.demo.effects().len(), 1);
    let second = world.message(&id, &actions[1]);
    assert_eq!(world.takes_messages().await, [second]);
    world.runs(&id, &actions[1]).await;
    world.is_completed(&id, 2).await;
    let effects = world.demo.effects();
    let systems: Vec<&str> = effects.iter().map(|effect| &*effect.system).collect();
    assert_eq!(systems, ["payments", "notifications"]);
}

#[tokio::test]
async fn an_action_is_skipped_when_the_one_before_it_did_not_succeed() {
    let (world, id, actions) = in_order().await;
    let both = [&*actions[0], &*actions[1]];
    world.refuses("payments", 422);
    world.executes(&id, &both).await.expect(202);
    let worker = world.worker();
    // Both messages, and the one that the end of the first action sends.
    world.delivers(&worker).await;
    world.delivers(&worker).await;
    world.has_failed(&id, "", 0).await;
    let error = world.outcome(&id).await.1.remove(1).1;
    assert!(error.starts_with("predecessor_not_done: "), "{error}");
    // Together they can be executed again.
    world.executes_again(&id, &both).await.expect(202);
    world.delivers(&worker).await;
    world.delivers(&worker).await;
    world.is_completed(&id, 2).await;
}

#[tokio::test]
async fn an_action_that_is_approved_alone_waits_for_no_other() {
    let (world, id, actions) = in_order().await;
    world.executes(&id, &[&actions[1]]).await.expect(202);
    world.delivers(&world.worker()).await;
    world.is_completed(&id, 1).await;
}

#[tokio::test]
async fn another_table_has_other_idempotency_keys() {
    let world = Concierge::start().await;
    let (id, _) = world.approved_batch().await;
    world.delivers(&world.worker()).await;
    world.is_completed(&id, 1).await;
    let stack = world.stack().await;
    // As it is found in a table that was restored under another name.
    world.forgets_the_table_of_the_stack().await;
    let customer = [("customer", "cus_503")];
    let (id, action) = world.approved("usage_events_missing", &customer, 0).await;
    world.delivers(&world.worker()).await;
    world.is_completed(&id, 2).await;
    let renewed = world.stack().await;
    assert_ne!(renewed, stack);
    let keys = world.demo.effects().into_iter();
    let keys: Vec<String> = keys.filter_map(|effect| effect.idempotency_key).collect();
    assert!(keys[0].starts_with(&format!("wd-{stack}-")), "{keys:?}");
    assert_eq!(keys[1], format!("wd-{renewed}-1-{id}-{action}-1-1"));
}

#[tokio::test]
async fn a_session_that_has_a_successor_does_not_run_again() {
    let world = Concierge::start().await;
    let alert = world.alert("payment_failed", &PAYMENT).await;
    let first = world.opened(&alert).await;
    let action = world.proposed(&first).await.remove(1);
    world.executes(&first, &[&action]).await.expect(202);
    world.refuses("notifications", 404);
    world.delivers(&world.worker()).await;
    // The same request again, as a client's library sends it that got no answer.
    let stored = world.executes(&first, &[&action]).await.expect(200);
    assert_eq!(stored["results"][0]["success"], false);
    assert_eq!(world.takes_messages().await, [] as [String; 0]);

    let second = world.opened(&alert).await;
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
    world.refuses("notifications", 404);
    world.delivers(&world.worker()).await;
    world.api.clock.advance(24 * HOUR);
    let path = format!("/api/concierge/agent-sessions/{id}/execute");
    let body = json!({"actionIds": [action], "again": true});
    let answer = world.max_again().await.post(&path, body).await;
    answer.expect_problem(409, "session_expired");
}

#[tokio::test]
async fn a_session_is_not_executed_again_while_another_is_opened() {
    let world = Concierge::start().await;
    for _ in 0..4 {
        let alert = world.alert("payment_failed", &PAYMENT).await;
        let first = world.opened(&alert).await;
        let action = world.proposed(&first).await.remove(1);
        world.executes(&first, &[&action]).await.expect(202);
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
    let (lease, step_timeout) = (Duration::from_millis(800), Duration::from_millis(400));
    let worker = world.worker_with(Limits {
        lease,
        step_timeout,
        ..Limits::default()
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
        let response = world.worker().handle(event(&[(&message, 5)])).await;
        assert_eq!(response.batch_item_failures.len(), 1);
        faults.end();
        world.recovers(&id).await;
        assert_eq!(world.demo.effects().len(), 1);
    }
}

/// A claim reads the session and expects no version of it: the cancellation must be seen anyway, also beside
/// the takeover of an action whose worker died.
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
            let died = agent.claim(&key, MINUTE);
            drop(died.await.unwrap());
            world.api.clock.advance(2 * MINUTE);
        }
        let beside = world.store_beside().await;
        faults.hold(Requests::Of("TransactWriteItems"));
        let worker = world.worker();
        let cancels = async {
            faults.holds(1).await;
            let agent = beside.agent();
            agent.cancel(world.api.home.id, session).await.unwrap();
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

/// Two alerts spell the id of one payment in two ways. It is retried once.
#[tokio::test]
async fn one_record_has_one_effect_however_alerts_spell_it() {
    let world = Concierge::start().await;
    let mut messages = Vec::new();
    let mut sessions = Vec::new();
    for payment in ["pay_3001", "PAY_3001"] {
        let entities = [("payment", payment), ("customer", "cus_501")];
        let (session, action) = world.approved("payment_failed", &entities, 0).await;
        let shown = &world.session(&session).await["proposedActions"][0];
        assert_eq!(shown["targetEntities"], json!(["pay_3001"]));
        assert_eq!(
            shown["steps"][0]["apiCall"],
            "POST /payments/pay_3001/retry"
        );
        messages.push(world.message(&session, &action));
        sessions.push(session);
    }
    world.runs_all_at_once(&messages).await;
    assert_eq!(world.demo.effects().len(), 1);
    let mut ends = Vec::new();
    for session in &sessions {
        ends.push(world.outcome(session).await.0);
    }
    ends.sort_unstable();
    assert_eq!(ends, ["completed", "failed"]);
}

/// An action that collects the debt of one invoice.
fn collecting(action: ProposedAction) -> ProposedAction {
    with(action, |content| {
        content.records.push("invoice/inv_2004".into());
        content.records.dedup();
        content.money = Some(MoneyMoved {
            direction: MoneyDirection::CustomerPays,
            amount: None,
        });
    })
}

#[tokio::test]
async fn one_debt_is_collected_once_through_any_connection() {
    let path = "/invoices/inv_2004/retry";
    let invoice = ActionType::RetryInvoice;
    let invoice = posting(invoice, "payments", path, &json!({}), "inv_2004");
    let world = Concierge::start_proposing(vec![collecting(retrying()), collecting(invoice)]).await;
    let (first, action) = world
        .approved("payment_failed", &[("payment", "pay_3001")], 0)
        .await;
    world.runs(&first, &action).await;
    assert_eq!(world.outcome(&first).await.0, "completed");
    let (second, action) = world
        .approved("invoice_unpaid", &[("invoice", "inv_2004")], 1)
        .await;
    let preview = format!("/api/concierge/agent-sessions/{second}/preview");
    let preview = world.max.post(&preview, json!({"actionIds": [action]}));
    let guards = preview.await.expect(200)["actions"][0]["guards"].clone();
    assert_eq!(guards[0]["record"], "invoice/inv_2004");
    assert_eq!(guards[0]["heldBy"]["code"], "done_recently");
    world.runs(&second, &action).await;
    world.has_failed(&second, "done_recently", 1).await;
}

/// Billing marks each of two invoices as a duplicate of the other.
#[tokio::test]
async fn of_two_duplicates_only_one_is_voided() {
    let world = Concierge::start().await;
    let mut sessions = Vec::new();
    for invoice in ["inv_2016", "inv_2017"] {
        let entities = [("invoice", invoice)];
        sessions.push(world.approved("invoice_duplicated", &entities, 0).await);
    }
    let messages = sessions.iter();
    let messages: Vec<String> = messages.map(|(id, one)| world.message(id, one)).collect();
    world.runs_all_at_once(&messages).await;
    let outcome = world.outcome(&sessions[0].0).await;
    assert_eq!(world.demo.effects().len(), 1, "{outcome:?}");
    // The other invoice does not stand any more, so the one that is left is no duplicate.
    for invoice in ["inv_2016", "inv_2017"] {
        let entities = [("invoice", invoice)];
        let alert = world.alert("invoice_duplicated", &entities).await;
        let session = world.opened(&alert).await;
        world.proposed(&session).await;
        let void = world.session(&session).await["proposedActions"][0].clone();
        assert_eq!(void["isAutomated"], false, "{void}");
    }
}
