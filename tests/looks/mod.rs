//! Looks at target systems: before an action's first call, at what its answers say, and after its end,
//! whether it had its effect and what became of a call whose answer did not tell.

mod before;
mod reconciled;
mod verified;

use std::time::Duration;

use action_worker::{Limits, Worker};
use local::target_systems::{Fault, FaultMode};
use serde_json::{Value, json};
use shared::model::{ActionType, ProposedAction};

use crate::support::{Concierge, event, once, posting};

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;

/// Longer than a lease, and than the sweeper waits for a message.
const AFTER_THE_LEASE: i64 = 130 * SECOND;

const RETRY: &str = "POST /payments/{id}/retry";
const READ: &str = "GET /payments/{id}";

/// A session whose actions are all approved, with no message under way.
async fn approved(world: &Concierge) -> (Value, Vec<String>) {
    let entities = [("payment", "pay_3001")];
    let signal = world.signal("payment_failed", &entities).await;
    let id = world.opened(&signal).await;
    let actions = world.proposed(&id).await;
    let all: Vec<&str> = actions.iter().map(String::as_str).collect();
    world.executes(&id, &all).await.expect(202);
    world.takes_messages().await;
    (id, actions)
}

/// The payment system honours no keys.
async fn without_keys(world: &Concierge) {
    world
        .connects("payments", json!({"idempotency": null}))
        .await;
}

async fn runs(world: &Concierge, worker: &Worker, id: &Value, action: &str) {
    let message = world.message(id, action);
    let response = worker.handle(event(&[(&message, 1)])).await;
    assert_eq!(response.batch_item_failures.len(), 0);
}

/// The same under a fault that leaves a call without an answer.
async fn runs_in_vain(world: &Concierge, id: &Value, action: &str, effects: usize) {
    let worker = world.worker_with(once());
    let runs = runs(world, &worker, id, action);
    world.gives_up(effects, runs).await;
}

/// Time passes, and the sweeper and a worker come by.
async fn passes(world: &Concierge, millis: i64) -> sweeper::Swept {
    world.api.clock.advance(millis);
    let swept = world.sweeper().sweep().await;
    assert_eq!(swept.errors, 0, "{swept:?}");
    assert_eq!(world.delivers(&world.worker()).await, 0);
    swept
}

fn fault(mode: FaultMode, operation: &str) -> Fault {
    Fault {
        operation: Some(operation.to_owned()),
        ..Fault::once("payments", mode)
    }
}

/// Has somebody else collect the payment's invoice.
async fn collected_by_another(world: &Concierge) {
    let path = "/invoices/inv_2004/retry";
    let collect = posting(
        ActionType::RetryInvoice,
        "payments",
        path,
        &json!({}),
        "inv_2004",
    );
    let call = collect.steps[0].call.as_ref().unwrap();
    assert_eq!(world.calls("payments", call).await, 200);
}

async fn result(world: &Concierge, id: &Value) -> Value {
    world.session(id).await["executionResults"][0].clone()
}

/// What the journal of a session says happened, and the actor of each.
async fn journal(world: &Concierge, id: &Value) -> Vec<(String, String)> {
    let entries = world.journal(id).await.into_iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    entries
        .map(|entry| (text(&entry["what"]), text(&entry["actor"]["type"])))
        .collect()
}

async fn alert_status(world: &Concierge, id: &Value) -> Value {
    let alert = world.session(id).await["alertId"].clone();
    let path = format!("/api/concierge/alerts/{alert}");
    world.max.get(&path).await.expect(200)["status"].clone()
}

/// Lets a worker die while it reads the payment.
async fn killed_in_a_read(world: &Concierge, id: &Value, action: &str) {
    world.demo.inject(fault(FaultMode::Hang, READ));
    let worker = world.worker_with(once());
    let message = world.message(id, action);
    tokio::select! {
        _ = worker.handle(event(&[(&message, 1)])) => panic!("it was to be killed"),
        () = world.faults_are_met() => {}
    }
}
