//! `GET /api/projects/{id}`

use serde_json::json;
use tests::support::{Api, patches};

#[tokio::test]
async fn a_project_is_read_whole_archived_or_not() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    patches!(max, "/api/projects/2", {"status": "archived", "description": "Over."});
    let expected = json!({
        "id": 2, "title": "Office move", "description": "Over.", "status": "archived",
        "createdAt": "2026-01-15T12:00:00.000Z", "updatedAt": "2026-01-15T12:00:00.000Z",
        "version": 2,
    });
    assert_eq!(max.reads("/api/projects/2").await, expected);
}
