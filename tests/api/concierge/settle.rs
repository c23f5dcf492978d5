//! `POST /api/concierge/agent-sessions/{id}/actions/{actionId}/settle`

use serde_json::{Value, json};

use tests::support::{Answer, Caller, Concierge, budgets::within, shows};

const HOUR: i64 = 3_600_000;

const OPERATION: &str = "POST /api/concierge/agent-sessions/{id}/actions/{actionId}/settle";

async fn settles(caller: &Caller, session: &Value, action: &str, outcome: &str) -> Answer {
    let path = format!("/api/concierge/agent-sessions/{session}/actions/{action}/settle");
    let body = json!({"outcome": outcome, "note": "The log of the mail server has it."});
    caller.post(&path, body).await
}

/// The record is rebuilt from the proposal, and its journal goes on.
#[tokio::test]
async fn an_action_whose_record_cannot_be_read_is_settled() {
    for (outcome, status) in [("done", "completed"), ("not_done", "failed")] {
        let world = Concierge::start().await;
        let (id, action) = world.unknown_message("cus_501").await;
        world.poisons(&id, &action).await;
        let error = world.session(&id).await["executionResults"][0]["error"].clone();
        assert!(
            error.as_str().unwrap().contains("cannot be read"),
            "{error}"
        );
        let session = settles(&world.max, &id, &action, outcome).await.expect(200);
        assert_eq!(session["status"], status);
        let result = &session["executionResults"][0];
        assert_eq!(result["success"], outcome == "done");
        assert_eq!(result["verdict"]["outcome"], outcome);
        assert_eq!(world.session(&id).await, session);
        // The journal verifies.
        world.journal(&id).await;
        let again = settles(&world.max, &id, &action, outcome).await;
        assert_eq!(again.expect(200)["version"], session["version"]);
        if outcome == "not_done" {
            world.executes_again(&id, &[&action]).await.expect(202);
            world.runs(&id, &action).await;
            assert_eq!(world.outcome(&id).await.0, "completed");
        }
    }
}

#[tokio::test]
async fn a_verdict_of_done_completes_the_session() {
    let world = Concierge::start().await;
    let (id, action) = world.unknown_message("cus_501").await;
    assert_eq!(world.session(&id).await["status"], "executing");
    world.api.counter.take();
    let answer = settles(&world.max, &id, &action, "done").await;
    let session = within(&world.api, OPERATION, 200, &answer);
    shows!(session, {"status": "completed", "error": null});
    let result = &session["executionResults"][0];
    shows!(result, {"success": true, "error": null});
    let verdict = json!({
        "outcome": "done", "by": world.max.id(), "at": session["updatedAt"],
        "note": "The log of the mail server has it.",
    });
    assert_eq!(result["verdict"], verdict);
    assert_eq!(world.session(&id).await, session);
    // Somebody had to look, so that nothing was saved.
    assert_eq!(world.minutes_saved().await, 0);

    let entries = world.journal(&id).await;
    let said: Vec<&Value> = entries
        .iter()
        .filter(|entry| entry["what"] == "verdict")
        .collect();
    let [said] = said.as_slice() else {
        panic!("{entries:?}");
    };
    shows!(said, {"actor": {"type": "user", "userId": world.max.id()}});
    shows!(said, {"from": "unknown", "to": "succeeded"});
    shows!(said, {"/detail/note": "The log of the mail server has it.", "actionId": action});
    let settled: Vec<_> = entries
        .iter()
        .filter(|entry| entry["what"] == "settled")
        .collect();
    let settled = settled.last().unwrap();
    shows!(settled, {"from": "executing", "to": "completed"});
    assert_eq!(settled["detail"]["heads"][&action]["hash"], said["hash"]);

    // The same person's same word changes nothing; any other comes too late.
    assert_eq!(
        settles(&world.max, &id, &action, "done").await.expect(200),
        session
    );
    let ada = world.api.sign_in("ada").await;
    for (caller, outcome) in [(&world.max, "not_done"), (&ada, "done")] {
        settles(caller, &id, &action, outcome)
            .await
            .expect_problem(409, "outcome_known");
    }
    assert_eq!(world.journal(&id).await.len(), entries.len());

    // The record is held until the effect was checked.
    let (second, other) = world.unknown_message("cus_501").await;
    let (_, results) = world.outcome(&second).await;
    assert!(
        results[0].1.starts_with("effect_in_progress"),
        "{results:?}"
    );
    settles(&world.max, &second, &other, "done")
        .await
        .expect_problem(409, "outcome_known");
    assert_eq!(world.demo.effects().len(), 1);
}

