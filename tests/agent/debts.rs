//! Debts: an action rests on what is owed, moves the approved amount, and is alone at its records.

use local::target_systems::{Fault, FaultMode};
use serde_json::{Value, json};
use shared::{agent::action::ActionType, model::span};
use tests::support::{Concierge, posting};

/// The state of a record of the demo.
fn record(world: &Concierge, kind: &str, id: &str) -> Value {
    world.demo.state()[kind][id].clone()
}

async fn alert_of(world: &Concierge, session: &Value) -> Value {
    let alert = world.session(session).await["alertId"].clone();
    let path = format!("/api/concierge/alerts/{alert}");
    world.max.get(&path).await.expect(200)
}

/// A duplicate invoice has a failed payment. Each alone would be done.
#[tokio::test]
async fn an_invoice_is_not_voided_and_collected_at_once() {
    for last in [0, 1] {
        let world = Concierge::start().await;
        let payment = [("payment", "pay_3012"), ("customer", "cus_501")];
        let (collects, retry) = world.approved("payment_failed", &payment, 0).await;
        let invoice = [("invoice", "inv_2016")];
        let (voids, void) = world.approved("invoice_duplicated", &invoice, 0).await;
        let both = [(&collects, &retry), (&voids, &void)];
        for (session, _) in both {
            let action = &world.session(session).await["proposedActions"][0];
            assert_eq!(action["isAutomated"], true, "{action}");
        }
        let messages = both.map(|(session, action)| world.message(session, action));
        world.takes_messages().await;
        world.runs_all_at_once(&messages).await;
        assert_eq!(world.demo.effects().len(), 1);
        let state = record(&world, "invoices", "inv_2016")["state"].clone();
        let payment = record(&world, "payments", "pay_3012")["state"].clone();
        let ends = [("paid", "succeeded"), ("void", "failed")];
        assert!(
            ends.contains(&(state.as_str().unwrap(), payment.as_str().unwrap())),
            "{state}"
        );
        // The other one, approved again, reads again and finds that it does not apply.
        let (session, action) = if state == "paid" { both[1] } else { both[0] };
        world.executes_again(session, &[action]).await.expect(202);
        world.runs(session, action).await;
        let (_, results) = world.outcome(session).await;
        assert!(
            results[0].1.starts_with("precondition_changed: "),
            "{last}: {results:?}"
        );
        assert_eq!(world.demo.effects().len(), 1);
    }
}

/// Finalizing a draft computes it again, as many billing systems do.
#[tokio::test]
async fn another_amount_than_the_approved_one_is_left_to_a_person() {
    let world = Concierge::start().await;
    let (id, _) = world
        .approved("invoice_not_finalized", &[("invoice", "inv_2021")], 0)
        .await;
    let shown = &world.session(&id).await["proposedActions"][0];
    assert_eq!(
        shown["description"],
        "Finalize invoice `inv_2021` (482.10 USD)."
    );
    assert_eq!(shown["verify"]["amount"], "invoice.amount is 48210");
    world.delivers(&world.worker()).await;
    for _ in 0..12 {
        world.api.clock.advance(6 * span::MINUTE);
        world.sweeper().sweep().await;
        world.delivers(&world.worker()).await;
    }
    assert_eq!(record(&world, "invoices", "inv_2021")["state"], "open");
    let path = format!("/api/concierge/agent-sessions/{id}");
    let max = world.max_again().await;
    let session = max.get(&path).await.expect(200);
    let verification = &session["executionResults"][0]["verification"];
    assert_eq!(verification["status"], "ineffective", "{session}");
    let manual = session["proposedActions"]
        .as_array()
        .unwrap()
        .last()
        .unwrap();
    assert_eq!(manual["isAutomated"], false);
    assert_eq!(
        manual["description"],
        "Check the amount: 482.10 USD was approved, and 513.00 USD was found. The action was: \
         Finalize invoice `inv_2021` (482.10 USD)."
    );
    assert_eq!(session["openActions"], 1);
    let alert = &session["alertId"];
    let alert = max.get(&format!("/api/concierge/alerts/{alert}")).await;
    assert_eq!(alert.expect(200)["status"], "open");
}

