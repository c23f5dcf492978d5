//! `POST /api/managed-services/tickets`

use serde_json::{Value, json};
use tests::support::{Api, posts, refused, shows, snapshot};

use super::DASHBOARD;

const TICKETS: &str = "/api/managed-services/tickets";

#[tokio::test]
async fn a_ticket_is_open_and_its_description_is_the_first_message() {
    let (_, [mia, sue]) = Api::signed_in(["mia", "sue"]).await;
    let ticket = posts!(mia, TICKETS, {
        "title": "No invoices", "description": "Since Monday.", "priority": "high",
        "assigneeId": sue.id(), "status": "closed",
    });
    snapshot!(ticket, @r#"
    {
      "assigneeId": 2,
      "createdAt": "2026-01-15T12:00:00.000Z",
      "creatorId": 1,
      "customerId": null,
      "id": 1,
      "lastMessageAt": "2026-01-15T12:00:00.000Z",
      "messageCount": 1,
      "priority": "high",
      "status": "open",
      "tags": [],
      "title": "No invoices",
      "updatedAt": "2026-01-15T12:00:00.000Z",
      "version": 1
    }
    "#);
    let read = sue
        .reads("/api/managed-services/ticket/1")
        .await;
    snapshot!(read, @r#"
    {
      "messages": [
        {
          "content": "Since Monday.",
          "createdAt": "2026-01-15T12:00:00.000Z",
          "deletedAt": null,
          "editedAt": null,
          "id": 1,
          "internal": false,
          "sender": {"id": 1, "isSupport": false, "name": "Mia Tester"},
          "version": 1
        }
      ],
      "ticket": {
        "assigneeId": 2,
        "createdAt": "2026-01-15T12:00:00.000Z",
        "creator": {"fullName": "Mia Tester", "id": 1, "username": "mia"},
        "creatorId": 1,
        "customerId": null,
        "id": 1,
        "lastMessageAt": "2026-01-15T12:00:00.000Z",
        "messageCount": 1,
        "priority": "high",
        "status": "open",
        "tags": [],
        "title": "No invoices",
        "updatedAt": "2026-01-15T12:00:00.000Z",
        "version": 1
      }
    }
    "#);
    assert_eq!(sue.reads(TICKETS).await, json!([read["ticket"]]));
    assert_eq!(sue.reads(DASHBOARD).await["tickets"], json!([ticket]));
}

#[tokio::test]
async fn a_ticket_may_say_no_more_than_its_title() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    for description in [Value::Null, json!(""), json!(" \n")] {
        let ticket = posts!(mia, TICKETS, {
            "title": "Help", "description": description, "priority": null,
        });
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
