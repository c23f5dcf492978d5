//! How many requests of the table each operation takes: the budgets that keep the service quick.

use serde_json::json;

use crate::support::{Answer, Api, Used};

/// Authentication: session, user and organization in one batch.
const AUTHENTICATION: Used = Used {
    in_sequence: 1,
    total: 1,
};

/// Reads by id, besides authentication.
pub const READ: Used = Used {
    in_sequence: 2,
    total: 3,
};

/// Lists with joined objects of one page, besides authentication.
pub const LIST: Used = Used {
    in_sequence: 3,
    total: 4,
};

/// Creates, updates and deletes, besides authentication.
pub const WRITE: Used = Used {
    in_sequence: 3,
    total: 4,
};

/// Asserts that an answered operation stayed within its budget.
#[track_caller]
pub fn within(api: &Api, budget: Used, status: u16, answer: &Answer) -> serde_json::Value {
    let used = api.counter.take();
    let body = answer.expect(status);
    assert!(
        used.in_sequence <= budget.in_sequence + AUTHENTICATION.in_sequence
            && used.total <= budget.total + AUTHENTICATION.total,
        "used {used:?}, besides authentication {budget:?}"
    );
    body
}

#[tokio::test]
async fn authentication_is_one_batch() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    mia.get("/api/auth/session").await.expect(200);
    assert_eq!(api.counter.take(), AUTHENTICATION);
}

#[tokio::test]
async fn milestones_stay_within_their_budgets() {
    let api = Api::start().await;
    let max = api.sign_in("max").await;
    let body = json!({"title": "Cut-over", "projectId": 1});
    within(&api, WRITE, 200, &max.post("/api/milestones", body).await);
    within(&api, READ, 200, &max.get("/api/milestones/1").await);
    within(
        &api,
        LIST,
        200,
        &max.get("/api/projects/1/milestones").await,
    );
    within(
        &api,
        WRITE,
        200,
        &max.put("/api/milestones/1", json!({"title": "x"})).await,
    );
    within(&api, WRITE, 204, &max.delete("/api/milestones/1").await);
}

#[tokio::test]
async fn service_requests_stay_within_their_budgets() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let body = json!({"title": "Help", "referenceType": "project", "referenceId": 1});
    let answer = mia.post("/api/managed-services/request", body).await;
    within(&api, WRITE, 200, &answer);
    let comments = "/api/service-requests/1/comments";
    let answer = mia.post(comments, json!({"content": "x"})).await;
    within(&api, WRITE, 200, &answer);
    let reply = json!({"content": "x", "parentId": 1});
    within(&api, WRITE, 200, &mia.post(comments, reply).await);
    within(&api, LIST, 200, &mia.get(comments).await);
    let answer = mia.delete("/api/service-requests/1").await;
    within(&api, WRITE, 204, &answer);
}

#[tokio::test]
async fn activities_stay_within_their_budgets() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let tag = api.has_tag(api.home.id, "urgent").await;
    api.counter.take();
    let body = json!({"type": "note", "description": "x", "projectId": 1});
    let answer = mia.post("/api/activities", body).await;
    within(&api, WRITE, 200, &answer);
    within(&api, READ, 200, &mia.get("/api/activities/1").await);
    let comment = json!({"content": "x"});
    let answer = mia.post("/api/activities/1/comments", comment).await;
    within(&api, WRITE, 200, &answer);
    for path in [
        "/api/activities",
        "/api/projects/1/activities",
        "/api/organizations/1/activities",
        "/api/activities/1/comments",
    ] {
        within(&api, LIST, 200, &mia.get(path).await);
    }
    let attached = json!({"tagId": tag.id});
    let answer = mia.post("/api/activities/1/tags", attached).await;
    within(&api, WRITE, 204, &answer);
    let path = format!("/api/activities/1/tags/{}", tag.id);
    within(&api, WRITE, 204, &mia.delete(&path).await);
}
