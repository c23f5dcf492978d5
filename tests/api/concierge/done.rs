//! `POST /api/concierge/agent-sessions/{id}/actions/{actionId}/done`

use serde_json::{Value, json};

use tests::support::{Answer, Caller, Concierge, budgets::within};

const HOUR: i64 = 3_600_000;

async fn says_done(caller: &Caller, session: &Value, action: &str) -> Answer {
    let path = format!("/api/concierge/agent-sessions/{session}/actions/{action}/done");
    caller.post(&path, json!({"note": "By telephone."})).await
}

#[tokio::test]
async fn a_session_of_manual_actions_completes_when_they_are_done() {
    let world = Concierge::start().await;
    let (id, action) = world.manual_review().await;
    assert_eq!(
        world.session(&id).await["proposedActions"][0]["handling"],
        Value::Null
    );
    let sue = world.api.sign_in("sue").await;
    world.api.clock.advance(HOUR);
    world.api.counter.take();
    let answer = says_done(&sue, &id, &action).await;
    let operation = "POST /api/concierge/agent-sessions/{id}/actions/{actionId}/done";
    let session = within(&world.api, operation, 200, &answer);
    assert_eq!(session["status"], "completed");
    let handling = json!({
        "status": "done", "by": sue.id(), "at": session["updatedAt"], "note": "By telephone.",
        "serviceRequestId": null, "assigneeId": null,
    });
    assert_eq!(session["proposedActions"][0]["handling"], handling);
    // What people do is no result of the agent's, and saves nothing.
    assert_eq!(session["executionResults"], json!([]));
    assert_eq!(world.minutes_saved().await, 0);
    let path = format!("/api/concierge/agent-sessions/{id}/journal");
    let entries = world.max.walk(&path).await;
    let last = entries.last().unwrap();
    assert_eq!(last["what"], "done_by_hand");
    assert_eq!(last["actor"], json!({"type": "user", "userId": sue.id()}));
    assert_eq!(
        (&last["from"], &last["to"]),
        (&json!("awaiting_confirmation"), &json!("completed"))
    );
    assert_eq!(last["detail"]["note"], "By telephone.");
    let digest = &session["proposedActions"][0]["digest"];
    assert_eq!(last["detail"]["actions"], json!({&action: digest}));
    // The same again changes nothing; somebody else's word comes too late.
    assert_eq!(says_done(&sue, &id, &action).await.expect(200), session);
    says_done(&world.max, &id, &action)
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
async fn in_a_mixed_session_manual_actions_are_settled_beside_the_others() {
    let world = Concierge::start_unwary().await;
    // Before the others are executed: the proposal waits for those.
    let (id, automated, manual) = world.mixed().await;
    let session = says_done(&world.max, &id, &manual).await.expect(200);
    assert_eq!(session["status"], "awaiting_confirmation");
    world.executes(&id, &[&automated]).await.expect(202);
    world.runs(&id, &automated).await;
    assert_eq!(world.outcome(&id).await.0, "completed");

    // While they run and after them; what nobody touched holds nothing up.
    let (id, automated, manual) = world.mixed().await;
    world.executes(&id, &[&automated]).await.expect(202);
    world
        .executes(&id, &[&manual])
        .await
        .expect_faults(&[("/actionIds/0", "manual")]);
    world.runs(&id, &automated).await;
    let ended = world.session(&id).await;
    assert_eq!(
        ended["status"], "failed",
        "its payment was made a moment ago"
    );
    let session = says_done(&world.max, &id, &manual).await.expect(200);
    assert_eq!(session["status"], "failed");
    assert_eq!(session["proposedActions"][1]["handling"]["status"], "done");
}

#[tokio::test]
async fn only_a_manual_action_of_a_session_that_goes_on_is_done() {
    let world = Concierge::start().await;
    let (id, automated, manual) = world.mixed().await;
    says_done(&world.max, &id, &automated)
        .await
        .expect_problem(409, "action_automated");
    for (session, action) in [
        (&id, "nothing"),
        (&id, "s9-p1-a1"),
        (&json!(999), manual.as_str()),
    ] {
        says_done(&world.max, session, action)
            .await
            .expect_problem(404, "not_found");
    }
    world.proposed(&id).await;
    says_done(&world.max, &id, &manual)
        .await
        .expect_problem(409, "proposal_superseded");
    let (cancelled, action) = world.manual_review().await;
    world.cancels(&cancelled).await.expect(200);
    says_done(&world.max, &cancelled, &action)
        .await
        .expect_problem(409, "invalid_transition");
    let (expired, action) = world.manual_review().await;
    world.api.clock.advance(24 * HOUR);
    let max = world.api.sign_in("max").await;
    says_done(&max, &expired, &action)
        .await
        .expect_problem(409, "session_expired");
}

#[tokio::test]
async fn one_of_two_people_who_did_it_is_named() {
    for _ in 0..4 {
        let world = Concierge::start().await;
        let (id, action) = world.manual_review().await;
        let sue = world.api.sign_in("sue").await;
        let (one, other) = futures::join!(
            says_done(&world.max, &id, &action),
            says_done(&sue, &id, &action),
        );
        let by = match (one.status, other.status) {
            (200, 409) => world.max.id(),
            (409, 200) => sue.id(),
            other => panic!("{other:?}"),
        };
        let handling = world.session(&id).await["proposedActions"][0]["handling"].clone();
        assert_eq!(handling["by"], json!(by));
    }
}
