//! Open outcomes, alerts that others settle meanwhile, and the interest of users in verdicts on
//! money.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Json, Router,
    extract::State,
    http::StatusCode,
    routing::{get, post},
};
use local::target_systems::{FaultMode, InjectedFault};
use serde_json::{Value, json};
use shared::{
    agent::{
        action::{ActionType, MoneyDirection},
        check::Reconciliation,
        connection::AnswerCondition,
        session::ProposedAction,
    },
    model::base::span,
};
use tests::support::{
    Caller, Concierge, fact_is, money, patches, posting, posts, refused, retrying, serve, shows,
    with,
};

const RETRY: &str = "POST /payments/{id}/retry";

/// Retries a payment by a bank that has days for it.
fn debiting() -> ProposedAction {
    with(retrying(), |retry| {
        retry.money = money(MoneyDirection::CustomerPays, 10_000, "EUR");
        let step = &mut retry.steps[0];
        step.call.as_mut().unwrap().expect = vec![202];
        step.call.as_mut().unwrap().success = vec![AnswerCondition {
            at: "/state".into(),
            is: vec![json!("succeeded")],
            pending: vec![json!("processing")],
        }];
        step.reconcile = Some(Reconciliation {
            pending: Some(fact_is("payment.state", "processing")),
            refused: Some(fact_is("payment.state", "failed")),
            within: Some(14 * span::DAY),
            ..Reconciliation::by(fact_is("payment.state", "succeeded"))
        });
    })
}

