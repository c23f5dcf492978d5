//! `POST /api/concierge/agent-sessions/{id}/actions/{actionId}/settle`

use serde_json::{Value, json};
use tests::support::{Answer, Caller, Concierge, refused, rows_where, shows, snapshot};

const HOUR: i64 = 3_600_000;

const NOTE: &str = "The log of the mail server has it.";

async fn settles(caller: &Caller, session: &Value, action: &str, outcome: &str) -> Answer {
    let path =
        format!("/api/concierge/agent-sessions/{session}/actions/{action}/settle?detail=full");
    let body = json!({"outcome": outcome, "note": NOTE});
    caller.post(&path, body).await
}

/// A session as its reader sees it, without the next step: its reader may be the one who takes it.
fn without_next(mut session: Value) -> Value {
    session
        .as_object_mut()
        .unwrap()
        .remove("next");
    session
}

/// The record is rebuilt from the proposal, and its journal goes on.
#[tokio::test]
async fn an_action_whose_record_cannot_be_read_is_settled() {
    for (outcome, status) in [("done", "completed"), ("not_done", "failed")] {
        let world = Concierge::start().await;
        let (id, action) = world.unknown_message("cus_501").await;
        world.poisons(&id, &action).await;
        let error = world.session(&id).await["executionResults"][0]["error"].to_string();
        assert!(error.contains("cannot be read"), "{error}");
        let session = settles(&world.max, &id, &action, outcome)
            .await
            .expect(200);
        let result = &session["executionResults"][0];
        shows!(result, {"success": outcome == "done", "/verdict/outcome": outcome});
        assert_eq!(session["status"], status);
        // The journal verifies.
        world.journal(&id).await;
        if outcome == "not_done" {
            world
                .executes_again(&id, &[&action])
                .await
                .expect(202);
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
    let session = settles(&world.max, &id, &action, "done")
        .await
        .expect(200);
    shows!(session, {"status": "completed", "error": null});
    snapshot!(session["executionResults"][0], @r#"
    {
      "actionId": "s1-p1-a2",
      "checks": [
        {
          "at": null,
          "count": 0,
          "found": null,
          "next": "2026-01-15T12:00:00.000Z",
          "problem": null,
          "purpose": "effect",
          "status": "pending"
        }
      ],
      "duration": 0,
      "error": null,
      "executedAt": "2026-01-15T12:00:00.000Z",
      "response": null,
      "steps": [
        {"at": "2026-01-15T12:00:00.000Z", "response": null, "status": "done", "step": 1}
      ],
      "success": true,
      "verdict": {
        "at": "2026-01-15T12:00:00.000Z",
        "by": 1,
        "note": "The log of the mail server has it.",
        "outcome": "done"
      }
    }
    "#);
    let read = world.session(&id).await;
    assert_eq!(without_next(read), without_next(session.clone()));
    // Somebody had to look, so that nothing was saved.
    assert_eq!(world.minutes_saved().await, 0);

    let entries = world.journal(&id).await;
    let verdict = rows_where(&entries, "what", "verdict");
    let settled = rows_where(&entries, "what", "settled").pop();
    snapshot!((verdict, settled), @r#"
    [
      [
        {
          "actionId": "s1-p1-a2",
          "actor": {"type": "user", "userId": 1},
          "at": "2026-01-15T12:00:00.000Z",
          "detail": {"note": "The log of the mail server has it.", "outcome": "done"},
          "digest": "[64 random digits, 1]",
          "excerpt": null,
          "from": "unknown",
          "hash": "[64 random digits, 2]",
          "previousHash": "[64 random digits, 3]",
          "seq": 5,
          "sessionId": 1,
          "to": "succeeded",
          "what": "verdict"
        }
      ],
      {
        "actionId": null,
        "actor": {"type": "user", "userId": 1},
        "at": "2026-01-15T12:00:00.000Z",
        "detail": {"heads": {"s1-p1-a2": {"hash": "[64 random digits, 2]", "seq": 5}}},
        "digest": null,
        "excerpt": null,
        "from": "executing",
        "hash": "[64 random digits, 4]",
        "previousHash": "[64 random digits, 5]",
        "seq": 5,
        "sessionId": 1,
        "to": "completed",
        "what": "settled"
      }
    ]
    "#);

    // A repeat changes nothing. The crate `agent` has each verdict that comes too late.
    let again = settles(&world.max, &id, &action, "done").await;
    assert_eq!(again.expect(200), session);
    refused!(settles(&world.max, &id, &action, "not_done").await => 409, "outcome_known");
    assert_eq!(world.journal(&id).await.len(), entries.len());
}

#[tokio::test]
async fn a_verdict_of_not_done_fails_the_action_which_may_run_again() {
    let world = Concierge::start().await;
    let (id, action) = world
        .unknown_and_unsent("cus_501")
        .await;
    refused!(world.executes_again(&id, &[&action]).await => 409, "outcome_unknown");
    let answer = settles(&world.max, &id, &action, "not_done").await;
    let session = answer.expect(200);
    assert_eq!(session["status"], "failed");
    snapshot!(session["executionResults"][0], @r#"
    {
      "actionId": "s1-p1-a2",
      "checks": [],
      "duration": 0,
      "error": "not_done: a person checked the target system. The log of the mail server has it.",
      "executedAt": "2026-01-15T12:00:00.000Z",
      "response": {
        "body": {"code": "injected_fault", "detail": "injected fault"},
        "status": 500
      },
      "steps": [
        {
          "at": "2026-01-15T12:00:00.000Z",
          "response": {
            "body": {"code": "injected_fault", "detail": "injected fault"},
            "status": 500
          },
          "status": "not_done",
          "step": 1
        }
      ],
      "success": false,
      "verdict": {
        "at": "2026-01-15T12:00:00.000Z",
        "by": 1,
        "note": "The log of the mail server has it.",
        "outcome": "not_done"
      }
    }
    "#);
    world
        .executes_again(&id, &[&action])
        .await
        .expect(202);
    world.runs(&id, &action).await;
    // The verdict is of the round before, and a message is tried once a day.
    let result = world.session(&id).await["executionResults"][0].clone();
    assert_eq!(result["verdict"], Value::Null);
    let error = result["error"].as_str().unwrap();
    assert!(error.starts_with("attempts_reached: "), "{error}");
    assert_eq!(world.minutes_saved().await, 0);
    world.journal(&id).await;
}

#[tokio::test]
async fn one_of_two_verdicts_holds() {
    for manual in [false, true, false, true] {
        let world = Concierge::start().await;
        let (id, action) = if manual {
            world.manual_review().await
        } else {
            world.unknown_message("cus_501").await
        };
        let ada = world.api.sign_in("ada").await;
        let other = if manual { "waived" } else { "not_done" };
        let (done, not) = futures::join!(
            settles(&world.max, &id, &action, "done"),
            settles(&ada, &id, &action, other),
        );
        let session = world.session(&id).await;
        let expected = match (done.status, not.status) {
            (200, 409) => ["completed", "done"],
            (409, 200) if manual => ["completed", other],
            (409, 200) => ["failed", other],
            statuses => panic!("{statuses:?}"),
        };
        let handling = &session["proposedActions"][0]["handling"]["status"];
        let verdict = &session["executionResults"][0]["verdict"]["outcome"];
        let held = if manual { handling } else { verdict };
        assert_eq!([&session["status"], held], expected);
        let verdicts = ["verdict", "done_by_hand", "waived"];
        let mut entries = world.journal(&id).await;
        entries.retain(|entry| {
            verdicts
                .iter()
                .any(|event| entry["what"] == *event)
        });
        assert_eq!(entries.len(), 1);
    }
}

#[tokio::test]
async fn a_verdict_beside_another_execution_is_of_the_round_before() {
    for _ in 0..2 {
        let world = Concierge::start().await;
        let (id, action) = world
            .unknown_and_unsent("cus_501")
            .await;
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
async fn a_session_of_manual_actions_completes_when_they_are_done_or_waived() {
    for (outcome, event) in [("done", "done_by_hand"), ("waived", "waived")] {
        let world = Concierge::start().await;
        let (id, action) = world.manual_review().await;
        let manual = world.session(&id).await["proposedActions"][0].clone();
        let ada = world.api.sign_in("ada").await;
        world.api.clock.advance(HOUR);
        let session = settles(&ada, &id, &action, outcome)
            .await
            .expect(200);
        let handling = json!({
            "status": outcome, "by": ada.id(), "at": session["updatedAt"], "note": NOTE,
            "serviceRequestId": null, "assigneeId": null,
        });
        shows!(session, {"status": "completed", "/proposedActions/0/handling": handling});
        // What people do is no result of the agent's, and saves nothing.
        assert_eq!(session["executionResults"], json!([]));
        assert_eq!(world.minutes_saved().await, 0);
        let path = format!("/api/concierge/agent-sessions/{id}/journal");
        let entries = world.max.walk(&path).await;
        let last = entries.last().unwrap();
        shows!(last, {"what": event, "actor": {"type": "user", "userId": ada.id()}});
        shows!(last, {"from": "awaiting_confirmation", "to": "completed", "/detail/note": NOTE});
        assert_eq!(
            last["detail"]["actions"],
            json!({&action: manual["digest"]})
        );
        // A repeat changes nothing; another user comes too late.
        let again = settles(&ada, &id, &action, outcome).await;
        assert_eq!(again.expect(200), session);
        refused!(settles(&world.max, &id, &action, outcome).await => 409, "already_handled");
        assert_eq!(world.max.walk(&path).await.len(), entries.len());
        // It is no longer in the inbox, and the alert may have another session.
        let inbox = "/api/concierge/agent-sessions?status=awaiting_confirmation";
        assert_eq!(world.max.reads(inbox).await, json!([]));
        refused!(world.cancels(&id).await => 409, "invalid_transition");
    }
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
