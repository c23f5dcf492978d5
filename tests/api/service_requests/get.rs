//! `GET /api/service-requests/{id}`

use serde_json::json;

use crate::managed_services::REQUEST;
use tests::support::Api;

#[tokio::test]
async fn a_request_reads_as_it_was_answered() {
    let (_, [mia, vic]) = Api::signed_in(["mia", "vic"]).await;
    let sent = json!({
        "title": "Help", "description": "Soon", "priority": "high", "category": "billing",
        "referenceType": "project", "referenceId": 1,
    });
    let created = mia.post(REQUEST, sent).await.expect(200);
    let read = vic.get("/api/service-requests/1").await.expect(200);
    assert_eq!(read, created);
}
