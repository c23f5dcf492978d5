//! `DELETE /api/milestones/{id}`

use serde_json::json;

use crate::support::Api;

#[tokio::test]
async fn a_second_delete_finds_nothing() {
    let api = Api::start().await;
    let max = api.sign_in("max").await;
    max.creates_milestone(json!({})).await;
    max.delete("/api/milestones/1").await.expect(204);
    max.delete("/api/milestones/1")
        .await
        .expect_problem(404, "not_found");
    max.get("/api/milestones/1")
        .await
        .expect_problem(404, "not_found");
    assert_eq!(max.get("/api/projects/1/milestones").await.ids(), [0; 0]);
}
