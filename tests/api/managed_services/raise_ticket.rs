//! `POST /api/managed-services/tickets`

use serde_json::{Value, json};
use tests::support::{Api, posts, refused, shows};

use super::DASHBOARD;

const TICKETS: &str = "/api/managed-services/tickets";

#[tokio::test]
async fn a_ticket_is_open_and_its_description_is_the_first_message() {
    let (_, [mia, sue]) = Api::signed_in(["mia", "sue"]).await;
    let now = "2026-01-15T12:00:00.000Z";
    let ticket = posts!(mia, TICKETS, {
        "title": "No invoices", "description": "Since Monday.", "priority": "high",
        "assigneeId": sue.id(), "status": "closed",
    });
    let expected = json!({
        "version": 1, "id": 1, "title": "No invoices", "status": "open", "priority": "high",
        "createdAt": now, "updatedAt": now, "assigneeId": sue.id(), "lastMessageAt": now,
        "creatorId": mia.id(), "messageCount": 1,
    });
    assert_eq!(ticket, expected);
    let message = json!({
        "id": 1, "content": "Since Monday.", "createdAt": now, "internal": false,
        "sender": {"id": mia.id(), "name": "Mia Tester", "isSupport": false},
    });
    let mut joined = ticket.clone();
    joined["creator"] = json!({"id": mia.id(), "username": "mia", "fullName": "Mia Tester"});
    let read = sue
        .reads("/api/managed-services/ticket/1")
        .await;
    assert_eq!(read, json!({"ticket": joined, "messages": [message]}));
    assert_eq!(sue.reads(TICKETS).await, json!([joined]));
    assert_eq!(sue.reads(DASHBOARD).await["tickets"], json!([ticket]));
}

#[tokio::test]
async fn a_ticket_may_say_no_more_than_its_title() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    for description in [Value::Null, json!(""), json!(" \n")] {
        let sent = json!({"title": "Help", "description": description, "priority": null});
        let ticket = mia.posts(TICKETS, sent).await;
        shows!(ticket, {"priority": "medium", "lastMessageAt": null});
        let path = format!("/api/managed-services/ticket/{}", ticket["id"]);
        assert_eq!(mia.reads(&path).await["messages"], json!([]));
    }
}

#[tokio::test]
async fn an_assignee_is_a_user_of_the_organization() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let abroad = api.sign_in("zoe").await.id();
    let before = api.records().await;
    for assignee in [abroad, 99] {
        let body = json!({"title": "x", "assigneeId": assignee});
        refused!(mia.post(TICKETS, body).await => [("/assigneeId", "unknown")]);
    }
    assert_eq!(before, api.records().await);
}
