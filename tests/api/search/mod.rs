//! `GET /api/search`

mod filters;
mod matches;
mod pages;
mod readers;
mod rows;
mod stale;

use serde_json::{Value, json};
use tests::support::{Api, Caller, creates};

/// A record of each type that search finds, with the word `Zebra` in its text.
async fn one_of_each(caller: &Caller) {
    let zebra = json!({"title": "Zebra"});
    caller.creates_task(zebra.clone()).await;
    caller
        .creates_milestone(zebra.clone())
        .await;
    caller
        .creates("/api/projects", zebra.clone())
        .await;
    caller
        .records_activity(json!({"description": "A zebra called"}))
        .await;
    caller
        .creates("/api/managed-services/request", zebra.clone())
        .await;
    creates!(caller, "/api/managed-services/tickets", {
        "title": "Zebra", "description": "The zebra is gone.",
    });
    creates!(caller, "/api/tasks/1/comments", {"content": "What zebra?"});
}

/// The names of the records of [`one_of_each`], in order.
fn each() -> Vec<Value> {
    let mut rows = vec![
        json!(["activity", 1]),
        json!(["comment", 1]),
        json!(["milestone", 1]),
        json!(["project", 4]),
        json!(["service_request", 1]),
        json!(["task", 1]),
        json!(["ticket", 1]),
        json!(["ticket_message", 1]),
    ];
    rows.sort_by_key(Value::to_string);
    rows
}

/// Publishes what was changed so far, and searches.
async fn found(api: &Api, caller: &Caller, query: &str) -> Vec<Value> {
    api.publishes().await;
    let mut rows = caller.finds(query).await;
    rows.sort_by_key(Value::to_string);
    rows
}
