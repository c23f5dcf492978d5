//! What became of calls whose answers did not tell.

use std::collections::BTreeMap;

use super::*;
use crate::support::{reconciled, retrying, retrying_verified};

/// What becomes of a retry under a fault, and how often it took effect.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Fate {
    session: String,
    step: String,
    effects: usize,
}

async fn fate(mode: FaultMode, keyed: bool, reconciles: bool) -> Fate {
    let mut action = retrying();
    action.steps[0].reconcile = reconciles.then(reconciled);
    let world = Concierge::start_proposing(vec![action]).await;
    if !keyed {
        without_keys(&world).await;
    }
    let (id, actions) = approved(&world).await;
    let late = if mode == FaultMode::Delay { 600_000 } else { 0 };
    world.demo.inject(Fault {
        delay_ms: late,
        ..fault(mode, RETRY)
    });
    match mode {
        FaultMode::Hang => runs_in_vain(&world, &id, &actions[0], 0).await,
        FaultMode::Delay => runs_in_vain(&world, &id, &actions[0], 1).await,
        _ => runs(&world, &world.worker_with(once()), &id, &actions[0]).await,
    }
    for _ in 0..6 {
        passes(&world, MINUTE).await;
    }
    let session = world.session(&id).await;
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let result = &session["executionResults"][0];
    // Where nothing is looked for, nothing is said of it.
    assert_eq!(result["reconciliation"].is_null(), keyed || !reconciles);
    assert_eq!(result["success"], session["status"] == "completed");
    Fate {
        session: text(&session["status"]),
        step: text(&result["steps"][0]["status"]),
        effects: world.demo.effects().len(),
    }
}

/// Every fault, with a system that honours keys and with one that does not, with a way to find out what
/// became of a call and without one. Never is there a second effect, and unknown stays alone what
/// nothing can tell.
#[tokio::test]
async fn each_fault_ends_as_keys_and_looks_allow() {
    use FaultMode::{Delay, Drop, Fail, Garbage, Hang};
    let mut fates = BTreeMap::new();
    for mode in [Fail, Hang, Garbage, Drop, Delay] {
        let took_effect = matches!(mode, Drop | Delay);
        for (keyed, reconciles) in [(true, false), (true, true), (false, false), (false, true)] {
            let (session, step, effects) = match (keyed, reconciles, took_effect) {
                // Its repeat with the same key tells, or a look.
                (true, _, _) | (false, true, true) => ("completed", "done", 1),
                (false, false, _) => ("failed", "unclear", usize::from(took_effect)),
                (false, true, false) => ("failed", "not_done", 0),
            };
            let expected = Fate {
                session: session.to_owned(),
                step: step.to_owned(),
                effects,
            };
            let case = format!("{mode:?}, keyed {keyed}, reconciles {reconciles}");
            let found = fate(mode, keyed, reconciles).await;
            fates.insert(case, (found, expected));
        }
    }
    let differ: Vec<_> = fates
        .iter()
        .filter(|(_, (found, expected))| found != expected)
        .collect();
    assert!(differ.is_empty(), "{differ:#?}");
    assert_eq!(fates.len(), 20);
}

