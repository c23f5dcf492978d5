//! `/api/managed-services`, and what its operations have in common

mod dashboard;
mod hours_saved;
mod list_tickets;
mod raise_ticket;
mod reply;
mod request;
mod search_references;
mod ticket;
mod update_ticket;

use serde_json::{Value, json};
use shared::{
    model::{ServiceStatus, Ticket, Timestamp},
    store::{NewTicket, Past},
};
use tests::records;

use crate::support::{Api, Caller};

pub const REQUEST: &str = "/api/managed-services/request";
const DASHBOARD: &str = "/api/managed-services/dashboard";
const SEARCH: &str = "/api/managed-services/search-references";

pub fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

async fn has_ticket(api: &Api, status: ServiceStatus) -> Ticket {
    api.has_ticket(NewTicket {
        status,
        ..records::ticket()
    })
    .await
}

async fn has_request(api: &Api, title: &str, created: &str, resolved: Option<&str>) {
    let status = match resolved {
        Some(_) => ServiceStatus::Resolved,
        None => ServiceStatus::Open,
    };
    let new = records::sent(&json!({
        "title": title,
        "priority": "low",
        "referenceType": "project",
        "referenceId": 1,
    }));
    let history = Past {
        status,
        created_at: Some(at(created)),
        resolved_at: resolved.map(at),
        ..Past::default()
    };
    let requests = api.store.service_requests();
    let mia = api.user("mia").await.id;
    requests
        .create_with(api.home.id, mia, new, history)
        .await
        .unwrap();
}

async fn has_activity(api: &Api, description: &str, timestamp: &str) {
    let new = records::sent(&json!({
        "timestamp": timestamp,
        "type": "call",
        "subtype": "kick_off",
        "description": description,
        "projectId": api.projects[0].id,
    }));
    let activities = api.store.activities();
    let mia = api.user("mia").await.id;
    activities.create(api.home.id, mia, new).await.unwrap();
}

async fn metrics(caller: &Caller) -> Value {
    caller.get(DASHBOARD).await.expect(200)["metrics"].clone()
}

#[tokio::test]
async fn what_is_foreign_is_absent() {
    let api = Api::start().await;
    let zoe = api.sign_in("zoe").await;
    has_ticket(&api, ServiceStatus::Open).await;
    let hello = json!({"content": "Hello"});
    for id in ["1", "2", "0", "-1", "abc", "9007199254740993", "01"] {
        let path = format!("/api/managed-services/ticket/{id}");
        let reply = format!("{path}/reply");
        zoe.get(&path).await.expect_problem(404, "not_found");
        zoe.patch(&path, json!({"status": "closed"}))
            .await
            .expect_problem(404, "not_found");
        zoe.post(&reply, hello.clone())
            .await
            .expect_problem(404, "not_found");
        zoe.post(&reply, json!({}))
            .await
            .expect_faults(&[("/content", "required")]);
    }
    let mia = api.sign_in("mia").await;
    let read = mia.get("/api/managed-services/ticket/1").await.expect(200);
    assert_eq!(read["messages"], json!([]));
}

#[tokio::test]
async fn viewers_read_and_do_not_reply() {
    let api = Api::start().await;
    let vic = api.sign_in("vic").await;
    has_ticket(&api, ServiceStatus::Open).await;
    let path = "/api/managed-services/ticket/1";
    for path in [DASHBOARD, path] {
        vic.get(path).await.expect(200);
        vic.get(&format!("{path}?page=1"))
            .await
            .expect_faults(&[("?page", "unknown_parameter")]);
    }
    vic.post(&format!("{path}/reply"), json!({}))
        .await
        .expect_problem(403, "permission_denied");
}
