//! `POST /api/concierge/agent-sessions/{id}/actions/{actionId}/verdict`

use serde_json::{Value, json};

use tests::support::{Answer, Caller, Concierge, budgets::within};

const HOUR: i64 = 3_600_000;

async fn judges(caller: &Caller, session: &Value, action: &str, outcome: &str) -> Answer {
    let path = format!("/api/concierge/agent-sessions/{session}/actions/{action}/verdict");
    let body = json!({"outcome": outcome, "note": "The log of the mail server has it."});
    caller.post(&path, body).await
}

#[tokio::test]
async fn a_verdict_of_done_completes_the_session() {
    let world = Concierge::start().await;
    let (id, action) = world.unknown_message("cus_501").await;
    assert_eq!(world.session(&id).await["status"], "failed");
    world.api.counter.take();
    let answer = judges(&world.max, &id, &action, "done").await;
    let operation = "POST /api/concierge/agent-sessions/{id}/actions/{actionId}/verdict";
    let session = within(&world.api, operation, 200, &answer);
    assert_eq!(session["status"], "completed");
    assert_eq!(session["error"], Value::Null);
    let result = &session["executionResults"][0];
    assert_eq!(
        (&result["success"], &result["error"]),
        (&json!(true), &Value::Null)
    );
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
    assert_eq!(
        said["actor"],
        json!({"type": "user", "userId": world.max.id()})
    );
    assert_eq!(
        (&said["from"], &said["to"]),
        (&json!("unknown"), &json!("succeeded"))
    );
    assert_eq!(said["detail"]["note"], "The log of the mail server has it.");
    assert_eq!(said["actionId"], json!(action));
    let settled: Vec<_> = entries
        .iter()
        .filter(|entry| entry["what"] == "settled")
        .collect();
    let settled = settled.last().unwrap();
    assert_eq!(
        (&settled["from"], &settled["to"]),
        (&json!("failed"), &json!("completed"))
    );
    assert_eq!(settled["detail"]["heads"][&action]["hash"], said["hash"]);

    // The same person's same word changes nothing; any other comes too late.
    assert_eq!(
        judges(&world.max, &id, &action, "done").await.expect(200),
        session
    );
    let ada = world.api.sign_in("ada").await;
    for (caller, outcome) in [(&world.max, "not_done"), (&ada, "done")] {
        judges(caller, &id, &action, outcome)
            .await
            .expect_problem(409, "outcome_known");
    }
    assert_eq!(world.journal(&id).await.len(), entries.len());

    // The record is done with, for a day.
    let (second, other) = world.unknown_message("cus_501").await;
    let (_, results) = world.outcome(&second).await;
    assert!(results[0].1.starts_with("done_recently"), "{results:?}");
    judges(&world.max, &second, &other, "done")
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
    let session = judges(&world.max, &id, &action, "not_done")
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
    judges(&world.max, &first, &action, "not_done")
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
async fn a_late_verdict_leaves_a_day_to_go_on() {
    let world = Concierge::start().await;
    let (id, action) = world.unknown_and_unsent("cus_501").await;
    world.api.clock.advance(30 * HOUR);
    let max = world.api.sign_in("max").await;
    judges(&max, &id, &action, "not_done").await.expect(200);
    let path = format!("/api/concierge/agent-sessions/{id}/execute");
    let max = max.with_header("prefer", "respond-async");
    let body = json!({"actionIds": [action], "again": true});
    max.post(&path, body).await.expect(202);
}

#[tokio::test]
async fn a_session_completes_with_the_last_of_its_actions() {
    let world = Concierge::start_unwary().await;
    let id = world.failed_payment().await;
    let actions = world.proposed(&id).await;
    let all: Vec<&str> = actions.iter().map(String::as_str).collect();
    world.executes(&id, &all).await.expect(202);
    world.fails("notifications", local::target_systems::FaultMode::Drop);
    world.runs(&id, all[1]).await;
    // The other one has not run yet: the session goes on, and ends with it.
    let session = judges(&world.max, &id, all[1], "done").await.expect(200);
    assert_eq!(session["status"], "executing");
    judges(&world.max, &id, all[0], "done")
        .await
        .expect_problem(409, "outcome_known");
    world.runs(&id, all[0]).await;
    assert_eq!(world.outcome(&id).await.0, "completed");
    world.journal(&id).await;
}

#[tokio::test]
async fn only_what_is_unknown_takes_a_verdict() {
    let world = Concierge::start().await;
    let (queued, in_queue) = world.approved_batch().await;
    let (manual, review) = world.manual_review().await;
    let proposed = world.failed_payment().await;
    let never = world.proposed(&proposed).await.remove(0);
    for (id, action) in [
        (&queued, &in_queue),
        (&manual, &review),
        (&proposed, &never),
    ] {
        judges(&world.max, id, action, "done")
            .await
            .expect_problem(409, "outcome_known");
    }
    world.proposed(&proposed).await;
    judges(&world.max, &proposed, &never, "done")
        .await
        .expect_problem(409, "proposal_superseded");
    for (id, action) in [
        (&proposed, "s1-p1-a9"),
        (&proposed, "nothing"),
        (&json!(999), never.as_str()),
    ] {
        judges(&world.max, id, action, "done")
            .await
            .expect_problem(404, "not_found");
    }
    // What was cancelled stays so, though it is known what became of it.
    let (cancelled, action) = world.approved_message().await;
    world.poisons(&queued, &in_queue).await;
    judges(&world.max, &queued, &in_queue, "done")
        .await
        .expect_problem(409, "invalid_transition");
    world.cancels(&cancelled).await.expect(200);
    judges(&world.max, &cancelled, &action, "done")
        .await
        .expect_problem(409, "outcome_known");
}

#[tokio::test]
async fn one_of_two_verdicts_holds() {
    for _ in 0..4 {
        let world = Concierge::start().await;
        let (id, action) = world.unknown_message("cus_501").await;
        let ada = world.api.sign_in("ada").await;
        let (done, not_done) = futures::join!(
            judges(&world.max, &id, &action, "done"),
            judges(&ada, &id, &action, "not_done"),
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
    for _ in 0..4 {
        let world = Concierge::start().await;
        let (id, action) = world.unknown_and_unsent("cus_501").await;
        let ids = [action.as_str()];
        let ada = world.api.sign_in("ada").await;
        let (again, judged) = futures::join!(
            world.executes_again(&id, &ids),
            judges(&ada, &id, &action, "not_done"),
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
