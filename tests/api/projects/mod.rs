//! `/api/projects`

mod activities;
mod archived;
mod create;
mod get;
mod list;
mod milestones;
mod phases;
mod tasks;
mod update;

use serde_json::json;

use crate::support::Api;

#[tokio::test]
async fn only_managers_write_projects_and_everybody_reads_them() {
    let api = Api::start().await;
    for name in ["vic", "mia", "sue"] {
        let caller = api.sign_in(name).await;
        let body = json!({"title": "Mine"});
        for answer in [
            caller.post("/api/projects", body.clone()).await,
            caller.patch("/api/projects/1", body.clone()).await,
            caller.post("/api/projects/1/phases", body.clone()).await,
        ] {
            answer.expect_problem(403, "permission_denied");
        }
        caller.get("/api/projects/1").await.expect(200);
    }
}

#[tokio::test]
async fn what_is_foreign_is_absent() {
    let api = Api::start().await;
    let zoe = api.sign_in("zoe").await;
    let before = api.records().await;
    for id in ["1", "99", "0", "-1", "abc"] {
        let path = format!("/api/projects/{id}");
        let body = json!({"title": "Mine"});
        for answer in [
            zoe.get(&path).await,
            zoe.patch(&path, body.clone()).await,
            zoe.post(&format!("{path}/phases"), body.clone()).await,
        ] {
            answer.expect_problem(404, "not_found");
        }
    }
    assert_eq!(before, api.records().await);
}
