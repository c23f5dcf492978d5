//! Preconditions before an action's first call, and the success of its answers.

use shared::agent::check::AnswerCondition;
use tests::support::{fact_is, read_of, retrying, retrying_if_failed};

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
    for keyed in [true, false] {
        let (world, id, actions) = given(vec![retrying_if_failed()], keyed).await;
        collected_by_another(&world).await;
        // Whatever would be sent would meet this.
        world.demo.inject(fault(FaultMode::Fail, RETRY));
        world.runs_with(&world.worker(), &id, &actions[0]).await;
        let expected = "precondition_changed: expected that payment.state is `failed`; found that \
                        payment.state is `succeeded`. Nothing was sent.";
        world.has_failed(&id, expected, 1).await;
        assert_eq!(world.demo.waiting_faults(), 1);
        let step = &result(&world, &id).await["steps"][0];
        let not_sent = json!({"step": 1, "status": "not_sent", "at": null, "response": null});
        assert_eq!(*step, not_sent);
        let checked = ("looked".to_owned(), "worker".to_owned());
        assert!(journal(&world, &id).await.contains(&checked));
    }
}

#[tokio::test]
async fn preconditions_that_hold_let_an_action_run() {
    let (world, id, actions) = given(vec![retrying_if_open()], false).await;
    world.runs_with(&world.worker(), &id, &actions[0]).await;
    world.is_completed(&id, 1).await;
    assert_eq!(world.minutes_saved().await, 5);
}

#[tokio::test]
async fn a_precondition_that_cannot_be_read_is_read_again_later() {
    use FaultMode::{Drop, Fail, Garbage, Hang};
    for mode in [Fail, Hang, Garbage, Drop] {
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
        world.runs_with(&world.worker(), &id, &actions[0]).await;
        world.has_failed(&id, says, 0).await;
    }
}

#[tokio::test]
async fn an_action_waits_while_the_connection_of_a_precondition_is_paused() {
    let (world, id, actions) = given(vec![retrying_if_open()], true).await;
    let pause = "/api/concierge/connections/billing/pause";
    world.max.trigger(pause).await.expect(200);
    world.runs_with(&world.worker(), &id, &actions[0]).await;
    world.is_executing(&id, 0).await;
    let resume = "/api/concierge/connections/billing/resume";
    world.max.trigger(resume).await.expect(200);
    world.passes(MINUTE).await;
    world.is_completed(&id, 1).await;
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
        assert_eq!(world.passes(AFTER_THE_LEASE).await.resent, 1);
        if keyed {
            world.has_failed(&id, "precondition_changed", 1).await;
        } else {
            world.is_completed(&id, 1).await;
        }
    }
}

#[tokio::test]
async fn a_call_that_may_have_been_sent_is_repeated_without_a_check() {
    let (world, id, actions) = given(vec![retrying_if_failed()], true).await;
    runs_under(&world, &id, &actions[0], fault(FaultMode::Drop, RETRY)).await;
    world.is_executing(&id, 1).await;
    // It would find its own effect.
    world.passes(MINUTE).await;
    world.is_completed(&id, 1).await;
}

#[tokio::test]
async fn no_check_and_no_call_begins_with_too_little_of_the_lease() {
    let (world, id, actions) = given(vec![retrying_if_failed()], false).await;
    let late = world.worker_with(Limits {
        lease: Duration::from_millis(100),
        ..once()
    });
    world.demo.inject(fault(FaultMode::Fail, READ));
    world.runs_with(&late, &id, &actions[0]).await;
    world.is_executing(&id, 0).await;
    assert_eq!(world.demo.waiting_faults(), 1);
    world.demo.clear_faults();
    world.passes(MINUTE).await;
    world.is_completed(&id, 1).await;
}

/// A retry of the payment whose answer has to say this.
fn succeeding(at: &str, is: &str) -> ProposedAction {
    let mut action = retrying();
    let call = action.content.steps[0].call.as_mut().unwrap();
    call.success = vec![AnswerCondition {
        at: at.to_owned(),
        is: vec![json!(is)],
        pending: Vec::new(),
    }];
    action
}

#[tokio::test]
async fn an_answer_whose_body_says_otherwise_is_no_success() {
    let otherwise = "not_successful: the target system answered 200, but /state is succeeded, not \
                     settled.";
    for (keyed, at, is, status, step, says) in [
        (true, "/state", "succeeded", "completed", "done", ""),
        (false, "/state", "settled", "failed", "refused", otherwise),
        (true, "/state", "settled", "failed", "refused", otherwise),
        // One that says nothing there tells nothing.
        (
            false,
            "/outcome",
            "settled",
            "executing",
            "unclear",
            "nothing at /outcome",
        ),
        // It is sent again.
        (true, "/outcome", "settled", "executing", "", ""),
    ] {
        let (world, id, actions) = given(vec![succeeding(at, is)], keyed).await;
        world
            .runs_with(&world.worker_with(once()), &id, &actions[0])
            .await;
        let (found, results) = world.outcome(&id).await;
        assert_eq!(found, status, "{at} {is}");
        let error = results.first().map_or("", |(_, error)| error);
        assert!(error.contains(says), "{error}");
        let minutes = if status == "completed" { 5 } else { 0 };
        assert_eq!(world.minutes_saved().await, minutes);
        assert_eq!(world.demo.effects().len(), 1);
        if !step.is_empty() {
            let first = &result(&world, &id).await["steps"][0];
            assert_eq!(first["status"], step);
            assert_eq!(first["response"]["body"]["state"], "succeeded");
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
    world.runs_with(&world.worker(), &id, &actions[0]).await;
    let message = &world.demo.state()["messages"][0];
    let proposed = &world.session(&id).await["proposedActions"][0];
    let approved = &proposed["steps"][0]["request"]["body"];
    assert_eq!(approved["reference"], "{idempotency_key}");
    assert_eq!(message["content"]["reference"], approved["reference"]);
}

#[tokio::test]
async fn a_result_tells_the_status_of_each_step() {
    let mut action = retrying();
    let mut steps = vec![action.content.steps[0].clone(); 3];
    for (order, step) in (1..).zip(&mut steps) {
        step.order = order;
    }
    let second = steps[1].call.as_mut().unwrap();
    second.path = "/payments/pay_3005/retry".to_owned();
    action.content.steps = steps;
    let (world, id, actions) = given(vec![action], true).await;
    world.runs_with(&world.worker(), &id, &actions[0]).await;
    let session = world.session(&id).await;
    let steps = session["executionResults"][0]["steps"].clone();
    assert_eq!(steps[0]["status"], "done");
    assert_eq!(steps[0]["response"]["body"]["state"], "succeeded");
    assert_eq!(steps[1]["status"], "refused");
    assert_eq!(steps[1]["response"]["status"], 422);
    assert_eq!(steps[1]["at"], session["updatedAt"]);
    let not_sent = json!({"step": 3, "status": "not_sent", "at": null, "response": null});
    assert_eq!(steps[2], not_sent);
}
