//! `DELETE /api/tasks/{id}`

use serde_json::json;
use tests::support::Api;

#[tokio::test]
async fn a_second_delete_finds_nothing() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    max.creates_task(json!({})).await;
    api.indexes(api.home.id).await;
    max.deletes("/api/tasks/1").await;
    max.delete("/api/tasks/1")
        .await
        .expect_not_found();
    let refused = max
        .patch("/api/tasks/1", json!({"title": "x"}))
        .await;
    refused.expect_not_found();
    for list in [
        "tasks",
        "tasks?sort=createdAt",
        "tasks?sort=-updatedAt",
        "projects/1/tasks",
    ] {
        let list = format!("/api/{list}");
        assert_eq!(max.get(&list).await.ids(), [0; 0], "{list}");
    }
}