#[tokio::test]
async fn a_verdict_of_not_done_fails_the_action_which_may_run_again() {
    let world = Concierge::start().await;
    let (id, action) = world.unknown_and_unsent("cus_501").await;
    let answer = world.executes_again(&id, &[&action]).await;
    answer.expect_problem(409, "outcome_unknown");
    let session = settles(&world.max, &id, &action, "not_done")
        .await
        .expect(200);
    assert_eq!(session["status"], "failed");
    let result = &session["executionResults"][0];
    assert_eq!(result["success"], false);
    let error = result["error"].as_str().unwrap();
    assert!(
        error.starts_with("not_done: ") && error.contains("mail server"),
        "{error}"
    );
    world.executes_again(&id, &[&action]).await.expect(202);
    world.runs(&id, &action).await;
    let session = world.session(&id).await;
    assert_eq!(session["status"], "completed");
    // It is of the round before.
    assert_eq!(session["executionResults"][0]["verdict"], Value::Null);
    assert_eq!(world.demo.effects().len(), 1);
    assert_eq!(world.minutes_saved().await, 10);
    world.journal(&id).await;
}

#[tokio::test]
async fn a_verdict_frees_the_record_or_keeps_it() {
    let world = Concierge::start().await;
    let (first, action) = world.unknown_and_unsent("cus_501").await;
    let (second, held_back) = world.unknown_and_unsent("cus_501").await;
    world.demo.clear_faults();
    let (_, results) = world.outcome(&second).await;
    assert!(results[0].1.starts_with("effect_unknown"), "{results:?}");
    settles(&world.max, &first, &action, "not_done")
        .await
        .expect(200);
    world
        .executes_again(&second, &[&held_back])
        .await
        .expect(202);
    world.runs(&second, &held_back).await;
    assert_eq!(world.outcome(&second).await.0, "completed");
    assert_eq!(world.demo.effects().len(), 1);
}

#[tokio::test]
async fn one_of_two_verdicts_holds() {
    for _ in 0..2 {
        let world = Concierge::start().await;
        let (id, action) = world.unknown_message("cus_501").await;
        let ada = world.api.sign_in("ada").await;
        let (done, not_done) = futures::join!(
            settles(&world.max, &id, &action, "done"),
            settles(&ada, &id, &action, "not_done"),
        );
        let status = world.session(&id).await["status"].clone();
        match (done.status, not_done.status) {
            (200, 409) => assert_eq!(status, "completed"),
            (409, 200) => assert_eq!(status, "failed"),
            other => panic!("{other:?}"),
        }
        let entries = world.journal(&id).await;
        let said = entries.iter().filter(|entry| entry["what"] == "verdict");
        assert_eq!(said.count(), 1);
    }
}

#[tokio::test]
async fn a_verdict_beside_another_execution_is_of_the_round_before() {
    for _ in 0..2 {
        let world = Concierge::start().await;
        let (id, action) = world.unknown_and_unsent("cus_501").await;
        let ids = [action.as_str()];
        let ada = world.api.sign_in("ada").await;
        let (again, judged) = futures::join!(
            world.executes_again(&id, &ids),
            settles(&ada, &id, &action, "not_done"),
        );
        judged.expect(200);
        let expected = match again.status {
            202 => "executing",
            409 => "failed",
            other => panic!("{other}"),
        };
        assert_eq!(world.session(&id).await["status"], expected);
    }
}

