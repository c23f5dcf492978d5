//! `/api/milestones`, and what its operations have in common

mod create;
mod delete;
mod get;
mod update;

use serde_json::json;

use crate::support::Api;

#[tokio::test]
async fn only_managers_write_milestones_and_everybody_reads_them() {
    let api = Api::start().await;
    let max = api.sign_in("max").await;
    max.creates_milestone(json!({})).await;
    for name in ["vic", "mia", "sue"] {
        let caller = api.sign_in(name).await;
        let body = json!({"title": "x", "projectId": 1});
        caller
            .post("/api/milestones", body.clone())
            .await
            .expect_problem(403, "permission_denied");
        caller.put("/api/milestones/1", body).await.expect(403);
        caller.delete("/api/milestones/1").await.expect(403);
        caller.get("/api/milestones/1").await.expect(200);
        assert_eq!(caller.get("/api/projects/1/milestones").await.ids(), [1]);
    }
}

#[tokio::test]
async fn what_is_foreign_is_absent() {
    let api = Api::start().await;
    let max = api.sign_in("max").await;
    let zoe = api.sign_in("zoe").await;
    max.creates_milestone(json!({})).await;
    let before = api.table_dump().await;
    for id in [
        "1",
        "2",
        "0",
        "-1",
        "abc",
        "9007199254740993",
        "%FF",
        "1e0",
        "01",
    ] {
        let path = format!("/api/milestones/{id}");
        zoe.get(&path).await.expect_problem(404, "not_found");
        zoe.put(&path, json!({"title": "Mine"}))
            .await
            .expect_problem(404, "not_found");
        zoe.delete(&path).await.expect_problem(404, "not_found");
        let path = format!("/api/projects/{id}/milestones");
        zoe.get(&path).await.expect_problem(404, "not_found");
    }
    assert_eq!(before, api.table_dump().await);
}