#[tokio::test]
async fn an_unknown_call_that_took_effect_completes_its_session() {
    let mut action = retrying_verified();
    action.steps[0].reconcile = Some(reconciled());
    let world = Concierge::start_proposing(vec![action]).await;
    without_keys(&world).await;
    let (id, actions) = approved(&world).await;
    world.demo.inject(fault(FaultMode::Drop, RETRY));
    runs(&world, &world.worker_with(once()), &id, &actions[0]).await;
    let (status, results) = world.outcome(&id).await;
    assert_eq!(status, "failed");
    assert!(results[0].1.contains("may have been done"), "{results:?}");
    let waits = result(&world, &id).await["reconciliation"].clone();
    assert_eq!(
        (&waits["status"], &waits["looks"]),
        (&json!("pending"), &json!(0))
    );
    world.api.clock.advance(15 * SECOND - 1);
    assert_eq!(world.sweeper().sweep().await, sweeper::Swept::default());
    let swept = passes(&world, 1).await;
    assert_eq!((swept.looks, swept.resent, swept.overdue), (1, 0, 0));
    assert_eq!(
        world.outcome(&id).await,
        ("completed".into(), vec![(true, String::new())])
    );
    // And what it came to is verified behind it.
    let result = result(&world, &id).await;
    assert_eq!(result["reconciliation"]["status"], "done");
    assert_eq!(
        result["reconciliation"]["found"]["payment.state"],
        "succeeded"
    );
    assert_eq!(result["verification"]["status"], "effective");
    assert_eq!(world.minutes_saved().await, 5);
    assert_eq!(alert_status(&world, &id).await, "resolved");
    assert_eq!(world.demo.effects().len(), 1);
    let journal = journal(&world, &id).await;
    let whats: Vec<&str> = journal.iter().map(|(what, _)| what.as_str()).collect();
    for what in ["reconciled", "verified", "alert_resolved"] {
        assert!(whats.contains(&what), "{whats:?}");
    }
    assert_eq!(whats.iter().filter(|what| **what == "settled").count(), 2);
    // Nothing is left to do.
    assert_eq!(passes(&world, HOUR).await, sweeper::Swept::default());
}

#[tokio::test]
async fn an_unknown_call_that_took_no_effect_may_be_executed_again() {
    let mut action = retrying();
    action.steps[0].reconcile = Some(reconciled());
    let world = Concierge::start_proposing(vec![action]).await;
    without_keys(&world).await;
    let (id, actions) = approved(&world).await;
    world.demo.inject(fault(FaultMode::Hang, RETRY));
    runs_in_vain(&world, &id, &actions[0], 0).await;
    // Unknown, it is not executed again.
    let again = world.executes_again(&id, &[&actions[0]]).await;
    again.expect_problem(409, "outcome_unknown");
    passes(&world, 15 * SECOND).await;
    let looks = result(&world, &id).await["reconciliation"].clone();
    assert_eq!(
        (&looks["status"], &looks["looks"]),
        (&json!("pending"), &json!(1))
    );
    passes(&world, 45 * SECOND).await;
    let error = world.outcome(&id).await.1.remove(0).1;
    assert!(error.contains("did not take effect"), "{error}");
    world.executes_again(&id, &[&actions[0]]).await.expect(202);
    world.delivers(&world.worker()).await;
    assert_eq!(world.outcome(&id).await.0, "completed");
    let result = result(&world, &id).await;
    assert!(result["reconciliation"].is_null(), "{result}");
    let effects = world.demo.effects();
    assert_eq!(effects.len(), 1);
    let key = effects[0].idempotency_key.as_deref();
    assert!(key.is_none_or(|key| key.ends_with("-1-2")), "{key:?}");
}

#[tokio::test]
async fn what_a_killed_worker_left_unknown_is_found_out() {
    for took_effect in [true, false] {
        let mut action = retrying();
        action.steps[0].reconcile = Some(reconciled());
        let world = Concierge::start_proposing(vec![action]).await;
        without_keys(&world).await;
        let (id, actions) = approved(&world).await;
        let mode = if took_effect {
            FaultMode::Delay
        } else {
            FaultMode::Hang
        };
        killed_in_a_call(&world, &id, &actions[0], mode).await;
        let effects = usize::from(took_effect);
        assert_eq!(world.demo.effects().len(), effects);
        passes(&world, AFTER_THE_LEASE).await;
        let error = world.outcome(&id).await.1.remove(0).1;
        assert!(error.contains("not sent again"), "{error}");
        passes(&world, MINUTE).await;
        let status = if took_effect { "completed" } else { "failed" };
        assert_eq!(world.outcome(&id).await.0, status);
        let expected = if took_effect { "done" } else { "not_done" };
        let result = result(&world, &id).await;
        assert_eq!(result["reconciliation"]["status"], expected, "{result}");
        assert_eq!(world.demo.effects().len(), effects);
    }
}

