//! `/api/phases`

pub mod delete;
mod update;

use serde_json::json;

use crate::support::Api;

#[tokio::test]
async fn only_managers_write_phases_and_none_of_others() {
    let api = Api::start().await;
    let [phase, ..] = api.has_phases().await;
    let path = format!("/api/phases/{phase}");
    for name in ["vic", "mia", "sue"] {
        let caller = api.sign_in(name).await;
        let answer = caller.patch(&path, json!({"title": "x"})).await;
        answer.expect_problem(403, "permission_denied");
        caller.delete(&path).await.expect(403);
    }
    let zoe = api.sign_in("zoe").await;
    let before = api.records().await;
    for id in [phase.to_string().as_str(), "99", "0", "abc"] {
        let path = format!("/api/phases/{id}");
        let answer = zoe.patch(&path, json!({"title": "x"})).await;
        answer.expect_problem(404, "not_found");
        zoe.delete(&path).await.expect_problem(404, "not_found");
    }
    assert_eq!(before, api.records().await);
}
