//! `POST /api/managed-services/ticket/{ticketId}/reply`

use serde_json::{Value, json};
use shared::{model::work::ServiceStatus, store::work::NewTicket};
use tests::{creates, posts, records, refused, shows, snapshot, support::Api};

use super::{DASHBOARD, at, has_ticket, metrics, resolutions};

#[tokio::test]
async fn a_reply_is_the_newest_message_and_has_no_body() {
    let (api, [sue]) = Api::signed_in(["sue"]).await;
    has_ticket(&api, ServiceStatus::InProgress).await;
    api.clock.advance(1_000);
    let path = "/api/managed-services/ticket/1";
    let content = json!({"content": "On it"});
    let replied = sue
        .post(&format!("{path}/reply"), content)
        .await;
    assert_eq!(replied.expect(200), Value::Null);
    let location = replied.header("location").unwrap();
    assert_eq!(location, format!("{path}#message-1"));
    snapshot!(sue.reads(path).await, @r#"
    {
      "messages": [
        {
          "content": "On it",
          "createdAt": "2026-01-15T12:00:01.000Z",
          "deletedAt": null,
          "editedAt": null,
          "id": 1,
          "internal": false,
          "sender": {"id": 1, "isSupport": true, "name": "Sue Tester"},
          "version": 1
        }
      ],
      "ticket": {
        "assigneeId": null,
        "createdAt": "2026-01-15T12:00:00.000Z",
        "creator": null,
        "creatorId": null,
        "customerId": null,
        "id": 1,
        "lastMessageAt": "2026-01-15T12:00:01.000Z",
        "messageCount": 1,
        "priority": "high",
        "status": "in_progress",
        "tags": [],
        "title": "No invoices",
        "updatedAt": "2026-01-15T12:00:01.000Z",
        "version": 2
      }
    }
    "#);
    snapshot!(sue.reads(DASHBOARD).await["tickets"], @r#"
    [
      {
        "assigneeId": null,
        "createdAt": "2026-01-15T12:00:00.000Z",
        "creatorId": null,
        "customerId": null,
        "id": 1,
        "lastMessageAt": "2026-01-15T12:00:01.000Z",
        "messageCount": 1,
        "priority": "high",
        "status": "in_progress",
        "tags": [],
        "title": "No invoices",
        "updatedAt": "2026-01-15T12:00:01.000Z",
        "version": 2
      }
    ]
    "#);
}

#[tokio::test]
async fn a_reply_opens_a_ticket_that_is_pending_or_resolved() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    has_ticket(&api, ServiceStatus::Pending).await;
    let new = NewTicket {
        status: ServiceStatus::Resolved,
        created_at: Some(at("2026-01-10T00:00:00Z")),
        resolved_at: Some(at("2026-01-10T05:00:00Z")),
        ..records::ticket()
    };
    api.has_ticket(new).await;
    assert_eq!(metrics(&mia).await["avgResolutionTime"], 5.0);
    for id in [1, 2] {
        let path = format!("/api/managed-services/ticket/{id}");
        for content in ["It is back", "Really"] {
            posts!(mia, "{path}/reply", {"content": content});
        }
        let read = mia.reads(&path).await;
        assert_eq!(read["ticket"]["status"], "open");
        assert_eq!(
            read["messages"]
                .as_array()
                .unwrap()
                .len(),
            2
        );
    }
    // Taken out once, not twice.
    assert_eq!(metrics(&mia).await["avgResolutionTime"], 0.0);
    assert_eq!(resolutions(&api).await, ["0"]);
}

#[tokio::test]
async fn a_closed_ticket_takes_no_reply() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    has_ticket(&api, ServiceStatus::Closed).await;
    let before = api.records().await;
    let path = "/api/managed-services/ticket/1/reply";
    refused!(ada.post(path, json!({"content": "Hello?"})).await => 409, "ticket_closed");
    assert_eq!(before, api.records().await);
}

