//! `POST /api/projects`

use serde_json::json;
use tests::support::Api;

#[tokio::test]
async fn a_new_project_is_active_and_found_and_active_ones_are_counted() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    let body = json!({"title": "Harbour lights", "description": null, "status": null});
    let project = max.posts("/api/projects", body).await;
    let expected = json!({
        "id": 4, "title": "Harbour lights", "description": null, "status": "active",
        "createdAt": "2026-01-15T12:00:00.000Z", "updatedAt": "2026-01-15T12:00:00.000Z",
        "version": 1,
    });
    assert_eq!(project, expected);
    for status in ["on_hold", "completed", "archived"] {
        let body = json!({"title": "Later", "status": status});
        assert_eq!(max.posts("/api/projects", body).await["status"], status);
    }
    let dashboard = max
        .reads("/api/managed-services/dashboard")
        .await;
    assert_eq!(dashboard["metrics"]["activeEngagements"], 3);
    let path = "/api/managed-services/search-references?query=harb";
    assert_eq!(max.get(path).await.ids(), [4]);
    max.creates_task(json!({"projectId": 4}))
        .await;
}
