//! `POST /api/concierge/agent-sessions/{id}/actions/{actionId}/hand-over`

use serde_json::{Value, json};
use tests::support::{Answer, Caller, Concierge, refused, says, snapshot, statuses};

const HOUR: i64 = 3_600_000;

async fn hands_over(caller: &Caller, session: &Value, action: &str, to: &Caller) -> Answer {
    let path = format!("/api/concierge/agent-sessions/{session}/actions/{action}/hand-over");
    let body = json!({"assigneeId": to.id(), "note": "Before Monday."});
    caller.post(&path, body).await
}

/// Returns the status of an action that was handed over, and the session's status.
async fn stands(caller: &Caller, session: &Value) -> (Value, Value) {
    let path = format!("/api/concierge/agent-sessions/{session}");
    let session = caller.reads(&path).await;
    let actions = session["proposedActions"]
        .as_array()
        .unwrap();
    let handled = actions
        .iter()
        .map(|action| &action["handling"]);
    let mut handled = handled.filter(|handling| !handling.is_null());
    let status = handled
        .next()
        .map(|handling| handling["status"].clone());
    (status.unwrap_or_default(), session["status"].clone())
}

async fn what_happened(caller: &Caller, session: &Value) -> Vec<(String, Value)> {
    let path = format!("/api/concierge/agent-sessions/{session}/journal");
    let check = caller
        .reads(&format!("{path}/check"))
        .await;
    assert_eq!(check["verified"], true, "{check}");
    let events = caller
        .walk(&path)
        .await
        .into_iter()
        .skip(3)
        .map(|entry| {
            let event = entry["what"]
                .as_str()
                .unwrap()
                .to_owned();
            (event, entry["actor"]["userId"].clone())
        });
    events.collect()
}

async fn turns(caller: &Caller, request: &Value, status: &str) -> Answer {
    let path = format!("/api/service-requests/{request}");
    caller
        .patch(&path, json!({ "status": status }))
        .await
}

/// A session whose manual action was handed over to sue, and the service request.
async fn handed_over(world: &Concierge, sue: &Caller) -> (Value, Value) {
    let (id, action) = world.manual_review().await;
    let session = hands_over(&world.max, &id, &action, sue)
        .await
        .expect(200);
    let handling = &session["proposedActions"][0]["handling"];
    (id, handling["serviceRequestId"].clone())
}

/// Like [`handed_over`], of a session with an automated action too; returns that action.
async fn mixed(world: &Concierge, sue: &Caller) -> (Value, String, Value) {
    let (id, automated, manual) = world.mixed().await;
    let session = hands_over(&world.max, &id, &manual, sue)
        .await
        .expect(200);
    let handling = &session["proposedActions"][1]["handling"];
    (id, automated, handling["serviceRequestId"].clone())
}