/// Support talks about a customer without the customer, and without changing where the ticket
/// stands.
#[tokio::test]
async fn an_internal_note_is_seen_by_those_who_may_reply() {
    let (api, [sue, vic, max]) = Api::signed_in(["sue", "vic", "max"]).await;
    has_ticket(&api, ServiceStatus::Pending).await;
    let path = "/api/managed-services/ticket/1";
    let before = sue.reads(path).await["ticket"].clone();
    posts!(sue, "{path}/reply", {"content": "They never paid, @vic and @max.", "internal": true});
    let read = sue.reads(path).await;
    assert_eq!(read["messages"][0]["internal"], true);
    for field in ["status", "messageCount", "lastMessageAt"] {
        assert_eq!(read["ticket"][field], before[field], "{field}");
    }
    assert_eq!(vic.reads(path).await["messages"], json!([]));
    // Nor does the change feed tell of it.
    api.publishes().await;
    let feed = "/api/changes?cursor=first&type=ticket_message";
    assert_eq!(sue.reads(feed).await[0]["recordId"], 1);
    assert_eq!(vic.reads(feed).await, json!([]));
    // Search does not find it, and nobody is notified of it.
    let search = "/api/search?query=paid";
    assert_eq!(sue.reads(search).await[0]["type"], "ticket_message");
    assert_eq!(vic.reads(search).await, json!([]));
    let inbox = "/api/notifications";
    assert_eq!(vic.reads(inbox).await, json!([]));
    // Who may no longer see notes keeps the notification without the text.
    let notifications = max.reads(inbox).await;
    assert_eq!(
        notifications[0]["excerpt"],
        "They never paid, @vic and @max."
    );
    let only = json!({"permissions": ["view_managed_services"]});
    let script = api
        .token_of(&api.user("max").await, only)
        .await;
    shows!(script.reads(inbox).await[0], {"excerpt": null, "/subject/title": "No invoices"});
    posts!(sue, "{path}/reply", {"content": "We look into it.", "internal": false});
    let read = vic.reads(path).await;
    shows!(read["ticket"], {"messageCount": 1, "status": "open"});
    assert_eq!(
        read["messages"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    let wrong = json!({"content": "x", "internal": "yes"});
    refused!(sue.post(&format!("{path}/reply"), wrong).await => [("/internal", "type")]);
}

#[tokio::test]
async fn a_replayed_reply_names_the_same_message() {
    let api = Api::start().await;
    let sue = api
        .sign_in("sue")
        .await
        .with_header("idempotency-key", "reply");
    has_ticket(&api, ServiceStatus::Open).await;
    let path = "/api/managed-services/ticket/1/reply";
    let mut locations = Vec::new();
    for _ in 0..2 {
        let replied = sue
            .post(path, json!({"content": "On it"}))
            .await;
        replied.expect(200);
        locations.push(
            replied
                .header("location")
                .unwrap()
                .to_owned(),
        );
    }
    assert_eq!(locations[0], locations[1]);
}

/// A customer sees the team's side as one, whatever the role. On a ticket of their own, a manager
/// is a customer.
#[tokio::test]
async fn whoever_manages_tickets_answers_as_support_except_on_their_own() {
    let (_, [ada, max, sue, mia]) = Api::signed_in(["ada", "max", "sue", "mia"]).await;
    for (raised_by, is_support) in [
        (&mia, [true, true, true, false]),
        (&max, [true, false, true, false]),
    ] {
        let ticket = creates!(raised_by, "/api/managed-services/tickets", {"title": "No invoices"});
        let path = format!("/api/managed-services/ticket/{ticket}");
        for by in [&ada, &max, &sue, &mia] {
            let reply = json!({"content": "We look into it."});
            by.posts(&format!("{path}/reply"), reply)
                .await;
        }
        let read = mia.reads(&path).await;
        let messages = read["messages"]
            .as_array()
            .unwrap()
            .iter();
        let seen: Vec<_> = messages
            .map(|message| message["sender"]["isSupport"].clone())
            .collect();
        assert_eq!(seen, is_support);
    }
}