/// Lets a worker die while the retry of the payment is under way.
async fn killed_in_a_call(world: &Concierge, id: &Value, action: &str, mode: FaultMode) {
    world.demo.inject(Fault {
        delay_ms: 600_000,
        ..fault(mode, RETRY)
    });
    let worker = world.worker_with(once());
    let message = world.message(id, action);
    let effects = usize::from(mode == FaultMode::Delay);
    let called = async {
        world.faults_are_met().await;
        world.effects_reach(effects).await;
    };
    tokio::select! {
        _ = worker.handle(event(&[(&message, 1)])) => panic!("it was to be killed"),
        () = called => {}
    }
}

#[tokio::test]
async fn what_no_look_tells_stays_unknown_for_a_person() {
    let mut action = retrying();
    action.steps[0].reconcile = Some(reconciled());
    let world = Concierge::start_proposing(vec![action]).await;
    without_keys(&world).await;
    let (id, actions) = approved(&world).await;
    world.demo.inject(fault(FaultMode::Drop, RETRY));
    runs(&world, &world.worker_with(once()), &id, &actions[0]).await;
    world.demo.inject(Fault {
        times: 6,
        ..fault(FaultMode::Fail, READ)
    });
    let mut before = 0;
    for look in [
        15 * SECOND,
        MINUTE,
        5 * MINUTE,
        30 * MINUTE,
        3 * HOUR,
        12 * HOUR,
    ] {
        world.api.clock.advance(look - before - 1);
        assert_eq!(world.sweeper().sweep().await.looks, 0);
        assert_eq!(passes(&world, 1).await.looks, 1);
        before = look;
    }
    assert_eq!(world.demo.waiting_faults(), 0);
    let max = world.api.sign_in("max").await;
    let path = format!("/api/concierge/agent-sessions/{id}");
    let session = max.get(&path).await.expect(200);
    assert_eq!(session["status"], "failed");
    let looks = &session["executionResults"][0]["reconciliation"];
    assert_eq!(
        (&looks["status"], &looks["looks"]),
        (&json!("unknown"), &json!(6))
    );
    assert_eq!(
        (&looks["next"], &looks["found"]["payment.http"]),
        (&json!(null), &json!(500))
    );
    assert_eq!(
        session["executionResults"][0]["steps"][0]["status"],
        "unclear"
    );
    assert_eq!(passes(&world, HOUR).await, sweeper::Swept::default());
    assert_eq!(world.demo.effects().len(), 1);
}

#[tokio::test]
async fn an_unknown_step_that_took_effect_is_gone_on_from() {
    let mut action = retrying();
    action.steps[0].reconcile = Some(reconciled());
    let path = "/invoices/inv_2008/void";
    let mut void = posting(
        ActionType::VoidInvoice,
        "payments",
        path,
        &json!({}),
        "inv_2008",
    );
    let mut second = void.steps.remove(0);
    second.order = 2;
    second.call.as_mut().unwrap().path = "/payments/pay_3002/retry".to_owned();
    action.steps.push(second);
    let world = Concierge::start_proposing(vec![action]).await;
    without_keys(&world).await;
    let (id, actions) = approved(&world).await;
    world.demo.inject(fault(FaultMode::Drop, RETRY));
    runs(&world, &world.worker_with(once()), &id, &actions[0]).await;
    passes(&world, 15 * SECOND).await;
    let (status, results) = world.outcome(&id).await;
    assert_eq!(status, "failed");
    assert!(results[0].1.contains("goes on with them"), "{results:?}");
    let steps = result(&world, &id).await["steps"].clone();
    assert_eq!(
        (&steps[0]["status"], &steps[1]["status"]),
        (&json!("done"), &json!("not_sent"))
    );
    world.executes_again(&id, &[&actions[0]]).await.expect(202);
    world.delivers(&world.worker()).await;
    assert_eq!(world.outcome(&id).await.0, "completed");
    let effects = world.demo.effects();
    let entities: Vec<&str> = effects.iter().map(|effect| &*effect.entity).collect();
    assert_eq!(entities, ["pay_3001", "pay_3002"]);
}
