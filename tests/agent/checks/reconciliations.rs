//! Reconciliation: checks find out whether a call took effect whose answer was lost.

use tests::support::{reconciled, refused, retrying, retrying_verified, shows};

use super::*;

/// Retries the payment, with a check of whether that took effect.
fn retrying_reconciled() -> ProposedAction {
    let mut action = retrying();
    action.content.steps[0].reconcile = Some(reconciled());
    action
}

/// Answers are lost before and after the effect; systems honour keys or do not, and reconcile or do
/// not. An action never has a second effect, and is unknown only where nothing can tell.
#[tokio::test]
async fn each_fault_ends_as_keys_and_reconciliations_allow() {
    for (mode, took_effect) in [(FaultMode::Hang, false), (FaultMode::Drop, true)] {
        for (keyed, reconciles) in [(true, false), (true, true), (false, false), (false, true)] {
            let (status, step, effects) = match (keyed, reconciles, took_effect) {
                // Its repeat with the same key tells, or a check.
                (true, _, _) | (false, true, true) => ("completed", "done", 1),
                (false, false, _) => ("executing", "unclear", usize::from(took_effect)),
                (false, true, false) => ("failed", "not_done", 0),
            };
            let action = if reconciles {
                retrying_reconciled()
            } else {
                retrying()
            };
            let (world, id, actions) = given(vec![action], keyed).await;
            runs_under(&world, &id, &actions[0], fault(mode, RETRY)).await;
            for _ in 0..6 {
                world.passes(MINUTE).await;
            }
            // The second read that finds no effect, as far apart as reads of the connection may
            // lag.
            world.passes(15 * MINUTE).await;
            let session = world.session(&id).await;
            let result = &session["executionResults"][0];
            let statuses = (&session["status"], &result["steps"][0]["status"]);
            let case = format!("{mode:?}, keyed {keyed}, reconciles {reconciles}");
            assert_eq!(statuses, (&json!(status), &json!(step)), "{case}");
            assert_eq!(world.demo.effects().len(), effects, "{case}");
            assert_eq!(result["success"], status == "completed", "{case}");
            // Without a check there is no reconciliation.
            assert_eq!(check_of(result, "call").is_null(), keyed || !reconciles);
        }
    }
}

#[tokio::test]
async fn an_unknown_call_that_took_effect_completes_its_session() {
    let mut action = retrying_verified();
    action.content.steps[0].reconcile = Some(reconciled());
    let (world, id, actions) = given(vec![action], false).await;
    runs_under(&world, &id, &actions[0], fault(FaultMode::Drop, RETRY)).await;
    world
        .is_open(&id, "may have been done", 1)
        .await;
    let pending = ("pending".to_owned(), 0);
    assert_eq!(checked(&world, &id, "call").await, pending);
    world.api.clock.advance(15 * SECOND - 1);
    assert_eq!(world.sweeper().sweep().await, sweeper::Swept::default());
    let swept = world.passes(1).await;
    assert_eq!((swept.checks, swept.resent, swept.overdue), (1, 0, 0));
    world.is_completed(&id, 1).await;
    // And its effect is verified behind it.
    let result = result(&world, &id).await;
    let call = check_of(&result, "call");
    shows!(call, {"status": "done", "/found/payment.state": "succeeded"});
    assert_eq!(check_of(&result, "effect")["status"], "done");
    counts(&world, &id, true).await;
    let journal = journal(&world, &id).await;
    let events: Vec<&str> = journal
        .iter()
        .map(|(event, _)| event.as_str())
        .collect();
    for event in ["reconciled", "verified", "alert_resolved"] {
        assert!(events.contains(&event), "{events:?}");
    }
    assert_eq!(
        events
            .iter()
            .filter(|event| **event == "settled")
            .count(),
        1
    );
    // Nothing is left to do.
    assert_eq!(world.passes(HOUR).await, sweeper::Swept::default());
}

#[tokio::test]
async fn an_unknown_call_that_took_no_effect_may_be_executed_again() {
    let (world, id, actions) = given(vec![retrying_reconciled()], false).await;
    runs_under(&world, &id, &actions[0], fault(FaultMode::Hang, RETRY)).await;
    // Unknown, it is not executed again.
    refused!(world.executes_again(&id, &[&actions[0]]).await => 409, "outcome_unknown");
    world.passes(15 * SECOND).await;
    let pending = ("pending".to_owned(), 1);
    assert_eq!(checked(&world, &id, "call").await, pending);
    // One read is no proof: the reads of the connection may lag for 15 minutes.
    for minutes in [1, 4] {
        world.passes(minutes * MINUTE).await;
    }
    let pending = ("pending".to_owned(), 3);
    assert_eq!(checked(&world, &id, "call").await, pending);
    let next = &world.session(&id).await["next"];
    shows!(next, {"who": "The agent", "until": "2026-01-15T12:15:15.000Z"});
    world.passes(10 * MINUTE).await;
    world
        .has_failed(&id, "did not take effect", 0)
        .await;
    world
        .executes_again(&id, &[&actions[0]])
        .await
        .expect(202);
    world.delivers(&world.worker()).await;
    world.is_completed(&id, 1).await;
    let result = result(&world, &id).await;
    assert!(check_of(&result, "call").is_null(), "{result}");
    let key = world.demo.effects()[0]
        .idempotency_key
        .clone();
    let holds = key
        .as_ref()
        .is_none_or(|key| key.ends_with("-1-2"));
    assert!(holds, "{key:?}");
}
