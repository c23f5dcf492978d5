//! `GET /api/concierge/agent-sessions/{id}`

use serde_json::json;

use tests::support::{Concierge, shows};

#[tokio::test]
async fn a_session_shows_every_field_from_the_start() {
    let world = Concierge::start().await;
    let id = world.stuck_batch().await;
    let sue = world.api.sign_in("sue").await;
    let path = format!("/api/concierge/agent-sessions/{id}");
    let answer = sue.get(&path).await;
    let expected = json!({
        "version": 1, "id": id, "alertId": 1, "status": "started", "error": null, "analysis": null,
        "rejection": null, "reads": [], "proposedActions": [], "executionResults": [],
        "openActions": 0,
        "next": {
            "who": "A user who may propose actions", "what": "has actions proposed",
            "until": null,
        },
        "createdAt": "2026-01-15T12:00:00.000Z", "updatedAt": "2026-01-15T12:00:00.000Z",
    });
    assert_eq!(answer.expect(200), expected);
}

#[tokio::test]
async fn a_session_shows_what_became_of_its_actions() {
    let (world, id, action) = Concierge::start_unwary().await.with_approved_batch().await;
    assert_eq!(world.delivers(&world.worker()).await, 0);
    let session = world.session(&id).await;
    shows!(session, {"status": "completed", "error": null});
    let results = session["executionResults"].as_array().unwrap();
    let [result] = results.as_slice() else {
        panic!("{results:?}");
    };
    shows!(result["response"], {"status": 200, "/body/state": "processed"});
    let mut rest = result.clone();
    let response = rest["response"].take();
    assert_eq!(rest["steps"][0]["response"].take(), response);
    let expected = json!({
        "actionId": action, "success": true, "response": null, "error": null,
        "steps": [{
            "step": 1, "status": "done", "at": "2026-01-15T12:00:00.000Z", "response": null,
        }],
        "verification": null, "reconciliation": null, "verdict": null,
        "executedAt": "2026-01-15T12:00:00.000Z", "duration": 0,
    });
    assert_eq!(rest, expected);
}
