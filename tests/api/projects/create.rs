//! `POST /api/projects`

use serde_json::json;

use tests::support::Api;

const DASHBOARD: &str = "/api/managed-services/dashboard";

#[tokio::test]
async fn a_new_project_is_active_counted_and_found() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    let body = json!({"title": "Harbour lights", "description": null, "status": null});
    let project = max.post("/api/projects", body).await.expect(200);
    assert_eq!(
        project,
        json!({
            "id": 4, "title": "Harbour lights", "description": null, "status": "active",
            "createdAt": "2026-01-15T12:00:00.000Z", "updatedAt": "2026-01-15T12:00:00.000Z",
            "version": 1,
        })
    );
    let dashboard = max.get(DASHBOARD).await.expect(200);
    assert_eq!(dashboard["metrics"]["activeEngagements"], 3);
    let found = "/api/managed-services/search-references?query=harb";
    assert_eq!(max.get(found).await.ids(), [4]);
    max.creates_task(json!({"projectId": 4})).await;
}

#[tokio::test]
async fn a_project_that_is_not_active_is_not_counted() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    for status in ["on_hold", "completed", "archived"] {
        let body = json!({"title": "Later", "status": status});
        let project = max.post("/api/projects", body).await.expect(200);
        assert_eq!(project["status"], status);
    }
    let dashboard = max.get(DASHBOARD).await.expect(200);
    assert_eq!(dashboard["metrics"]["activeEngagements"], 2);
}
