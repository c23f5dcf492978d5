//! Before an action's first call, and what its answers say.

use shared::model::AnswerCondition;

use super::*;
use crate::support::{fact_is, read_of, retrying, retrying_if_failed};

#[tokio::test]
async fn what_it_requires_is_looked_at_behind_the_claim_and_changed_nothing_is_sent() {
    for keyed in [true, false] {
        let world = Concierge::start_proposing(vec![retrying_if_failed()]).await;
        if !keyed {
            without_keys(&world).await;
        }
        let (id, actions) = approved(&world).await;
        collected_by_another(&world).await;
        // Whatever would be sent would meet this.
        world.demo.inject(fault(FaultMode::Fail, RETRY));
        runs(&world, &world.worker(), &id, &actions[0]).await;
        let (status, results) = world.outcome(&id).await;
        assert_eq!(status, "failed");
        let expected = "precondition_changed: expected that payment.state is failed; found that \
                        payment.state is succeeded. Nothing was sent.";
        assert_eq!(results, [(false, expected.to_owned())]);
        assert_eq!(world.demo.waiting_faults(), 1);
        assert_eq!(world.demo.effects().len(), 1);
        let step = &result(&world, &id).await["steps"][0];
        assert_eq!(
            (&step["status"], &step["at"]),
            (&json!("not_sent"), &json!(null))
        );
        let journal = journal(&world, &id).await;
        let looked = ("looked".to_owned(), "worker".to_owned());
        assert!(journal.contains(&looked), "{journal:?}");
    }
}

#[tokio::test]
async fn what_it_requires_and_holds_lets_it_go_on() {
    let mut action = retrying_if_failed();
    // Another connection's, of the same organization.
    action
        .reads
        .push(read_of("invoice", "billing", "/invoices/inv_2004"));
    action.require.push(fact_is("invoice.state", "open"));
    let world = Concierge::start_proposing(vec![action]).await;
    without_keys(&world).await;
    let (id, actions) = approved(&world).await;
    runs(&world, &world.worker(), &id, &actions[0]).await;
    assert_eq!(world.outcome(&id).await.0, "completed");
    assert_eq!(world.demo.effects().len(), 1);
    assert_eq!(world.minutes_saved().await, 5);
}

#[tokio::test]
async fn what_a_target_system_does_not_tell_is_asked_again_later() {
    for mode in [
        FaultMode::Fail,
        FaultMode::Hang,
        FaultMode::Garbage,
        FaultMode::Drop,
    ] {
        let world = Concierge::start_proposing(vec![retrying_if_failed()]).await;
        without_keys(&world).await;
        let (id, actions) = approved(&world).await;
        world.demo.inject(fault(mode, READ));
        match mode {
            FaultMode::Hang => runs_in_vain(&world, &id, &actions[0], 0).await,
            _ => runs(&world, &world.worker_with(once()), &id, &actions[0]).await,
        }
        assert_eq!(world.outcome(&id).await, ("executing".into(), vec![]));
        assert_eq!(world.demo.effects(), [], "{mode:?}");
        assert_eq!(passes(&world, MINUTE).await.resent, 1);
        assert_eq!(world.outcome(&id).await.0, "completed", "{mode:?}");
        assert_eq!(world.demo.effects().len(), 1, "{mode:?}");
    }
}

#[tokio::test]
async fn a_look_that_can_never_be_made_ends_it() {
    let mut nowhere = retrying_if_failed();
    nowhere.reads[0].connection = "accounting".to_owned();
    let mut forbidden = retrying_if_failed();
    forbidden.reads[0].path = "/secrets".to_owned();
    for action in [nowhere, forbidden] {
        let world = Concierge::start_proposing(vec![action]).await;
        let (id, actions) = approved(&world).await;
        runs(&world, &world.worker(), &id, &actions[0]).await;
        let (status, results) = world.outcome(&id).await;
        assert_eq!(status, "failed");
        let error = &results[0].1;
        assert!(error.starts_with("precondition_unknown: "), "{error}");
        assert_eq!(world.demo.effects(), []);
    }
}

