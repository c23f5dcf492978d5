//! `GET /api/managed-services/ticket/{ticketId}`

use serde_json::json;
use shared::store::NewTicket;
use tests::records;

use super::at;
use crate::support::Api;

#[tokio::test]
async fn a_ticket_shows_its_messages_by_time() {
    let api = Api::start().await;
    let vic = api.sign_in("vic").await;
    let message = |author, content, created| records::message(author, content, Some(at(created)));
    let (mia, sue) = (api.user("mia").await.id, api.user("sue").await.id);
    let new = NewTicket {
        messages: vec![
            message(sue, "On their way", "2026-01-06T00:00:00Z"),
            message(mia, "Where are they?", "2026-01-05T00:00:00Z"),
        ],
        ..records::ticket()
    };
    api.has_ticket(new).await;
    assert_eq!(
        vic.get("/api/managed-services/ticket/1").await.expect(200),
        json!({
            "ticket": {
                "id": 1, "title": "No invoices", "status": "open", "priority": "high",
                "createdAt": "2026-01-15T12:00:00.000Z", "updatedAt": "2026-01-15T12:00:00.000Z",
                "assigneeId": null, "lastMessageAt": "2026-01-06T00:00:00.000Z",
            },
            "messages": [
                {
                    "id": 2, "content": "Where are they?", "createdAt": "2026-01-05T00:00:00.000Z",
                    "sender": {"name": "Mia Tester", "isSupport": false},
                },
                {
                    "id": 1, "content": "On their way", "createdAt": "2026-01-06T00:00:00.000Z",
                    "sender": {"name": "Sue Tester", "isSupport": true},
                },
            ],
        })
    );
}
