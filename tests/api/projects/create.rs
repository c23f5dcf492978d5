//! `POST /api/projects`

use serde_json::json;
use tests::support::{Api, posts, snapshot};

#[tokio::test]
async fn a_new_project_is_active_and_found_and_active_ones_are_counted() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    let project = posts!(max, "/api/projects", {
        "title": "Harbour lights", "description": null, "status": null,
    });
    snapshot!(project, @r#"
    {
      "createdAt": "2026-01-15T12:00:00.000Z",
      "customerId": null,
      "description": null,
      "id": 4,
      "status": "active",
      "title": "Harbour lights",
      "updatedAt": "2026-01-15T12:00:00.000Z",
      "version": 1,
      "visibility": "organization"
    }
    "#);
    for status in ["on_hold", "completed", "archived"] {
        let later = posts!(max, "/api/projects", {"title": "Later", "status": status});
        assert_eq!(later["status"], status);
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
