//! `PATCH /api/managed-services/ticket/{ticketId}`

use serde_json::json;
use shared::{model::ServiceStatus, store::NewTicket};
use tests::records;

use super::{DASHBOARD, at, has_ticket, metrics};
use crate::support::{Api, Fault, raise_version};

const PATH: &str = "/api/managed-services/ticket/1";

async fn counted(api: &Api) -> bool {
    let dump = api.table_dump().await;
    let mut days = dump
        .iter()
        .filter(|item| item.contains("ORG#1#RESOLUTIONS"));
    days.any(|day| day.contains(r#""count": N("1")"#))
}

#[tokio::test]
async fn every_field_is_kept_cleared_or_replaced() {
    let api = Api::start().await;
    let sue = api.sign_in("sue").await;
    has_ticket(&api, ServiceStatus::Open).await;
    let mut expected = sue.get(PATH).await.expect(200)["ticket"].clone();
    for change in [
        json!({"title": "Still no invoices"}),
        json!({"priority": "urgent"}),
        json!({"assigneeId": sue.id()}),
        json!({"assigneeId": null}),
        json!({"status": "in_progress", "priority": "low"}),
    ] {
        api.clock.advance(1);
        for (field, value) in change.as_object().unwrap() {
            expected[field] = value.clone();
        }
        expected["updatedAt"] = json!(api.clock.now().to_string());
        raise_version(&mut expected);
        assert_eq!(sue.patch(PATH, change).await.expect(200), expected);
        assert_eq!(sue.get(PATH).await.expect(200)["ticket"], expected);
        let dashboard = sue.get(DASHBOARD).await.expect(200);
        assert_eq!(dashboard["tickets"], json!([expected]));
    }
}

#[tokio::test]
async fn every_fault_is_answered_and_nothing_written() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let sue = api.sign_in("sue").await;
    has_ticket(&api, ServiceStatus::Open).await;
    let abroad = api.sign_in("zoe").await.id();
    let before = api.records().await;
    mia.patch(PATH, json!({}))
        .await
        .expect_problem(403, "permission_denied");
    for (body, faults) in [
        (json!({}), vec![("", "required")]),
        (json!({"description": "x"}), vec![("", "required")]),
        (
            json!({"title": null, "priority": "now", "status": null}),
            vec![
                ("/title", "null"),
                ("/priority", "value"),
                ("/status", "null"),
            ],
        ),
        (
            json!({"assigneeId": abroad}),
            vec![("/assigneeId", "unknown")],
        ),
    ] {
        sue.patch(PATH, body).await.expect_faults(&faults);
    }
    sue.patch("/api/managed-services/ticket/9", json!({"assigneeId": 99}))
        .await
        .expect_problem(404, "not_found");
    assert_eq!(before, api.records().await);
}

#[tokio::test]
async fn a_status_goes_where_it_may_and_nowhere_else() {
    let api = Api::start().await;
    let sue = api.sign_in("sue").await;
    let all = [
        ServiceStatus::Open,
        ServiceStatus::InProgress,
        ServiceStatus::Pending,
        ServiceStatus::Resolved,
        ServiceStatus::Closed,
    ];
    for from in all {
        for to in all {
            let id = has_ticket(&api, from).await.id;
            let path = format!("/api/managed-services/ticket/{id}");
            let before = api.records().await;
            let answer = sue.patch(&path, json!({"status": to})).await;
            if from.may_become(to) {
                assert_eq!(
                    answer.expect(200)["status"],
                    json!(to),
                    "{from:?} to {to:?}"
                );
            } else {
                answer.expect_problem(409, "invalid_transition");
                assert_eq!(before, api.records().await, "{from:?} to {to:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_resolution_feeds_the_dashboard_until_it_is_taken_back() {
    let api = Api::start().await;
    let sue = api.sign_in("sue").await;
    let new = NewTicket {
        created_at: Some(at("2026-01-15T07:00:00Z")),
        ..records::ticket()
    };
    api.has_ticket(new).await;
    for (status, hours) in [
        ("pending", 0.0),
        ("resolved", 5.0),
        ("resolved", 5.0),
        ("open", 0.0),
        ("closed", 5.0),
        ("closed", 5.0),
    ] {
        sue.patch(PATH, json!({"status": status})).await.expect(200);
        assert_eq!(metrics(&sue).await["avgResolutionTime"], hours, "{status}");
    }
}

#[tokio::test]
async fn changes_and_replies_at_the_same_time_count_a_resolution_once() {
    let api = Api::start().await;
    let sue = api.sign_in("sue").await;
    has_ticket(&api, ServiceStatus::Resolved).await;
    assert!(counted(&api).await);
    let open = || sue.patch(PATH, json!({"status": "open"}));
    let reply = format!("{PATH}/reply");
    let (one, two, reply) = tokio::join!(
        open(),
        open(),
        sue.post(&reply, json!({"content": "Again"}))
    );
    for answer in [one, two, reply] {
        answer.expect(200);
    }
    let dump = api.table_dump().await;
    let day = dump.iter().find(|item| item.contains("ORG#1#RESOLUTIONS"));
    assert!(day.unwrap().contains(r#""count": N("0")"#), "{day:?}");
    let read = sue.get(PATH).await.expect(200);
    assert_eq!(read["ticket"]["status"], "open");
    assert_eq!(read["messages"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_ticket_that_keeps_changing_is_a_conflict() {
    let (api, faults) = Api::behind_faults().await;
    let sue = api.sign_in("sue").await;
    has_ticket(&api, ServiceStatus::Open).await;
    for _ in 0..5 {
        faults.next("TransactWriteItems", Fault::Outrun);
    }
    sue.patch(PATH, json!({"priority": "low"}))
        .await
        .expect_problem(409, "concurrent_change");
    assert!(faults.are_over());
    sue.patch(PATH, json!({"priority": "low"}))
        .await
        .expect(200);
}
