//! `PATCH /api/managed-services/ticket/{ticketId}`

use serde_json::json;
use shared::{model::ServiceStatus, store::NewTicket};
use tests::{records, support::Api};

use super::{at, has_ticket, metrics};

const PATH: &str = "/api/managed-services/ticket/1";

async fn counted(api: &Api) -> bool {
    let dump = api.table_dump().await;
    let mut days = dump
        .iter()
        .filter(|item| item.contains("ORG#1#RESOLUTIONS"));
    days.any(|day| day.contains(r#""count": N("1")"#))
}

#[tokio::test]
async fn a_resolution_feeds_the_dashboard_until_it_is_taken_back() {
    let (api, [sue]) = Api::signed_in(["sue"]).await;
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
    let (api, [sue]) = Api::signed_in(["sue"]).await;
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
