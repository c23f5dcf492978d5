//! `/api/activities`, and what its operations have in common

mod comments;
mod create;
mod delete;
mod get;
mod list;
mod tags;
mod update;

use serde_json::json;

use crate::support::Api;

/// Ids that name no record of organization 1 or 2.
pub const NO_ID: [&str; 6] = ["99", "0", "-1", "abc", "9007199254740993", "01"];

#[tokio::test]
async fn a_viewer_reads_and_writes_nothing() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let vic = api.sign_in("vic").await;
    mia.records_activity(json!({"projectId": 1})).await;
    let before = api.table_dump().await;
    for (method, path) in [
        ("POST", "/api/activities"),
        ("POST", "/api/activities/1/comments"),
        ("POST", "/api/activities/1/tags"),
        ("DELETE", "/api/activities/1/tags/1"),
    ] {
        let body = (method == "POST").then(|| "{".to_owned());
        vic.send(method, path, body)
            .await
            .expect_problem(403, "permission_denied");
    }
    for path in [
        "/api/activities",
        "/api/activities/1",
        "/api/projects/1/activities",
        "/api/organizations/1/activities",
        "/api/activities/1/comments",
    ] {
        vic.get(path).await.expect(200);
    }
    assert_eq!(before, api.table_dump().await);
}

#[tokio::test]
async fn what_is_foreign_or_absent_is_not_found() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let zoe = api.sign_in("zoe").await;
    mia.records_activity(json!({})).await;
    let body = json!({"content": "Secret"});
    mia.post("/api/activities/1/comments", body.clone())
        .await
        .expect(200);
    let foreign = api.has_tag(api.home.id, "urgent").await.id;
    let before = api.records().await;
    for id in NO_ID.into_iter().chain(["1"]) {
        let path = format!("/api/activities/{id}");
        let tags = format!("{path}/tags");
        let comments = format!("{path}/comments");
        for answer in [
            zoe.get(&path).await,
            zoe.patch(&path, json!({"type": "call"})).await,
            zoe.delete(&path).await,
            zoe.get(&comments).await,
            zoe.patch(&format!("{comments}/1"), body.clone()).await,
            zoe.delete(&format!("{comments}/1")).await,
            zoe.post(&comments, body.clone()).await,
            zoe.post(&tags, json!({"tagId": foreign})).await,
            zoe.delete(&format!("{tags}/{foreign}")).await,
        ] {
            answer.expect_problem(404, "not_found");
        }
        // The body's faults come before a missing record.
        zoe.post(&comments, json!({}))
            .await
            .expect_faults(&[("/content", "required")]);
        zoe.post(&tags, json!({}))
            .await
            .expect_faults(&[("/tagId", "required")]);
    }
    assert_eq!(before, api.records().await);
}

#[tokio::test]
async fn no_operation_takes_query_parameters() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    mia.records_activity(json!({})).await;
    for (method, path) in [
        ("POST", "/api/activities"),
        ("GET", "/api/activities/1"),
        ("POST", "/api/activities/1/comments"),
        ("POST", "/api/activities/1/tags"),
        ("DELETE", "/api/activities/1/tags/1"),
    ] {
        let body = (method == "POST").then(|| "{}".to_owned());
        mia.send(method, &format!("{path}?dry=1"), body)
            .await
            .expect_faults(&[("?dry", "unknown_parameter")]);
    }
}
