//! `POST /api/concierge/agent-sessions/{id}/actions/{actionId}/waive`

use serde_json::{Value, json};

use tests::support::{Answer, Caller, Concierge, budgets::within};

async fn waives(caller: &Caller, session: &Value, action: &str) -> Answer {
    let path = format!("/api/concierge/agent-sessions/{session}/actions/{action}/waive");
    caller.post(&path, json!({"reason": "It was paid."})).await
}

#[tokio::test]
async fn a_waived_action_need_not_be_done() {
    let world = Concierge::start().await;
    let (id, action) = world.manual_review().await;
    world.api.counter.take();
    let answer = waives(&world.max, &id, &action).await;
    let operation = "POST /api/concierge/agent-sessions/{id}/actions/{actionId}/waive";
    let session = within(&world.api, operation, 200, &answer);
    assert_eq!(session["status"], "completed");
    let handling = json!({
        "status": "waived", "by": world.max.id(), "at": session["updatedAt"],
        "note": "It was paid.", "serviceRequestId": null, "assigneeId": null,
    });
    assert_eq!(session["proposedActions"][0]["handling"], handling);
    assert_eq!(waives(&world.max, &id, &action).await.expect(200), session);
    let done = format!("/api/concierge/agent-sessions/{id}/actions/{action}/done");
    let done = world
        .max
        .post(&done, json!({"note": "All the same."}))
        .await;
    done.expect_problem(409, "already_handled");
    let path = format!("/api/concierge/agent-sessions/{id}/journal");
    let last = world.max.walk(&path).await.pop().unwrap();
    assert_eq!(
        (&last["what"], &last["detail"]["note"]),
        (&json!("waived"), &json!("It was paid."))
    );
}

#[tokio::test]
async fn a_manual_action_of_the_session_alone_is_waived() {
    let world = Concierge::start().await;
    let (id, action) = world.manual_review().await;
    for (session, action) in [(&id, "nothing"), (&json!(999), action.as_str())] {
        let answer = waives(&world.max, session, action).await;
        answer.expect_problem(404, "not_found");
    }
    let (batch, automated) = world.approved_batch().await;
    let answer = waives(&world.max, &batch, &automated).await;
    answer.expect_problem(409, "action_automated");
}

#[tokio::test]
async fn one_of_waived_and_done_holds() {
    for _ in 0..4 {
        let world = Concierge::start().await;
        let (id, action) = world.manual_review().await;
        let sue = world.api.sign_in("sue").await;
        let done = format!("/api/concierge/agent-sessions/{id}/actions/{action}/done");
        let (waived, done) = futures::join!(
            waives(&world.max, &id, &action),
            sue.post(&done, json!({"note": "By telephone."})),
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
