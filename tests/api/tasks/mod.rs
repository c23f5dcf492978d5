//! `/api/tasks`, and what its operations have in common

mod comments;
mod create;
mod delete;
mod list;
mod move_to_phase;
mod reorder;
mod tags;
mod update;

use serde_json::{Value, json};

use crate::support::{Api, Caller};

/// Ids in paths that name no record of organization 1.
const NO_IDS: [&str; 6] = ["0", "-1", "abc", "9007199254740993", "01", "%FF"];

async fn task(caller: &Caller, id: i64) -> Value {
    let tasks = caller.get("/api/tasks").await.expect(200);
    let mut tasks = tasks.as_array().unwrap().iter();
    tasks.find(|task| task["id"] == id).unwrap().clone()
}

#[tokio::test]
async fn viewers_read_members_write_and_managers_delete() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let vic = api.sign_in("vic").await;
    let places = json!({"tasks": [{"id": 1, "order": 1}]});
    mia.creates_task(json!({})).await;
    let before = api.table_dump().await;
    for answer in [
        // Not even a body that is no good comes before the permission.
        vic.post("/api/tasks", json!([])).await,
        vic.patch("/api/tasks/1", json!({})).await,
        vic.patch("/api/tasks/abc", json!({})).await,
        vic.patch("/api/tasks/reorder", places).await,
        vic.patch("/api/tasks/1/phase", json!({})).await,
        vic.delete("/api/tasks/1").await,
        mia.delete("/api/tasks/1").await,
        api.sign_in("sue").await.delete("/api/tasks/1").await,
    ] {
        answer.expect_problem(403, "permission_denied");
    }
    let mut after = api.table_dump().await;
    after.retain(|item| before.contains(item));
    assert_eq!(before, after);
    for path in ["/api/tasks", "/api/projects/1/tasks"] {
        assert_eq!(vic.get(path).await.ids(), [1]);
        let unknown = vic.get(&format!("{path}?foo=1")).await;
        unknown.expect_faults(&[("?foo", "unknown_parameter")]);
    }
    let max = api.sign_in("max").await;
    max.delete("/api/tasks/1").await.expect(204);
}

#[tokio::test]
async fn what_is_foreign_is_absent() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let zoe = api.sign_in("zoe").await;
    mia.creates_task(json!({})).await;
    let before = api.table_dump().await;
    for id in ["1", "2"].into_iter().chain(NO_IDS) {
        let path = format!("/api/tasks/{id}");
        for answer in [
            zoe.patch(&path, json!({"title": "Mine"})).await,
            zoe.patch(&format!("{path}/phase"), json!({"phaseId": null}))
                .await,
            zoe.delete(&path).await,
            zoe.get(&format!("/api/projects/{id}/tasks")).await,
        ] {
            answer.expect_problem(404, "not_found");
        }
        if id == "%FF" {
            continue;
        }
        // What is wrong with the body is said first.
        zoe.patch(&path, json!({"title": 1}))
            .await
            .expect_faults(&[("/title", "type")]);
    }
    assert_eq!(zoe.get("/api/tasks").await.ids(), [0; 0]);
    assert_eq!(before, api.table_dump().await);
}
