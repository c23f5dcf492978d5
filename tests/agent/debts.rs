//! Debts: an action moves the approved amount, and is tried and told of as often as is allowed.

use local::target_systems::{FaultMode, InjectedFault};
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

/// An expired key asks nothing of a bank; a declined card does.
#[tokio::test]
async fn a_try_counts_when_something_was_asked() {
    for (status, may_repeat) in [(401, true), (402, false)] {
        let world = Concierge::start().await;
        let payment = [("payment", "pay_3001"), ("customer", "cus_501")];
        let (id, retry) = world
            .approved("payment_failed", &payment, 0)
            .await;
        world.takes_messages().await;
        let fault = InjectedFault::once("payments", FaultMode::Fail).status(status);
        world
            .demo
            .inject(fault.of("POST /payments/{id}/retry"));
        world.runs(&id, &retry).await;
        world
            .executes_again(&id, &[&retry])
            .await
            .expect(202);
        world.runs(&id, &retry).await;
        let (ended, results) = world.outcome(&id).await;
        let is_done = ended == "completed";
        assert_eq!(is_done, may_repeat, "{status}: {results:?}");
        let holds = is_done
            || results[0]
                .1
                .starts_with("attempts_reached: ");
        assert!(holds, "{results:?}");
        assert_eq!(world.demo.effects().len(), usize::from(may_repeat));
    }
}

/// Two payments of one customer failed. The policy says how many messages a customer gets.
#[tokio::test]
async fn a_customer_is_told_of_each_failed_payment_within_the_cap() {
    for (caps, sent) in [(json!({}), 2), (json!({"messagesPerCustomer": 1}), 1)] {
        let world = Concierge::start().await;
        world
            .has_policy(json!({"caps": caps}))
            .await;
        let mut last = Value::Null;
        for payment in ["pay_3001", "pay_3012"] {
            let entities = [("payment", payment), ("customer", "cus_501")];
            let (id, tells) = world
                .approved("payment_failed", &entities, 1)
                .await;
            world.runs(&id, &tells).await;
            last = id;
        }
        assert_eq!(world.demo.effects().len(), sent);
        let (status, results) = world.outcome(&last).await;
        assert_eq!(status == "completed", sent == 2);
        let is_capped = results[0]
            .1
            .starts_with("cap_reached: ");
        assert_eq!(is_capped, sent == 1, "{results:?}");
    }
}
