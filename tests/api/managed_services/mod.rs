//! `/api/managed-services`

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
use tests::{
    records,
    support::{Api, Caller},
};

pub const REQUEST: &str = "/api/managed-services/request";
pub const DASHBOARD: &str = "/api/managed-services/dashboard";
const SEARCH: &str = "/api/managed-services/search-references";

pub fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

pub async fn has_ticket(api: &Api, status: ServiceStatus) -> Ticket {
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