/// A draft with an outdated amount is computed again first, and its new amount is approved.
#[tokio::test]
async fn an_amount_is_computed_again_before_it_is_approved() {
    let world = Concierge::start().await;
    let invoice = [("invoice", "inv_2003")];
    let (first, _) = world.approved("invoice_not_finalized", &invoice, 0).await;
    let actions = world.session(&first).await["proposedActions"].clone();
    assert_eq!(actions[0]["actionType"], "refresh_invoice");
    world.delivers(&world.worker()).await;
    assert_eq!(world.outcome(&first).await.0, "completed");
    assert_eq!(alert_of(&world, &first).await["status"], "open");
    assert_eq!(record(&world, "invoices", "inv_2003")["state"], "draft");
    let (second, _) = world.approved("invoice_not_finalized", &invoice, 0).await;
    let actions = world.session(&second).await["proposedActions"].clone();
    assert_eq!(actions[0]["actionType"], "finalize_invoice");
    assert_eq!(actions[0]["money"]["amount"]["minorUnits"], 164_310);
    world.delivers(&world.worker()).await;
    assert_eq!(world.outcome(&second).await.0, "completed");
    assert_eq!(alert_of(&world, &second).await["status"], "resolved");
}

/// An expired key asks nothing of a bank; a declined card does.
#[tokio::test]
async fn a_try_counts_when_something_was_asked() {
    for (status, may_repeat) in [(401, true), (402, false)] {
        let world = Concierge::start().await;
        let payment = [("payment", "pay_3001"), ("customer", "cus_501")];
        let (id, retry) = world.approved("payment_failed", &payment, 0).await;
        world.takes_messages().await;
        world.demo.inject(Fault {
            status,
            operation: Some("POST /payments/{id}/retry".to_owned()),
            ..Fault::once("payments", FaultMode::Fail)
        });
        world.runs(&id, &retry).await;
        world.executes_again(&id, &[&retry]).await.expect(202);
        world.runs(&id, &retry).await;
        let (ended, results) = world.outcome(&id).await;
        let is_done = ended == "completed";
        assert_eq!(is_done, may_repeat, "{status}: {results:?}");
        assert!(
            is_done || results[0].1.starts_with("attempts_reached: "),
            "{results:?}"
        );
        assert_eq!(world.demo.effects().len(), usize::from(may_repeat));
    }
}

/// Two payments of one customer failed. The policy says how many messages a customer gets.
#[tokio::test]
async fn a_customer_is_told_of_each_failed_payment_within_the_cap() {
    for (caps, sent) in [(json!({}), 2), (json!({"messagesPerCustomer": 1}), 1)] {
        let world = Concierge::start().await;
        world.has_policy(json!({"caps": caps})).await;
        let mut last = Value::Null;
        for payment in ["pay_3001", "pay_3012"] {
            let entities = [("payment", payment), ("customer", "cus_501")];
            let (id, tells) = world.approved("payment_failed", &entities, 1).await;
            world.runs(&id, &tells).await;
            last = id;
        }
        assert_eq!(world.demo.effects().len(), sent);
        let (status, results) = world.outcome(&last).await;
        assert_eq!(status == "completed", sent == 2);
        let is_capped = results[0].1.starts_with("cap_reached: ");
        assert_eq!(is_capped, sent == 1, "{results:?}");
    }
}

/// A pause ends with its dispute: the alert stays open until the collection is resumed, and after a lost
/// dispute until a person has decided.
#[tokio::test]
async fn a_dispute_is_followed_to_its_end() {
    for (decision, is_won) in [("won", true), ("lost", false)] {
        let world = Concierge::start().await;
        let dispute = [("dispute", "dp_4001")];
        let (first, _) = world.approved("dispute_opened", &dispute, 0).await;
        world.delivers(&world.worker()).await;
        let is_paused = || record(&world, "invoices", "inv_2014")["collectionPaused"].clone();
        assert_eq!(is_paused(), true);
        let (kind, path) = (ActionType::ManualReview, "/disputes/dp_4001/decision");
        let bank = posting(
            kind,
            "payments",
            path,
            &json!({"state": decision}),
            "dp_4001",
        );
        let call = bank.content.steps[0].call.as_ref().unwrap();
        assert_eq!(world.calls("payments", call).await, 200);
        for _ in 0..6 {
            world.api.clock.advance(span::MINUTE);
            world.sweeper().sweep().await;
            world.delivers(&world.worker()).await;
        }
        assert_eq!(
            alert_of(&world, &first).await["status"],
            "open",
            "{decision}"
        );
        let second = world
            .opened(&world.alert("dispute_opened", &dispute).await)
            .await;
        let actions = world.proposed(&second).await;
        let session = world.session(&second).await;
        let action = &session["proposedActions"][0];
        assert_eq!(action["isAutomated"], is_won, "{action}");
        if is_won {
            world.executes(&second, &[&actions[0]]).await.expect(202);
            world.delivers(&world.worker()).await;
            assert_eq!(is_paused(), false);
            assert_eq!(alert_of(&world, &second).await["status"], "resolved");
        }
    }
}
