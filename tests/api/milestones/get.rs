//! `GET /api/milestones/{id}`

use serde_json::json;

use crate::support::Api;

#[tokio::test]
async fn a_milestone_keeps_every_field() {
    let api = Api::start().await;
    let max = api.sign_in("max").await;
    let sent = json!({
        "title": "Cut-over", "projectId": 2, "description": "All at once",
        "startDate": "2026-02-01T00:00:00+01:00", "dueDate": "2026-02-28T12:00:00.5Z",
        "status": "in_progress", "unknown": "is ignored",
    });
    let id = max.post("/api/milestones", sent).await.expect(200)["id"].clone();
    let read = max.get(&format!("/api/milestones/{id}")).await.expect(200);
    assert_eq!(
        read,
        json!({
            "id": id, "title": "Cut-over", "description": "All at once", "projectId": 2,
            "startDate": "2026-01-31T23:00:00.000Z", "dueDate": "2026-02-28T12:00:00.500Z",
            "status": "in_progress", "tasks": [],
            "createdAt": "2026-01-15T12:00:00.000Z", "updatedAt": "2026-01-15T12:00:00.000Z",
        })
    );
}
