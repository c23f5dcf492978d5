//! `PUT /api/milestones/{id}`

use serde_json::json;
use tests::support::{Api, refused};

#[tokio::test]
async fn a_change_cannot_put_the_start_after_the_due_date() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    let sent = json!({"startDate": "2026-02-01T00:00:00Z", "dueDate": "2026-03-01T00:00:00Z"});
    max.creates_milestone(sent).await;
    let before = api.table_dump().await;
    for (body, fault) in [
        (json!({"dueDate": "2026-01-31T00:00:00Z"}), "/dueDate"),
        (json!({"startDate": "2026-03-02T00:00:00Z"}), "/startDate"),
        (
            json!({"startDate": "2026-04-02T00:00:00Z", "dueDate": "2026-04-01T00:00:00Z"}),
            "/startDate",
        ),
    ] {
        refused!(max.put("/api/milestones/1", body).await => [(fault, "order")]);
    }
    assert_eq!(before, api.table_dump().await);
}