/// The state of the bank's payment, and the number of debits.
type Bank = Arc<Mutex<(&'static str, usize)>>;

/// Starts a bank in place of the payment system.
async fn bank(world: &Concierge) -> Bank {
    let bank: Bank = Arc::new(Mutex::new(("failed", 0)));
    let state = |State(bank): State<Bank>| async move {
        let (state, _) = *bank.lock().unwrap();
        Json(json!({"id": "pay_3001", "state": state}))
    };
    let debit = |State(bank): State<Bank>| async move {
        let mut bank = bank.lock().unwrap();
        *bank = ("processing", bank.1 + 1);
        (StatusCode::ACCEPTED, Json(json!({"state": "processing"})))
    };
    let routes = Router::new()
        .route("/payments/{id}", get(state))
        .route("/payments/{id}/retry", post(debit))
        .with_state(Arc::clone(&bank));
    let url = serve(routes).await;
    world
        .connects("payments", json!({"baseUrl": url}))
        .await;
    bank
}

async fn settles(
    caller: &Caller,
    id: &Value,
    action: &str,
    outcome: &str,
) -> tests::support::Answer {
    let path = format!("/api/concierge/agent-sessions/{id}/actions/{action}/settle");
    let body = json!({"outcome": outcome, "note": "The log of the bank."});
    caller.post(&path, body).await
}

async fn resolves(world: &Concierge, id: &Value) {
    let alert = world.session(id).await["alertId"].clone();
    let max = world.max_again().await;
    patches!(max, "/api/concierge/alerts/{alert}", {"status": "resolved"});
}

async fn alert_status(world: &Concierge, id: &Value) -> Value {
    let alert = world.session(id).await["alertId"].clone();
    let path = format!("/api/concierge/alerts/{alert}");
    world.max.reads(&path).await["status"].clone()
}

/// A bank debit takes days. The crate `agent` has its ends, and the order of the reads.
#[tokio::test]
async fn a_payment_under_way_is_no_failure() {
    let world = Concierge::start_proposing(vec![debiting()]).await;
    let bank = bank(&world).await;
    let payment = [("payment", "pay_3001")];
    let (id, actions) = world
        .all_approved("payment_failed", &payment)
        .await;
    world
        .runs_with(&world.worker(), &id, &actions[0])
        .await;
    let session = world.session(&id).await;
    shows!(session, {"status": "executing", "error": null, "openActions": 0});
    shows!(session["next"], {"who": "The agent", "until": "2026-01-15T12:00:15.000Z"});
    // The same list, sent again, says that it is under way.
    world
        .executes(&id, &[&actions[0]])
        .await
        .expect(202);
    refused!(settles(&world.max, &id, &actions[0], "not_done").await => 409, "under_way");
    for _ in 0..4 {
        world.passes(6 * span::HOUR).await;
    }
    let max = world.max_again().await;
    let path = format!("/api/concierge/agent-sessions/{id}");
    shows!(max.reads(&path).await, {"status": "executing", "/next/who": "The agent"});
    bank.lock().unwrap().0 = "failed";
    for _ in 0..3 {
        world.passes(6 * span::HOUR).await;
    }
    let max = world.max_again().await;
    shows!(max.reads(&path).await, {"status": "failed", "/executionResults/0/success": false});
    posts!(max, "{path}/execute", {"actionIds": actions, "again": true});
    world.delivers(&world.worker()).await;
    assert_eq!(bank.lock().unwrap().1, 2);
    let journal = format!("{path}/journal/check");
    assert_eq!(max.reads(&journal).await["verified"], true);
}

fn text_of_json(value: &Value) -> &str {
    value.as_str().unwrap()
}

/// The alert is resolved while the worker waits for the next try. The crate `agent` has the claim
/// of what was deferred.
#[tokio::test]
async fn what_waits_does_not_run_once_its_alert_is_resolved() {
    let world = Concierge::start_proposing(vec![retrying()]).await;
    let payment = [("payment", "pay_3001")];
    let (id, actions) = world
        .all_approved("payment_failed", &payment)
        .await;
    world.demo.inject(InjectedFault {
        status: 429,
        retry_after: Some("1".to_owned()),
        operation: Some(RETRY.to_owned()),
        ..InjectedFault::once("payments", FaultMode::Fail)
    });
    let resolved = async {
        while world.demo.waiting_faults() > 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        resolves(&world, &id).await;
    };
    let worker = world.worker();
    futures::join!(world.runs_with(&worker, &id, &actions[0]), resolved);
    world.passes(2 * span::MINUTE).await;
    let session = world.session(&id).await;
    let error = text_of_json(&session["executionResults"][0]["error"]);
    assert!(error.starts_with("alert_resolved: "), "{error}");
    assert_eq!(world.demo.effects(), []);
    shows!(session, {"status": "completed", "next": null, "openActions": 0});
}

/// Sends a retry past the agent.
async fn paid_elsewhere(world: &Concierge) {
    let path = "/payments/pay_3001/retry";
    let action_type = ActionType::RetryPayment;
    let retry = posting(action_type, "payments", path, &json!({}), "any");
    let call = retry.content.steps[0]
        .call
        .as_ref()
        .unwrap();
    assert_eq!(world.calls("payments", call).await, 200);
}

#[tokio::test]
async fn what_somebody_else_settled_resolves_the_alert_after_a_skip() {
    let world = Concierge::start().await;
    let entities = [("payment", "pay_3001"), ("customer", "cus_501")];
    let (id, _) = world
        .approved("payment_failed", &entities, 0)
        .await;
    paid_elsewhere(&world).await;
    let effects = world.demo.effects().len();
    world.delivers(&world.worker()).await;
    let session = world.session(&id).await;
    let error = text_of_json(&session["executionResults"][0]["error"]);
    assert!(error.starts_with("precondition_changed: "), "{error}");
    assert_eq!(world.demo.effects().len(), effects);
    assert_eq!(alert_status(&world, &id).await, "resolved");
    shows!(session, {"status": "completed", "error": null, "next": null, "openActions": 0});
    let mine = world
        .max
        .get("/api/concierge/agent-sessions?next=me")
        .await;
    assert_eq!(mine.expect(200), json!([]));
    world.journal(&id).await;
}

/// Whoever says that money did not move has an interest in its next move.
#[tokio::test]
async fn a_user_who_says_not_done_of_money_does_not_approve_the_next_try() {
    let body = json!({"amount": 10_000});
    let path = "/invoices/inv_2008/credit-notes";
    let action_type = ActionType::IssueCreditNote;
    let credit = posting(action_type, "billing", path, &body, "inv_2008");
    let credit = with(credit, |credit| {
        credit.money = money(MoneyDirection::CustomerIsRepaid, 10_000, "EUR");
    });
    let world = Concierge::start_proposing(vec![credit]).await;
    world.honours_no_keys("billing").await;
    let rules = json!({"rules": [{"when": {"movesMoney": true}, "notOpener": true}]});
    world.has_policy(rules).await;
    let sue = world.api.sign_in("sue").await;
    let opens = async || {
        let alert = world.alert("invoice_duplicated", &[("invoice", "inv_2008")]);
        world
            .proposed_by(&sue, alert.await.id)
            .await
    };
    let (id, action) = opens().await;
    world
        .demo
        .inject(InjectedFault::once("billing", FaultMode::Fail));
    world
        .executes(&id, &[&action])
        .await
        .expect(202);
    world.delivers(&world.worker()).await;
    let verdict = settles(&world.max, &id, &action, "not_done").await;
    verdict.expect(200);
    let refused = world
        .executes_again(&id, &[&action])
        .await;
    let problem = refused.expect_problem(403, "approver_not_allowed");
    let detail = text_of_json(&problem["detail"]);
    assert!(detail.contains("You said that it was not done"), "{detail}");
    // Another session does not make the same user another one.
    let (other, second) = opens().await;
    world
        .executes(&other, &[&second])
        .await
        .expect(202);
    world.delivers(&world.worker()).await;
    world
        .has_failed(&other, "approval_missing", 0)
        .await;
    // A third user does.
    let ada = world.api.sign_in("ada").await;
    let ada = ada.with_header("prefer", "respond-async");
    posts!(ada, "/api/concierge/agent-sessions/{id}/execute", {
        "actionIds": [action], "again": true,
    });
}
