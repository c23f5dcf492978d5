//! `GET /api/concierge/agent-sessions/{id}`

use serde_json::json;

use crate::{budgets::within, support::Concierge};

#[tokio::test]
async fn a_session_shows_every_field_from_the_start() {
    let world = Concierge::start().await;
    let id = world.stuck_batch().await;
    let sue = world.api.sign_in("sue").await;
    let answer = sue
        .get(&format!("/api/concierge/agent-sessions/{id}"))
        .await;
    assert_eq!(
        within(
            &world.api,
            "GET /api/concierge/agent-sessions/{id}",
            200,
            &answer
        ),
        json!({
            "version": 1, "id": id, "alertId": 1, "status": "started", "error": null, "analysis": null,
            "rejection": null, "reads": [], "proposedActions": [], "executionResults": [],
            "createdAt": "2026-01-15T12:00:00.000Z", "updatedAt": "2026-01-15T12:00:00.000Z",
        })
    );
}

#[tokio::test]
async fn a_session_shows_what_became_of_its_actions() {
    let world = Concierge::start_unwary().await;
    let (id, action) = world.approved_batch().await;
    assert_eq!(world.delivers(&world.worker()).await, 0);
    let session = world.session(&id).await;
    assert_eq!(session["status"], "completed");
    assert_eq!(session["error"], json!(null));
    let results = session["executionResults"].as_array().unwrap();
    let [result] = results.as_slice() else {
        panic!("{results:?}");
    };
    assert_eq!(result["response"]["status"], 200);
    assert_eq!(result["response"]["body"]["state"], "processed");
    let mut rest = result.clone();
    let response = rest["response"].take();
    assert_eq!(rest["steps"][0]["response"].take(), response);
    assert_eq!(
        rest,
        json!({
            "actionId": action, "success": true, "response": null, "error": null,
            "steps": [{
                "step": 1, "status": "done", "at": "2026-01-15T12:00:00.000Z", "response": null,
            }],
            "verification": null, "reconciliation": null, "verdict": null,
            "executedAt": "2026-01-15T12:00:00.000Z", "duration": 0,
        })
    );
}

#[tokio::test]
async fn it_needs_the_permission() {
    let world = Concierge::start().await;
    let id = world.stuck_batch().await;
    let path = format!("/api/concierge/agent-sessions/{id}");
    let answer = world.api.anonymous().get(&path).await;
    answer.expect_problem(401, "unauthenticated");
    for name in ["vic", "mia"] {
        let answer = world.api.sign_in(name).await.get(&path).await;
        answer.expect_problem(403, "permission_denied");
    }
}

#[tokio::test]
async fn a_foreign_or_impossible_session_is_absent_to_every_operation() {
    let world = Concierge::start().await;
    let session = world.stuck_batch().await.to_string();
    let action = world.proposed(&json!(1)).await.remove(0);
    let zoe = world.api.sign_in("zoe").await;
    let before = world.api.table_dump().await;
    for id in ["0", "-1", "abc", "9007199254740993", "99", &session] {
        let caller = if id == session { &zoe } else { &world.max };
        let path = format!("/api/concierge/agent-sessions/{id}");
        caller.get(&path).await.expect_problem(404, "not_found");
        for verb in ["propose", "cancel"] {
            let answer = caller.trigger(&format!("{path}/{verb}")).await;
            answer.expect_problem(404, "not_found");
        }
        let body = json!({"actionIds": [action]});
        let answer = caller.post(&format!("{path}/execute"), body).await;
        answer.expect_problem(404, "not_found");
    }
    assert_eq!(world.api.table_dump().await, before);
}