#[tokio::test]
async fn a_record_that_is_gone_is_no_longer_as_required() {
    let mut action = retrying_if_failed();
    action.reads[0].path = "/payments/pay_9999".to_owned();
    let world = Concierge::start_proposing(vec![action]).await;
    let (id, actions) = approved(&world).await;
    runs(&world, &world.worker(), &id, &actions[0]).await;
    let error = world.outcome(&id).await.1.remove(0).1;
    assert!(
        error.contains("found that payment.state is not there"),
        "{error}"
    );
}

#[tokio::test]
async fn while_what_it_looks_through_is_paused_it_waits() {
    let mut action = retrying_if_failed();
    action
        .reads
        .push(read_of("invoice", "billing", "/invoices/inv_2004"));
    action.require.push(fact_is("invoice.state", "open"));
    let world = Concierge::start_proposing(vec![action]).await;
    let (id, actions) = approved(&world).await;
    let pause = "/api/concierge/connections/billing/pause";
    world.max.trigger(pause).await.expect(200);
    runs(&world, &world.worker(), &id, &actions[0]).await;
    assert_eq!(world.outcome(&id).await, ("executing".into(), vec![]));
    assert_eq!(world.demo.effects(), []);
    let resume = "/api/concierge/connections/billing/resume";
    world.max.trigger(resume).await.expect(200);
    passes(&world, MINUTE).await;
    assert_eq!(world.outcome(&id).await.0, "completed");
}

#[tokio::test]
async fn who_is_killed_while_looking_has_sent_nothing() {
    for keyed in [true, false] {
        let world = Concierge::start_proposing(vec![retrying_if_failed()]).await;
        if !keyed {
            without_keys(&world).await;
        }
        let (id, actions) = approved(&world).await;
        killed_in_a_read(&world, &id, &actions[0]).await;
        assert_eq!(world.demo.effects(), []);
        // What changed since counts: it is looked again.
        if keyed {
            collected_by_another(&world).await;
        }
        assert_eq!(passes(&world, AFTER_THE_LEASE).await.resent, 1);
        let (status, results) = world.outcome(&id).await;
        if keyed {
            assert!(
                results[0].1.starts_with("precondition_changed"),
                "{results:?}"
            );
        } else {
            assert_eq!(status, "completed", "{results:?}");
        }
        assert_eq!(world.demo.effects().len(), 1);
    }
}

#[tokio::test]
async fn a_call_that_may_have_been_sent_is_repeated_without_a_look() {
    let world = Concierge::start_proposing(vec![retrying_if_failed()]).await;
    let (id, actions) = approved(&world).await;
    world.demo.inject(fault(FaultMode::Drop, RETRY));
    runs(&world, &world.worker_with(once()), &id, &actions[0]).await;
    assert_eq!(world.outcome(&id).await, ("executing".into(), vec![]));
    // It would find its own effect.
    passes(&world, MINUTE).await;
    assert_eq!(world.outcome(&id).await.0, "completed");
    assert_eq!(world.demo.effects().len(), 1);
}

#[tokio::test]
async fn no_look_and_no_call_begins_with_too_little_of_the_lease() {
    let world = Concierge::start_proposing(vec![retrying_if_failed()]).await;
    without_keys(&world).await;
    let (id, actions) = approved(&world).await;
    let late = Limits {
        lease: Duration::from_millis(100),
        ..once()
    };
    world.demo.inject(fault(FaultMode::Fail, READ));
    runs(&world, &world.worker_with(late), &id, &actions[0]).await;
    assert_eq!(world.outcome(&id).await, ("executing".into(), vec![]));
    assert_eq!(world.demo.waiting_faults(), 1);
    world.demo.clear_faults();
    passes(&world, MINUTE).await;
    assert_eq!(world.outcome(&id).await.0, "completed");
}

