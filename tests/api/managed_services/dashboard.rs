//! `GET /api/managed-services/dashboard`

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::json;
use shared::{model::work::ServiceStatus, store::work::NewTicket};
use tests::{
    creates, records, shows, snapshot,
    support::{Api, ids},
};

use super::{DASHBOARD, at, has_activity, has_request, has_ticket, metrics};

#[tokio::test]
async fn the_dashboard_of_a_new_organization_is_empty_whatever_others_have() {
    let (api, [zoe]) = Api::signed_in(["zoe"]).await;
    let from = "2026-01-14T00:00:00Z";
    let to = "2026-01-15T00:00:00Z";
    has_request(&api, "x", from, Some(to)).await;
    has_activity(&api, "x", "2026-01-04T00:00:00Z").await;
    has_ticket(&api, ServiceStatus::Resolved).await;
    snapshot!(zoe.reads(DASHBOARD).await, @r#"
    {
      "activityFeed": [],
      "metrics": {"activeEngagements": 1, "avgResolutionTime": 0.0, "hoursSaved": 0.0},
      "serviceRequests": [],
      "tickets": []
    }
    "#);
}

#[tokio::test]
async fn the_dashboard_shows_what_is_newest() {
    let (api, [vic]) = Api::signed_in(["vic"]).await;
    let mia = api.user("mia").await;
    has_request(&api, "Older", "2026-01-01T00:00:00Z", None).await;
    has_request(&api, "Newer", "2026-01-02T00:00:00Z", None).await;
    has_activity(&api, "Later", "2026-01-04T00:00:00Z").await;
    has_activity(&api, "Sooner", "2026-01-03T00:00:00Z").await;
    let sent = Some(at("2026-01-06T00:00:00Z"));
    let new = NewTicket {
        assignee_id: Some(mia.id),
        created_at: Some(at("2026-01-05T00:00:00Z")),
        messages: vec![records::message(mia.id, "Where are they?", sent)],
        ..records::ticket()
    };
    api.has_ticket(new).await;
    let body = vic.reads(DASHBOARD).await;
    snapshot!((&body["activityFeed"], &body["tickets"]), @r#"
    [
      [
        {
          "creator": {"fullName": "Mia Tester", "id": 2, "username": "mia"},
          "description": "Later",
          "id": 1,
          "organizationId": 1,
          "projectId": 1,
          "subtype": "kick_off",
          "timestamp": "2026-01-04T00:00:00.000Z",
          "type": "call"
        },
        {
          "creator": {"fullName": "Mia Tester", "id": 2, "username": "mia"},
          "description": "Sooner",
          "id": 2,
          "organizationId": 1,
          "projectId": 1,
          "subtype": "kick_off",
          "timestamp": "2026-01-03T00:00:00.000Z",
          "type": "call"
        }
      ],
      [
        {
          "assigneeId": 2,
          "createdAt": "2026-01-05T00:00:00.000Z",
          "creatorId": 2,
          "customerId": null,
          "id": 1,
          "lastMessageAt": "2026-01-06T00:00:00.000Z",
          "messageCount": 1,
          "priority": "high",
          "status": "open",
          "tags": [],
          "title": "No invoices",
          "updatedAt": "2026-01-06T00:00:00.000Z",
          "version": 1
        }
      ]
    ]
    "#);
    shows!(body["serviceRequests"], {"/0": vic.reads("/api/service-requests/2").await, "/1/id": 1});
}

#[tokio::test]
async fn the_dashboard_shows_twenty_of_each() {
    let (api, [vic]) = Api::signed_in(["vic"]).await;
    for _ in 0..21 {
        has_request(&api, "x", "2026-01-01T00:00:00Z", None).await;
        has_activity(&api, "x", "2026-01-01T00:00:00Z").await;
        has_ticket(&api, ServiceStatus::Open).await;
    }
    let body = vic.reads(DASHBOARD).await;
    for list in ["serviceRequests", "tickets", "activityFeed"] {
        let ids = ids(body[list].as_array().unwrap());
        // Created in one instant, so that the ids decide: the oldest is left out.
        assert!(ids.into_iter().eq((2..=21).rev()), "{list}");
    }
}

#[tokio::test]
async fn the_resolution_time_is_the_mean_of_ninety_days() {
    let (api, [vic]) = Api::signed_in(["vic"]).await;
    let resolved = async |from: &str, to: &str| has_request(&api, "x", from, Some(to)).await;
    let average = async || metrics(&vic).await["avgResolutionTime"].clone();
    // The clock stands at 2026-01-15: the 90th day back is 2025-10-18.
    resolved("2025-10-01T00:00:00Z", "2025-10-17T23:59:59Z").await;
    assert_eq!(average().await, 0.0);
    resolved("2025-10-17T22:00:00Z", "2025-10-18T00:00:00Z").await;
    assert_eq!(average().await, 2.0);
    let new = NewTicket {
        status: ServiceStatus::Closed,
        created_at: Some(at("2026-01-15T02:00:00Z")),
        ..records::ticket()
    };
    // Closed now, after ten hours.
    api.has_ticket(new).await;
    assert_eq!(average().await, 6.0);
    has_request(&api, "open", "2026-01-01T00:00:00Z", None).await;
    resolved("2026-01-14T00:00:00Z", "2026-01-14T00:10:00Z").await;
    // (2 h + 10 h + 1/6 h) / 3, to two decimals.
    assert_eq!(average().await, 4.06);
}

#[tokio::test]
async fn engagements_and_hours_saved_come_from_the_totals() {
    let (api, [vic]) = Api::signed_in(["vic"]).await;
    api.has_project(api.home.id, "Paused")
        .await;
    let totals = api
        .client
        .update_item()
        .table_name(&api.table);
    let totals = totals
        .key("pk", AttributeValue::S("ORG#1".into()))
        .key("sk", AttributeValue::S("TOTALS".into()))
        .update_expression("ADD minutesSaved :minutes")
        .expression_attribute_values(":minutes", AttributeValue::N("100".into()));
    totals.send().await.unwrap();
    let expected = json!({"activeEngagements": 2, "avgResolutionTime": 0.0, "hoursSaved": 1.67});
    assert_eq!(metrics(&vic).await, expected);
}

#[tokio::test]
async fn long_texts_leave_room_for_the_answer() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    let text = "\"".repeat(50_000);
    let mut newest = 0;
    for _ in 0..20 {
        let request = json!({"title": "Help", "description": text});
        newest = mia
            .creates("/api/managed-services/request", request)
            .await;
        creates!(mia, "/api/activities", {
            "type": "note", "description": text, "organizationId": 1,
        });
    }
    let dashboard = mia
        .reads("/api/managed-services/dashboard")
        .await;
    let requests = dashboard["serviceRequests"]
        .as_array()
        .unwrap();
    assert!((5..20).contains(&requests.len()), "{}", requests.len());
    assert_eq!(requests[0]["id"], newest);
    let activities = dashboard["activityFeed"]
        .as_array()
        .unwrap();
    assert!((5..20).contains(&activities.len()), "{}", activities.len());
}
