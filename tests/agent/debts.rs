//! Debts: an action moves the approved amount, and is told of as often as is allowed. The crate
//! `agent` has the limits of tries.

use serde_json::{Value, json};
use shared::model::base::span;
use tests::support::{Concierge, check_of, shows};

/// The state of a record of the demo.
fn record(world: &Concierge, kind: &str, id: &str) -> Value {
    world.demo.state()[kind][id].clone()
}

/// Finalizing a draft computes it again, as many billing systems do.
#[tokio::test]
async fn another_amount_than_the_approved_one_is_left_to_a_person() {
    let world = Concierge::start().await;
    let invoice = [("invoice", "inv_2021")];
    let (id, _) = world
        .approved("invoice_not_finalized", &invoice, 0)
        .await;
    let shown = &world.session(&id).await["proposedActions"][0];
    shows!(shown, {"description": "Finalize invoice `inv_2021` (482.10 USD)."});
    assert_eq!(shown["verify"]["amount"], "invoice.due is 48210");
    world.delivers(&world.worker()).await;
    for _ in 0..12 {
        world
            .api
            .clock
            .advance(6 * span::MINUTE);
        world.sweeper().sweep().await;
        world.delivers(&world.worker()).await;
    }
    assert_eq!(record(&world, "invoices", "inv_2021")["state"], "open");
    let path = format!("/api/concierge/agent-sessions/{id}");
    let max = world.max_again().await;
    let session = max.reads(&path).await;
    let effect = check_of(&session["executionResults"][0], "effect");
    assert_eq!(effect["status"], "not_done", "{session}");
    let manual = session["proposedActions"]
        .as_array()
        .unwrap()
        .last();
    let description = "Check the amount: 482.10 USD was approved, and 513.00 USD was found. The \
                       action was: Finalize invoice `inv_2021` (482.10 USD).";
    shows!(manual, {"isAutomated": false, "description": description});
    assert_eq!(session["openActions"], 1);
    let alert = format!("/api/concierge/alerts/{}", session["alertId"]);
    assert_eq!(max.reads(&alert).await["status"], "open");
}

/// Two payments of one customer failed. The policy says how many messages a customer gets.
#[tokio::test]
async fn a_customer_is_told_of_failed_payments_within_the_cap() {
    let world = Concierge::start().await;
    world
        .has_policy(json!({"caps": {"messagesPerCustomer": 1}}))
        .await;
    let mut sessions = Vec::new();
    for payment in ["pay_3001", "pay_3012"] {
        let entities = [("payment", payment), ("customer", "cus_501")];
        let (id, tells) = world
            .approved("payment_failed", &entities, 1)
            .await;
        world.runs(&id, &tells).await;
        sessions.push(id);
    }
    world
        .is_completed(&sessions[0], 1)
        .await;
    world
        .has_failed(&sessions[1], "cap_reached: ", 1)
        .await;
}
