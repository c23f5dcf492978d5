//! `GET /api/managed-services/dashboard`

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::json;
use shared::{model::ServiceStatus, store::NewTicket};
use tests::{records, shows, support::Api};

use super::{DASHBOARD, at, has_activity, has_request, has_ticket, metrics};

#[tokio::test]
async fn the_dashboard_of_a_new_organization_is_empty() {
    let (_, [zoe]) = Api::signed_in(["zoe"]).await;
    assert_eq!(
        zoe.get(DASHBOARD).await.expect(200),
        json!({
            "serviceRequests": [], "tickets": [], "activityFeed": [],
            "metrics": {"activeEngagements": 1, "avgResolutionTime": 0.0, "hoursSaved": 0.0},
        })
    );
}

#[tokio::test]
async fn the_dashboard_shows_what_is_newest() {
    let (api, [vic]) = Api::signed_in(["vic"]).await;
    let mia = api.user("mia").await;
    has_request(&api, "Older", "2026-01-01T00:00:00Z", None).await;
    has_request(&api, "Newer", "2026-01-02T00:00:00Z", None).await;
    has_activity(&api, "Later", "2026-01-04T00:00:00Z").await;
    has_activity(&api, "Sooner", "2026-01-03T00:00:00Z").await;
    let new = NewTicket {
        assignee_id: Some(mia.id),
        created_at: Some(at("2026-01-05T00:00:00Z")),
        messages: vec![records::message(
            mia.id,
            "Where are they?",
            Some(at("2026-01-06T00:00:00Z")),
        )],
        ..records::ticket()
    };
    api.has_ticket(new).await;
    let activity = |id: i64, description: &str, timestamp: &str| {
        json!({
            "id": id, "type": "call", "subtype": "kick_off", "description": description,
            "timestamp": timestamp, "projectId": 1, "organizationId": 1,
            "creator": {"id": mia.id, "username": "mia", "fullName": "Mia Tester"},
        })
    };
    let body = vic.get(DASHBOARD).await.expect(200);
    assert_eq!(
        body["activityFeed"],
        json!([
            activity(1, "Later", "2026-01-04T00:00:00.000Z"),
            activity(2, "Sooner", "2026-01-03T00:00:00.000Z"),
        ])
    );
    assert_eq!(
        body["tickets"],
        json!([{
            "version": 1, "id": 1, "title": "No invoices", "status": "open", "priority": "high",
            "createdAt": "2026-01-05T00:00:00.000Z", "updatedAt": "2026-01-06T00:00:00.000Z",
            "assigneeId": mia.id, "lastMessageAt": "2026-01-06T00:00:00.000Z",
            "creatorId": mia.id, "messageCount": 1,
        }])
    );
    let requests = &body["serviceRequests"];
    shows!(requests, {"/0/id": 2, "/1/id": 1});
    let mut fields: Vec<_> = requests[0].as_object().unwrap().keys().collect();
    fields.sort_unstable();
    assert_eq!(
        fields,
        [
            "agentAction",
            "assigneeId",
            "category",
            "createdAt",
            "creatorId",
            "description",
            "id",
            "metadata",
            "priority",
            "referenceId",
            "referenceType",
            "status",
            "title",
            "updatedAt",
            "version",
        ]
    );
}

#[tokio::test]
async fn the_dashboard_shows_twenty_of_each() {
    let (api, [vic]) = Api::signed_in(["vic"]).await;
    for _ in 0..21 {
        has_request(&api, "x", "2026-01-01T00:00:00Z", None).await;
        has_activity(&api, "x", "2026-01-01T00:00:00Z").await;
        has_ticket(&api, ServiceStatus::Open).await;
    }
    let body = vic.get(DASHBOARD).await.expect(200);
    for list in ["serviceRequests", "tickets", "activityFeed"] {
        let ids: Vec<i64> = body[list]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row["id"].as_i64().unwrap())
            .collect();
        // Created in one instant, so that the ids decide: the oldest is left out.
        assert_eq!(ids, (2..=21).rev().collect::<Vec<_>>(), "{list}");
    }
}

