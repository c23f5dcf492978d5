//! `POST /api/milestones`

use serde_json::json;
use tests::support::{Api, posts, refused, snapshot};

#[tokio::test]
async fn a_new_milestone_is_pending() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    let milestone = posts!(max, "/api/milestones", {"title": "Cut-over", "projectId": 1});
    snapshot!(milestone, @r#"
    {
      "createdAt": "2026-01-15T12:00:00.000Z",
      "description": null,
      "dueDate": null,
      "id": 1,
      "projectId": 1,
      "startDate": null,
      "status": "pending",
      "title": "Cut-over",
      "updatedAt": "2026-01-15T12:00:00.000Z",
      "version": 1
    }
    "#);
}

#[tokio::test]
async fn a_milestone_starts_before_it_is_due_and_has_a_project_of_the_organization() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    let before = api.records().await;
    let due = json!({
        "title": "x", "projectId": 1, "startDate": "2026-02-02T00:00:00Z",
        "dueDate": "2026-02-01T00:00:00Z",
    });
    for (body, fault) in [
        (due, ("/startDate", "order")),
        (
            json!({"title": "x", "projectId": 99}),
            ("/projectId", "unknown"),
        ),
        (
            json!({"title": "x", "projectId": 3}),
            ("/projectId", "unknown"),
        ),
    ] {
        refused!(max.post("/api/milestones", body).await => [fault]);
    }
    assert_eq!(before, api.records().await);
}