#[tokio::test]
async fn a_session_of_manual_actions_completes_when_they_are_done() {
    let world = Concierge::start().await;
    let (id, action) = world.manual_review().await;
    assert_eq!(
        world.session(&id).await["proposedActions"][0]["handling"],
        Value::Null
    );
    let ada = world.api.sign_in("ada").await;
    world.api.clock.advance(HOUR);
    world.api.counter.take();
    let answer = settles(&ada, &id, &action, "done").await;
    let session = within(&world.api, OPERATION, 200, &answer);
    assert_eq!(session["status"], "completed");
    let handling = json!({
        "status": "done", "by": ada.id(), "at": session["updatedAt"], "note": "The log of the mail server has it.",
        "serviceRequestId": null, "assigneeId": null,
    });
    assert_eq!(session["proposedActions"][0]["handling"], handling);
    // What people do is no result of the agent's, and saves nothing.
    assert_eq!(session["executionResults"], json!([]));
    assert_eq!(world.minutes_saved().await, 0);
    let path = format!("/api/concierge/agent-sessions/{id}/journal");
    let entries = world.max.walk(&path).await;
    let last = entries.last().unwrap();
    shows!(last, {"what": "done_by_hand", "actor": {"type": "user", "userId": ada.id()}});
    shows!(last, {"from": "awaiting_confirmation", "to": "completed"});
    assert_eq!(last["detail"]["note"], "The log of the mail server has it.");
    let digest = &session["proposedActions"][0]["digest"];
    assert_eq!(last["detail"]["actions"], json!({&action: digest}));
    // The same again changes nothing; somebody else's word comes too late.
    assert_eq!(
        settles(&ada, &id, &action, "done").await.expect(200),
        session
    );
    settles(&world.max, &id, &action, "done")
        .await
        .expect_problem(409, "already_handled");
    assert_eq!(world.max.walk(&path).await.len(), entries.len());
    // It is no longer in the inbox, and the alert may have another session.
    let inbox = "/api/concierge/agent-sessions?status=awaiting_confirmation";
    assert_eq!(world.max.get(inbox).await.expect(200), json!([]));
    world
        .cancels(&id)
        .await
        .expect_problem(409, "invalid_transition");
}

#[tokio::test]
async fn a_waived_action_need_not_be_done() {
    let world = Concierge::start().await;
    let (id, action) = world.manual_review().await;
    let answer = settles(&world.max, &id, &action, "waived").await;
    let session = answer.expect(200);
    assert_eq!(session["status"], "completed");
    shows!(session["proposedActions"][0]["handling"], {"status": "waived"});
    let again = settles(&world.max, &id, &action, "waived").await;
    assert_eq!(again.expect(200), session);
    let done = settles(&world.max, &id, &action, "done").await;
    done.expect_problem(409, "already_handled");
    let path = format!("/api/concierge/agent-sessions/{id}/journal");
    let last = world.max.walk(&path).await.pop().unwrap();
    assert_eq!(last["what"], "waived");
}

/// The kind of the action limits its outcomes, whatever its state.
#[tokio::test]
async fn an_outcome_of_the_other_kind_of_action_is_refused() {
    let world = Concierge::start().await;
    let (unknown, message) = world.unknown_message("cus_501").await;
    let (manual, review) = world.manual_review().await;
    for (id, action, outcome, send) in [
        (&unknown, &message, "waived", "done, not_done"),
        (&manual, &review, "not_done", "done, waived"),
    ] {
        let answer = settles(&world.max, id, action, outcome).await;
        answer.expect_faults(&[("/outcome", "combination")]);
        assert!(answer.text.contains(send), "{}", answer.text);
    }
}

#[tokio::test]
async fn one_of_waived_and_done_holds() {
    for _ in 0..2 {
        let world = Concierge::start().await;
        let (id, action) = world.manual_review().await;
        let ada = world.api.sign_in("ada").await;
        let (waived, done) = futures::join!(
            settles(&world.max, &id, &action, "waived"),
            settles(&ada, &id, &action, "done"),
        );
        let expected = match (waived.status, done.status) {
            (200, 409) => "waived",
            (409, 200) => "done",
            other => panic!("{other:?}"),
        };
        let handling = world.session(&id).await["proposedActions"][0]["handling"].clone();
        assert_eq!(handling["status"], expected);
    }
}
