//! Checks of target systems: preconditions before an action's first call, the success of its
//! answers, the verification after its end, and the reconciliation of a call whose answer was lost.

mod preconditions;
mod reconciliations;
mod verifications;

use local::target_systems::{FaultMode, InjectedFault};
use serde_json::{Value, json};
use shared::agent::{action::ActionType, session::ProposedAction};
use tests::support::{AFTER_THE_LEASE, Concierge, check_of, event, once, posting};

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;

const RETRY: &str = "POST /payments/{id}/retry";
const READ: &str = "GET /payments/{id}";

/// A world with this proposal, a payment system that honours keys or not, and a session with all
/// actions approved.
async fn given(actions: Vec<ProposedAction>, keyed: bool) -> (Concierge, Value, Vec<String>) {
    let world = Concierge::start_proposing(actions).await;
    if !keyed {
        world.honours_no_keys("payments").await;
    }
    let payment = [("payment", "pay_3001")];
    let (id, actions) = world
        .all_approved("payment_failed", &payment)
        .await;
    (world, id, actions)
}

/// Has a worker that tries each call once run an action, with a fault of its calls of this
/// operation.
async fn runs_under(world: &Concierge, id: &Value, action: &str, fault: InjectedFault) {
    let mode = fault.mode;
    world.demo.inject(fault);
    let worker = world.worker_with(once());
    let runs = world.runs_with(&worker, id, action);
    match mode {
        FaultMode::Hang => world.gives_up(0, runs).await,
        FaultMode::Delay => world.gives_up(1, runs).await,
        _ => runs.await,
    }
}

fn fault(mode: FaultMode, operation: &str) -> InjectedFault {
    let is_late = mode == FaultMode::Delay;
    InjectedFault {
        operation: Some(operation.to_owned()),
        delay_ms: if is_late { 600_000 } else { 0 },
        ..InjectedFault::once("payments", mode)
    }
}

/// Calls a system past the agent.
async fn calls(world: &Concierge, action_type: ActionType, system: &str, path: &str, body: &Value) {
    let action = posting(action_type, system, path, body, "any");
    let call = action.content.steps[0]
        .call
        .as_ref()
        .unwrap();
    assert_eq!(world.calls(system, call).await, 200);
}

/// Collects the payment's invoice past the agent.
async fn collected_by_another(world: &Concierge) {
    let retry = ActionType::RetryInvoice;
    let path = "/invoices/inv_2004/retry";
    calls(world, retry, "payments", path, &json!({})).await;
}

async fn result(world: &Concierge, id: &Value) -> Value {
    world.session(id).await["executionResults"][0].clone()
}

/// The status of the first result's checks for a purpose, and their number.
async fn checked(world: &Concierge, id: &Value, purpose: &str) -> (String, i64) {
    let result = result(world, id).await;
    let check = check_of(&result, purpose);
    let status = check["status"]
        .as_str()
        .unwrap()
        .to_owned();
    (status, check["count"].as_i64().unwrap())
}

/// Returns the events of a session's journal, and the type of each actor.
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
    world.max.reads(&path).await["status"].clone()
}

/// Asserts whether the first success counts: its minutes, its last fix, and its alert's end.
async fn counts(world: &Concierge, id: &Value, is_counted: bool) {
    let minutes = if is_counted { 5 } else { 0 };
    assert_eq!(world.minutes_saved().await, minutes);
    assert_eq!(world.fixes().await, usize::from(is_counted));
    // The worker requested the check of the alert.
    world
        .delivers_once(&world.worker())
        .await;
    let status = if is_counted { "resolved" } else { "open" };
    assert_eq!(alert_status(world, id).await, status);
}

/// Lets a worker die during a read or a call of the payment system.
async fn dies_under(world: &Concierge, id: &Value, action: &str, fault: InjectedFault) {
    let effects = usize::from(fault.mode == FaultMode::Delay);
    world.demo.inject(fault);
    let worker = world.worker_with(once());
    let message = world.message(id, action);
    let called = async {
        world.faults_are_met().await;
        world.effects_reach(effects).await;
    };
    tokio::select! {
        _ = worker.handle(event(&[(&message, 1)])) => panic!("it was to be killed"),
        () = called => {}
    }
}
