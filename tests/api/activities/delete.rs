//! `DELETE /api/activities/{id}`

use serde_json::{Value, json};

use crate::support::Api;

#[tokio::test]
async fn who_recorded_it_deletes_it_and_managers_any() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let sue = api.sign_in("sue").await;
    let max = api.sign_in("max").await;
    for one_who_may in [&mia, &max] {
        let id = mia.records_activity(json!({})).await;
        let path = format!("/api/activities/{id}");
        let before = api.records().await;
        sue.delete(&path)
            .await
            .expect_problem(403, "permission_denied");
        assert_eq!(before, api.records().await);
        assert_eq!(one_who_may.delete(&path).await.expect(204), Value::Null);
        one_who_may
            .delete(&path)
            .await
            .expect_problem(404, "not_found");
    }
}

#[tokio::test]
async fn a_deleted_activity_is_gone_at_once_with_its_comments() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    for _ in 0..2 {
        mia.records_activity(json!({"projectId": 1})).await;
    }
    let said = json!({"content": "Gone soon"});
    for path in ["/api/activities/1/comments", "/api/activities/2/comments"] {
        for _ in 0..2 {
            mia.post(path, said.clone()).await.expect(200);
        }
    }
    mia.delete("/api/activities/1").await.expect(204);
    for list in [
        "/api/activities",
        "/api/projects/1/activities",
        "/api/organizations/1/activities",
    ] {
        assert_eq!(mia.get(list).await.ids(), [2], "{list}");
    }
    let comments = "/api/activities/1/comments";
    for answer in [
        mia.get("/api/activities/1").await,
        mia.get(comments).await,
        mia.post(comments, said.clone()).await,
        mia.patch(&format!("{comments}/1"), said).await,
        mia.delete(&format!("{comments}/1")).await,
    ] {
        answer.expect_problem(404, "not_found");
    }
    assert_eq!(api.cleans_up().await, 1);
    let left = api.table_dump().await;
    assert!(!left.iter().any(|item| item.contains("#ACTIVITY#1#")));
    assert_eq!(mia.get("/api/activities/2/comments").await.ids().len(), 2);
}
