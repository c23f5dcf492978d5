//! Preconditions before an action's first call, and the success of its answers.

use tests::support::{fact_is, read_of, retrying_if_failed};

use super::*;

/// Retries the payment if it failed and its invoice is open, which another connection tells.
fn retrying_if_open() -> ProposedAction {
    let mut action = retrying_if_failed();
    let invoice = read_of("invoice", "billing", "/invoices/inv_2004");
    action.content.reads.push(invoice);
    action
        .content
        .require
        .push(fact_is("invoice.state", "open"));
    action
}

#[tokio::test]
async fn a_changed_precondition_sends_nothing() {
    let (world, id, actions) = given(vec![retrying_if_failed()], true).await;
    collected_by_another(&world).await;
    // Whatever would be sent would meet this.
    world
        .demo
        .inject(fault(FaultMode::Fail, RETRY));
    world
        .runs_with(&world.worker(), &id, &actions[0])
        .await;
    let expected = "precondition_changed: expected that payment.state is `failed`; found that \
                    payment.state is `succeeded`. Nothing was sent.";
    world.has_failed(&id, expected, 1).await;
    assert_eq!(world.demo.waiting_faults(), 1);
    let step = &result(&world, &id).await["steps"][0];
    let not_sent = json!({"step": 1, "status": "not_sent", "at": null, "response": null});
    assert_eq!(*step, not_sent);
    let checked = ("looked".to_owned(), "worker".to_owned());
    assert!(
        journal(&world, &id)
            .await
            .contains(&checked)
    );
}

#[tokio::test]
async fn preconditions_that_hold_let_an_action_run() {
    let (world, id, actions) = given(vec![retrying_if_open()], false).await;
    world
        .runs_with(&world.worker(), &id, &actions[0])
        .await;
    world.is_completed(&id, 1).await;
    assert_eq!(world.minutes_saved().await, 5);
}

#[tokio::test]
async fn a_precondition_that_cannot_be_read_is_read_again_later() {
    for mode in [FaultMode::Hang, FaultMode::Garbage] {
        let (world, id, actions) = given(vec![retrying_if_failed()], false).await;
        runs_under(&world, &id, &actions[0], fault(mode, READ)).await;
        world.is_executing(&id, 0).await;
        assert_eq!(world.passes(MINUTE).await.resent, 1);
        world.is_completed(&id, 1).await;
    }
}

#[tokio::test]
async fn a_precondition_that_can_never_be_read_fails_the_action() {
    let mut nowhere = retrying_if_failed();
    nowhere.content.reads[0].connection = "accounting".to_owned();
    let mut forbidden = retrying_if_failed();
    forbidden.content.reads[0].path = "/secrets".to_owned();
    let mut gone = retrying_if_failed();
    gone.content.reads[0].path = "/payments/pay_9999".to_owned();
    for (action, says) in [
        (nowhere, "precondition_unknown: "),
        (forbidden, "precondition_unknown: "),
        (gone, "found that payment.state is not there"),
    ] {
        let (world, id, actions) = given(vec![action], true).await;
        world
            .runs_with(&world.worker(), &id, &actions[0])
            .await;
        world.has_failed(&id, says, 0).await;
    }
}

#[tokio::test]
async fn a_worker_killed_during_a_check_has_sent_nothing() {
    for keyed in [true, false] {
        let (world, id, actions) = given(vec![retrying_if_failed()], keyed).await;
        dies_under(&world, &id, &actions[0], fault(FaultMode::Hang, READ)).await;
        world.is_executing(&id, 0).await;
        // A change since counts: the precondition is checked again.
        if keyed {
            collected_by_another(&world).await;
        }
        assert_eq!(
            world
                .passes(AFTER_THE_LEASE)
                .await
                .resent,
            1
        );
        if keyed {
            world
                .has_failed(&id, "precondition_changed", 1)
                .await;
        } else {
            world.is_completed(&id, 1).await;
        }
    }
}

#[tokio::test]
async fn a_body_is_sent_as_it_was_approved() {
    let body =
        json!({"customerId": "cus_501", "template": "paid", "reference": "{idempotency_key}"});
    let notify = ActionType::NotifyCustomer;
    let message = posting(notify, "notifications", "/messages", &body, "cus_501");
    let (world, id, actions) = given(vec![message], true).await;
    world
        .runs_with(&world.worker(), &id, &actions[0])
        .await;
    let message = &world.demo.state()["messages"][0];
    let proposed = &world.session(&id).await["proposedActions"][0];
    let approved = &proposed["steps"][0]["request"]["body"];
    assert_eq!(approved["reference"], "{idempotency_key}");
    assert_eq!(message["content"]["reference"], approved["reference"]);
}
