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
