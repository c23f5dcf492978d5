//! `/api/managed-services`

mod dashboard;
mod hours_saved;
mod list_tickets;
mod own_messages;
mod raise_ticket;
mod reply;
mod request;
mod search_references;
mod ticket;

use serde_json::{Value, json};
use shared::{
    model::{
        base::Timestamp,
        work::{ServiceStatus, Ticket},
    },
    store::work::{NewTicket, Past},
};
use tests::{
    records,
    support::{Api, Caller, text_of},
};

pub const REQUEST: &str = "/api/managed-services/request";
pub const DASHBOARD: &str = "/api/managed-services/dashboard";
const SEARCH: &str = "/api/managed-services/search-references";

pub fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

pub async fn has_ticket(api: &Api, status: ServiceStatus) -> Ticket {
    let new = records::ticket();
    api.has_ticket(NewTicket { status, ..new })
        .await
}

async fn has_request(api: &Api, title: &str, created: &str, resolved: Option<&str>) {
    let status = resolved.map_or(ServiceStatus::Open, |_| ServiceStatus::Resolved);
    let new = records::sent(&json!({
        "title": title, "priority": "low", "referenceType": "project", "referenceId": 1,
    }));
    let history = Past {
        status,
        created_at: Some(at(created)),
        resolved_at: resolved.map(at),
        ..Past::default()
    };
    let requests = api.store.service_requests();
    let created = requests.create_with(api.home.id, api.user("mia").await.id, new, history);
    created.await.unwrap();
}

async fn has_activity(api: &Api, description: &str, timestamp: &str) {
    let new = records::sent(&json!({
        "timestamp": timestamp, "type": "call", "subtype": "kick_off",
        "description": description, "projectId": api.projects[0].id,
    }));
    let activities = api.store.activities();
    let mia = api.user("mia").await.id;
    activities
        .create(api.home.id, mia, new)
        .await
        .unwrap();
}

/// The counts of resolutions by day.
pub async fn resolutions(api: &Api) -> Vec<String> {
    let mut days = api.items().await;
    days.retain(|item| text_of(item, "pk") == "ORG#1#RESOLUTIONS");
    let counts = days
        .iter()
        .map(|day| day["count"].as_n().unwrap().clone());
    counts.collect()
}

pub async fn metrics(caller: &Caller) -> Value {
    caller.reads(DASHBOARD).await["metrics"].clone()
}
