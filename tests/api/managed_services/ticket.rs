//! `GET /api/managed-services/ticket/{ticketId}`

use serde_json::json;
use shared::store::work::NewTicket;
use tests::{records, shows, snapshot, support::Api};

use super::at;

#[tokio::test]
async fn a_ticket_shows_its_messages_by_time() {
    let (api, [vic]) = Api::signed_in(["vic"]).await;
    let message = |author, content, created| records::message(author, content, Some(at(created)));
    let mia = api.user("mia").await.id;
    let sue = api.user("sue").await.id;
    let new = NewTicket {
        messages: vec![
            message(mia, "Where are they?", "2026-01-06T00:00:00Z"),
            message(sue, "They are late", "2026-01-05T00:00:00Z"),
        ],
        ..records::ticket()
    };
    api.has_ticket(new).await;
    snapshot!(vic.reads("/api/managed-services/ticket/1").await, @r#"
    {
      "messages": [
        {
          "content": "They are late",
          "createdAt": "2026-01-05T00:00:00.000Z",
          "deletedAt": null,
          "editedAt": null,
          "id": 2,
          "internal": false,
          "sender": {"id": 3, "isSupport": true, "name": "Sue Tester"},
          "version": 1
        },
        {
          "content": "Where are they?",
          "createdAt": "2026-01-06T00:00:00.000Z",
          "deletedAt": null,
          "editedAt": null,
          "id": 1,
          "internal": false,
          "sender": {"id": 2, "isSupport": false, "name": "Mia Tester"},
          "version": 1
        }
      ],
      "ticket": {
        "assigneeId": null,
        "createdAt": "2026-01-15T12:00:00.000Z",
        "creator": {"fullName": "Mia Tester", "id": 2, "username": "mia"},
        "creatorId": 2,
        "customerId": null,
        "id": 1,
        "lastMessageAt": "2026-01-06T00:00:00.000Z",
        "messageCount": 2,
        "priority": "high",
        "status": "open",
        "tags": [],
        "title": "No invoices",
        "updatedAt": "2026-01-15T12:00:00.000Z",
        "version": 1
      }
    }
    "#);
}

#[tokio::test]
async fn a_long_conversation_ends_before_it_is_too_large_for_the_gateway() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let author = mia.user.unwrap();
    let long = "\u{1d11e}".repeat(45_000);
    for _ in 0..2 {
        let messages = (0..12).map(|_| records::message(author, &long, None));
        let new = NewTicket {
            messages: messages.collect(),
            ..records::ticket()
        };
        api.has_ticket(new).await;
    }
    // More than a transaction takes at once.
    for _ in 0..12 {
        let reply = json!({"content": long});
        mia.posts("/api/managed-services/ticket/1/reply", reply)
            .await;
    }
    let mut next = Some("/api/managed-services/ticket/1".to_owned());
    let mut pages = Vec::new();
    while let Some(path) = next {
        let answer = mia.get(&path).await;
        let body = answer.expect(200);
        // Each page says what it is of.
        shows!(body, {"/ticket/id": 1, "/ticket/messageCount": 24});
        pages.push(
            body["messages"]
                .as_array()
                .unwrap()
                .len(),
        );
        assert!(pages.len() < 10, "{pages:?}");
        next = answer.next().map(str::to_owned);
    }
    assert_eq!(pages, [22, 2]);
}
