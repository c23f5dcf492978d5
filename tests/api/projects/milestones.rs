//! `GET /api/projects/{projectId}/milestones`

use serde_json::json;

use crate::support::Api;

#[tokio::test]
async fn a_projects_milestones_come_by_due_date_with_nulls_last() {
    let api = Api::start().await;
    let max = api.sign_in("max").await;
    for due in [
        json!(null),
        json!("2026-03-01T00:00:00Z"),
        json!("2026-02-01T00:00:00Z"),
        json!("2026-03-01T00:00:00Z"),
    ] {
        max.creates_milestone(json!({"dueDate": due})).await;
    }
    max.creates_milestone(json!({"projectId": 2})).await;
    assert_eq!(
        max.get("/api/projects/1/milestones").await.ids(),
        [3, 2, 4, 1]
    );
    assert_eq!(max.get("/api/projects/2/milestones").await.ids(), [5]);
}