#[tokio::test]
async fn the_resolution_time_is_the_mean_of_ninety_days() {
    let (api, [vic]) = Api::signed_in(["vic"]).await;
    // The clock stands at 2026-01-15: the 90th day back is 2025-10-18.
    has_request(
        &api,
        "too old",
        "2025-10-01T00:00:00Z",
        Some("2025-10-17T23:59:59Z"),
    )
    .await;
    assert_eq!(metrics(&vic).await["avgResolutionTime"], 0.0);
    has_request(
        &api,
        "just in",
        "2025-10-17T22:00:00Z",
        Some("2025-10-18T00:00:00Z"),
    )
    .await;
    assert_eq!(metrics(&vic).await["avgResolutionTime"], 2.0);
    let new = NewTicket {
        status: ServiceStatus::Closed,
        created_at: Some(at("2026-01-15T02:00:00Z")),
        ..records::ticket()
    };
    // Closed now, after ten hours.
    api.has_ticket(new).await;
    assert_eq!(metrics(&vic).await["avgResolutionTime"], 6.0);
    has_request(&api, "open", "2026-01-01T00:00:00Z", None).await;
    has_request(
        &api,
        "x",
        "2026-01-14T00:00:00Z",
        Some("2026-01-14T00:10:00Z"),
    )
    .await;
    // (2 h + 10 h + 1/6 h) / 3, to two decimals.
    assert_eq!(metrics(&vic).await["avgResolutionTime"], 4.06);
}

#[tokio::test]
async fn engagements_and_hours_saved_come_from_the_totals() {
    let (api, [vic]) = Api::signed_in(["vic"]).await;
    api.has_project(api.home.id, "Paused").await;
    let totals = api
        .client
        .update_item()
        .table_name(&api.table)
        .key("pk", AttributeValue::S("ORG#1".into()))
        .key("sk", AttributeValue::S("TOTALS".into()))
        .update_expression("ADD minutesSaved :minutes")
        .expression_attribute_values(":minutes", AttributeValue::N("100".into()));
    totals.send().await.unwrap();
    assert_eq!(
        metrics(&vic).await,
        json!({"activeEngagements": 2, "avgResolutionTime": 0.0, "hoursSaved": 1.67})
    );
}

#[tokio::test]
async fn the_dashboard_shows_nothing_foreign() {
    let (api, [zoe]) = Api::signed_in(["zoe"]).await;
    has_request(
        &api,
        "x",
        "2026-01-14T00:00:00Z",
        Some("2026-01-15T00:00:00Z"),
    )
    .await;
    has_activity(&api, "x", "2026-01-04T00:00:00Z").await;
    has_ticket(&api, ServiceStatus::Resolved).await;
    let body = zoe.get(DASHBOARD).await.expect(200);
    for list in ["serviceRequests", "tickets", "activityFeed"] {
        assert_eq!(body[list], json!([]), "{list}");
    }
    assert_eq!(body["metrics"]["avgResolutionTime"], 0.0);
}

#[tokio::test]
async fn long_texts_leave_room_for_the_answer() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    let text = "\"".repeat(50_000);
    let mut newest = 0;
    for _ in 0..20 {
        let request = json!({"title": "Help", "description": text});
        newest = mia.creates("/api/managed-services/request", request).await;
        let activity = json!({"type": "note", "description": text, "organizationId": 1});
        mia.creates("/api/activities", activity).await;
    }
    let dashboard = mia.get("/api/managed-services/dashboard").await.expect(200);
    let requests = dashboard["serviceRequests"].as_array().unwrap();
    assert!((5..20).contains(&requests.len()), "{}", requests.len());
    assert_eq!(requests[0]["id"], newest);
    let activities = dashboard["activityFeed"].as_array().unwrap();
    assert!((5..20).contains(&activities.len()), "{}", activities.len());
}