#[tokio::test]
async fn a_request_refers_back_and_its_resolution_is_the_actions() {
    let world = Concierge::start().await;
    let (id, action) = world.manual_review().await;
    let sue = world.api.sign_in("sue").await;
    let session = hands_over(&world.max, &id, &action, &sue)
        .await
        .expect(200);
    assert_eq!(session["status"], "awaiting_confirmation");
    let handling = &session["proposedActions"][0]["handling"];
    snapshot!(handling, @r#"
    {
      "assigneeId": 2,
      "at": "2026-01-15T12:00:00.000Z",
      "by": 1,
      "note": "Before Monday.",
      "serviceRequestId": 1,
      "status": "handed_over"
    }
    "#);
    let request = &handling["serviceRequestId"];

    let path = format!("/api/service-requests/{request}");
    snapshot!(sue.reads(&path).await, @r#"
    {
      "agentAction": {"actionId": "s1-p1-a1", "sessionId": 1},
      "assigneeId": 2,
      "category": "billing",
      "createdAt": "2026-01-15T12:00:00.000Z",
      "creatorId": 1,
      "customerId": null,
      "description": "Find the cause of `moon_in_the_way of [(\"invoice\", \"inv_2008\")]`.\n\nBefore Monday.\n\nCause: No playbook matches this alert, or none helped before, so the cause is unknown: `moon_in_the_way of [(\"invoice\", \"inv_2008\")]`.\nImpact: A person has to determine the impact. The alert says: it is about invoice `inv_2008`.\n\nSystem: billing\nAfterwards: The cause is known, and the next step is decided.\n\nSteps:\n1. Check the alert's records in `billing`\n\nAction s1-p1-a1 of agent session 1 on alert 1. When this request is resolved or closed, the action counts as done.",
      "id": 1,
      "metadata": null,
      "priority": "medium",
      "referenceId": null,
      "referenceType": null,
      "status": "open",
      "tags": [],
      "title": "Alert 1: Find the cause of `moon_in_the_way of [(\"invoice\", \"inv_2008\")]`.",
      "updatedAt": "2026-01-15T12:00:00.000Z",
      "version": 1
    }
    "#);
    // A repeat raises no other request; another user comes too late.
    let again = hands_over(&world.max, &id, &action, &sue).await;
    assert_eq!(again.expect(200), session);
    refused!(hands_over(&sue, &id, &action, &sue).await => 409, "already_handled");
    let settle = format!("/api/concierge/agent-sessions/{id}/actions/{action}/settle");
    let body = json!({"outcome": "done", "note": "I did."});
    let done = world.max.post(&settle, body).await;
    let problem = done.expect_problem(409, "already_handled");
    says(&problem["detail"], &format!("request {request}"));
    assert_eq!(
        sue.walk("/api/service-requests")
            .await
            .len(),
        1
    );

    // However long it takes.
    world.api.clock.advance(72 * HOUR);
    world.sweeper().sweep().await;
    let [sue, max] = world.api.sign_ins(["sue", "max"]).await;
    let inbox = "/api/concierge/agent-sessions?status=awaiting_confirmation";
    assert_eq!(max.reads(inbox).await[0]["expiresAt"], Value::Null);
    turns(&sue, request, "in_progress")
        .await
        .expect(200);
    let waits = (json!("handed_over"), json!("awaiting_confirmation"));
    assert_eq!(stands(&max, &id).await, waits);
    turns(&sue, request, "resolved")
        .await
        .expect(200);
    assert_eq!(stands(&max, &id).await, (json!("done"), json!("completed")));
    let story = what_happened(&max, &id).await;
    let expected = [
        ("handed_over".to_owned(), json!(max.id())),
        ("done_by_hand".to_owned(), json!(sue.id())),
    ];
    assert_eq!(story, expected);
    // To resolve and to close it is one end.
    turns(&sue, request, "closed")
        .await
        .expect(200);
    assert_eq!(what_happened(&max, &id).await.len(), 2);
    let history = sue
        .walk(&format!("{path}/history"))
        .await;
    assert_eq!(history.last().unwrap()["what"], "created");
}

#[tokio::test]
async fn a_request_that_is_opened_again_has_its_action_handed_over_again() {
    let (world, [sue]) = Concierge::signed_in(["sue"]).await;
    // A resolved request is opened again by its status, or by a comment of its creator.
    let (id, request) = handed_over(&world, &sue).await;
    for way in ["status", "comment"] {
        turns(&sue, &request, "resolved")
            .await
            .expect(200);
        assert_eq!(stands(&world.max, &id).await.0, "done", "{way}");
        if way == "status" {
            turns(&sue, &request, "open")
                .await
                .expect(200);
        } else {
            let request = request.as_i64().unwrap();
            world
                .max
                .comments_on_request(request, "It is not.")
                .await;
        }
        // The session had completed, and stays so.
        let again = (json!("handed_over"), json!("completed"));
        assert_eq!(stands(&world.max, &id).await, again, "{way}");
    }
    let story = what_happened(&world.max, &id).await;
    let events: Vec<&str> = story
        .iter()
        .map(|(event, _)| event.as_str())
        .collect();
    let turn = ["done_by_hand", "hand_over_reopened"];
    assert_eq!(events, [&["handed_over"], &turn[..], &turn].concat());
}

#[tokio::test]
async fn a_request_that_is_deleted_gives_its_action_back_for_a_day() {
    let (world, [sue]) = Concierge::signed_in(["sue"]).await;
    let (id, request) = handed_over(&world, &sue).await;
    world.api.clock.advance(72 * HOUR);
    let max = world.api.sign_in("max").await;
    max.deletes(&format!("/api/service-requests/{request}"))
        .await;
    let waits = (Value::Null, json!("awaiting_confirmation"));
    assert_eq!(stands(&max, &id).await, waits);
    let event = what_happened(&max, &id)
        .await
        .pop()
        .unwrap();
    assert_eq!(event, ("hand_over_withdrawn".to_owned(), json!(max.id())));
    world.api.clock.advance(24 * HOUR);
    assert_eq!(
        stands(&world.max_again().await, &id)
            .await
            .1,
        "expired"
    );
}

#[tokio::test]
async fn a_request_goes_its_way_without_its_session() {
    let (world, [sue]) = Concierge::signed_in(["sue"]).await;
    // One that was cancelled, where the action is done all the same.
    let (id, request) = handed_over(&world, &sue).await;
    world.cancels(&id).await.expect(200);
    turns(&sue, &request, "resolved")
        .await
        .expect(200);
    let done = (json!("done"), json!("cancelled"));
    assert_eq!(stands(&world.max, &id).await, done);
    // And one that is gone.
    let (id, request) = handed_over(&world, &sue).await;
    let pk = format!("ORG#{}#AGENT_SESSION#{id}", world.api.home.id);
    world.api.loses(&pk, "SESSION").await;
    let resolved = turns(&sue, &request, "resolved")
        .await
        .expect(200);
    assert_eq!(resolved["status"], "resolved");
}

#[tokio::test]
async fn a_manual_action_is_handed_over_to_a_user_of_the_organization() {
    let (world, [sue, zoe]) = Concierge::signed_in(["sue", "zoe"]).await;
    let (id, action) = world.manual_review().await;
    let path = format!("/api/concierge/agent-sessions/{id}/actions/{action}/hand-over");
    for assignee in [999, zoe.id()] {
        let answer = world
            .max
            .post(&path, json!({"assigneeId": assignee}))
            .await;
        answer.expect_faults(&[("/assigneeId", "unknown")]);
    }
    for (session, action) in [(&id, "nothing"), (&json!(999), action.as_str())] {
        let answer = hands_over(&world.max, session, action, &sue).await;
        answer.expect_not_found();
    }
    let (batch, automated) = world.approved_batch().await;
    refused!(hands_over(&world.max, &batch, &automated, &sue).await => 409, "action_automated");
    assert!(
        sue.get("/api/service-requests")
            .await
            .ids()
            .is_empty()
    );
}

#[tokio::test]
async fn two_hand_overs_at_once_raise_one_request() {
    for (name, expected) in [("max", [200, 200]), ("sue", [200, 409])] {
        let (world, [sue, other]) = Concierge::signed_in(["sue", name]).await;
        let (id, action) = world.manual_review().await;
        let both = [&world.max, &other].map(|by| hands_over(by, &id, &action, &sue));
        assert_eq!(statuses(&futures::future::join_all(both).await), expected);
        assert_eq!(
            sue.walk("/api/service-requests")
                .await
                .len(),
            1
        );
    }
}

#[tokio::test]
async fn one_of_done_and_handed_over_holds() {
    for _ in 0..2 {
        let (world, [sue]) = Concierge::signed_in(["sue"]).await;
        let (id, action) = world.manual_review().await;
        let path = format!("/api/concierge/agent-sessions/{id}/actions/{action}/settle");
        let done = json!({"outcome": "done", "note": "By telephone."});
        let (over, done) = futures::join!(
            hands_over(&sue, &id, &action, &sue),
            world.max.post(&path, done),
        );
        let requests = sue
            .walk("/api/service-requests")
            .await
            .len();
        let expected = match (over.status, done.status, requests) {
            (200, 409, 1) => (json!("handed_over"), json!("awaiting_confirmation")),
            (409, 200, 0) => (json!("done"), json!("completed")),
            other => panic!("{other:?}"),
        };
        assert_eq!(stands(&world.max, &id).await, expected);
    }
}

#[tokio::test]
async fn a_resolution_and_an_execution_at_once_both_hold() {
    for _ in 0..2 {
        let (world, [sue]) = Concierge::signed_in(["sue"]).await;
        let (id, automated, request) = mixed(&world, &sue).await;
        let ids = [automated.as_str()];
        let (resolved, executed) =
            futures::join!(turns(&sue, &request, "resolved"), world.executes(&id, &ids));
        resolved.expect(200);
        executed.expect(202);
        let both = (json!("done"), json!("executing"));
        assert_eq!(stands(&world.max, &id).await, both);
        world.runs(&id, &automated).await;
        assert_eq!(stands(&world.max, &id).await.1, "completed");
    }
}
