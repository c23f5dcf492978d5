//! `/api/tags`, and what its operations have in common

mod create;
mod delete;
mod list;
mod update;

use serde_json::json;

use crate::support::Api;

#[tokio::test]
async fn only_managers_write_tags_and_none_of_others() {
    let api = Api::start().await;
    let tag = api.has_tag(api.home.id, "urgent").await.id;
    let path = format!("/api/tags/{tag}");
    for name in ["vic", "mia", "sue"] {
        let caller = api.sign_in(name).await;
        for answer in [
            caller.post("/api/tags", json!({"name": "x"})).await,
            caller.patch(&path, json!({"name": "x"})).await,
            caller.delete(&path).await,
        ] {
            answer.expect_problem(403, "permission_denied");
        }
    }
    let zoe = api.sign_in("zoe").await;
    let before = api.records().await;
    for id in [tag.to_string().as_str(), "99", "0", "abc"] {
        let path = format!("/api/tags/{id}");
        let answer = zoe.patch(&path, json!({"name": "x"})).await;
        answer.expect_problem(404, "not_found");
        zoe.delete(&path).await.expect_problem(404, "not_found");
    }
    assert_eq!(before, api.records().await);
    // Names are an organization's own.
    zoe.creates("/api/tags", json!({"name": "urgent"})).await;
}
