//! `DELETE /api/tasks/{id}`

use serde_json::json;

use tests::support::Api;

#[tokio::test]
async fn a_second_delete_finds_nothing() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    max.creates_task(json!({})).await;
    max.delete("/api/tasks/1").await.expect(204);
    max.delete("/api/tasks/1")
        .await
        .expect_problem(404, "not_found");
    max.patch("/api/tasks/1", json!({"title": "x"}))
        .await
        .expect_problem(404, "not_found");
    assert_eq!(max.get("/api/tasks").await.ids(), [0; 0]);
    assert_eq!(max.get("/api/projects/1/tasks").await.ids(), [0; 0]);
}
