//! Disabled users: they stay where they are assigned, and are assigned nowhere else.

use serde_json::json;
use tests::{
    records,
    support::{Caller, Concierge, patches, refused},
};

/// Disables a user and returns the user's id.
async fn disables(ada: &Caller, user: &Caller) -> i64 {
    let id = user.id();
    patches!(ada, "/api/users/{id}", {"disabled": true});
    id
}

#[tokio::test]
async fn a_disabled_user_is_no_new_assignee() {
    let world = Concierge::start().await;
    let api = &world.api;
    let max = &world.max;
    let ada = api.sign_in("ada").await;
    let mia = api.sign_in("mia").await;
    max.creates_task(json!({})).await;
    max.raises_request().await;
    api.has_ticket(records::ticket()).await;
    let (session, action) = world.manual_review().await;
    let hand_over = format!("/api/concierge/agent-sessions/{session}/actions/{action}/hand-over");
    let id = disables(&ada, &mia).await;
    let before = api.records().await;
    let cases = [
        (
            "POST",
            "/api/tasks",
            json!({"title": "Draft", "projectId": 1}),
        ),
        ("PATCH", "/api/tasks/1", json!({"title": "Draft"})),
        (
            "PATCH",
            "/api/service-requests/1",
            json!({"title": "Draft"}),
        ),
        (
            "POST",
            "/api/managed-services/tickets",
            json!({"title": "Draft"}),
        ),
        (
            "PATCH",
            "/api/managed-services/ticket/1",
            json!({"title": "Draft"}),
        ),
        ("POST", &hand_over, json!({"note": "Before Monday."})),
    ];
    for (method, path, mut body) in cases {
        body["assigneeId"] = json!(id);
        let answer = max
            .send(method, path, Some(body.to_string()))
            .await;
        answer.expect_faults(&[("/assigneeId", "unknown")]);
    }
    assert_eq!(before, api.records().await);
}

#[tokio::test]
async fn an_assignee_who_is_disabled_stays() {
    let world = Concierge::start().await;
    let api = &world.api;
    let max = &world.max;
    let ada = api.sign_in("ada").await;
    let mia = api.sign_in("mia").await;
    max.creates_task(json!({"assigneeId": mia.id()}))
        .await;
    max.raises_request().await;
    api.has_ticket(records::ticket()).await;
    let paths = [
        "/api/tasks/1",
        "/api/service-requests/1",
        "/api/managed-services/ticket/1",
    ];
    for path in paths {
        max.patches(path, json!({"assigneeId": mia.id()}))
            .await;
    }
    let id = disables(&ada, &mia).await;
    for path in paths {
        let changed = patches!(max, path, {"title": "Draft", "assigneeId": id});
        assert_eq!(changed["assigneeId"], json!(id), "{path}");
        max.patches(path, json!({"assigneeId": null}))
            .await;
        refused!(max.patch(path, json!({"assigneeId": id})).await => [("/assigneeId", "unknown")]);
    }
}
