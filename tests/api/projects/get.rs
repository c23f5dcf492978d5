//! `GET /api/projects/{id}`

use tests::support::{Api, patches, snapshot};

#[tokio::test]
async fn a_project_is_read_whole_archived_or_not() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    patches!(max, "/api/projects/2", {"status": "archived", "description": "Over."});
    snapshot!(max.reads("/api/projects/2").await, @r#"
    {
      "createdAt": "2026-01-15T12:00:00.000Z",
      "customerId": null,
      "description": "Over.",
      "id": 2,
      "status": "archived",
      "title": "Office move",
      "updatedAt": "2026-01-15T12:00:00.000Z",
      "version": 2,
      "visibility": "organization"
    }
    "#);
}