/// A retry of the payment whose answer has to say this.
fn succeeding(at: &str, is: &str) -> ProposedAction {
    let mut action = retrying();
    let call = action.steps[0].call.as_mut().unwrap();
    call.success = vec![AnswerCondition {
        at: at.to_owned(),
        is: vec![json!(is)],
    }];
    action
}

#[tokio::test]
async fn an_answer_whose_body_says_otherwise_is_no_success() {
    for (keyed, at, is, status, says) in [
        (true, "/state", "succeeded", "completed", ""),
        (
            false,
            "/state",
            "settled",
            "failed",
            "not_successful: the target system answered 200, but \
                                               /state is succeeded, not settled.",
        ),
        (true, "/state", "settled", "failed", "not_successful: "),
        // One that says nothing there tells nothing.
        (
            false,
            "/outcome",
            "settled",
            "failed",
            "nothing at /outcome",
        ),
        (true, "/outcome", "settled", "executing", ""),
    ] {
        let world = Concierge::start_proposing(vec![succeeding(at, is)]).await;
        if !keyed {
            without_keys(&world).await;
        }
        let (id, actions) = approved(&world).await;
        runs(&world, &world.worker_with(once()), &id, &actions[0]).await;
        let (found, results) = world.outcome(&id).await;
        assert_eq!(found, status, "{at} {is}");
        let error = results.first().map_or("", |(_, error)| error);
        assert!(error.contains(says), "{error}");
        assert_eq!(
            world.minutes_saved().await,
            if status == "completed" { 5 } else { 0 }
        );
        assert_eq!(world.demo.effects().len(), 1);
        if status != "executing" {
            let expected = match is {
                "succeeded" => "done",
                _ if at == "/outcome" => "unclear",
                _ => "refused",
            };
            let step = &result(&world, &id).await["steps"][0];
            assert_eq!(step["status"], expected);
            assert_eq!(step["response"]["body"]["state"], "succeeded");
        }
    }
}

#[tokio::test]
async fn the_key_goes_into_the_body_where_it_is_asked_for() {
    let body =
        json!({"customerId": "cus_501", "template": "paid", "reference": "{idempotency_key}"});
    let notify = ActionType::NotifyCustomer;
    let world = Concierge::start_proposing(vec![posting(
        notify,
        "notifications",
        "/messages",
        &body,
        "cus_501",
    )])
    .await;
    let (id, actions) = approved(&world).await;
    runs(&world, &world.worker(), &id, &actions[0]).await;
    let key = format!("wd-{}-1-{id}-{}-1-1", world.stack().await, actions[0]);
    let message = &world.demo.state()["messages"][0];
    assert_eq!(message["content"]["reference"], json!(key));
    // What was approved names its place.
    let proposed = &world.session(&id).await["proposedActions"][0];
    let sent = &proposed["steps"][0]["request"]["body"];
    assert_eq!(sent["reference"], "{idempotency_key}");
}

#[tokio::test]
async fn what_became_of_each_step_is_told() {
    let mut action = retrying();
    let mut steps = vec![action.steps[0].clone(); 3];
    for (order, step) in (1..).zip(&mut steps) {
        step.order = order;
    }
    let second = steps[1].call.as_mut().unwrap();
    second.path = "/payments/pay_3005/retry".to_owned();
    action.steps = steps;
    let world = Concierge::start_proposing(vec![action]).await;
    let (id, actions) = approved(&world).await;
    runs(&world, &world.worker(), &id, &actions[0]).await;
    let session = world.session(&id).await;
    let result = &session["executionResults"][0];
    let steps = result["steps"].as_array().unwrap();
    let statuses: Vec<&Value> = steps.iter().map(|step| &step["status"]).collect();
    assert_eq!(statuses, ["done", "refused", "not_sent"]);
    assert_eq!(steps[0]["response"]["body"]["state"], "succeeded");
    assert_eq!(steps[1]["response"]["status"], 422);
    assert_eq!(steps[1]["at"], session["updatedAt"]);
    assert_eq!(
        steps[2],
        json!({"step": 3, "status": "not_sent", "at": null, "response": null})
    );
}
