//! Properties of a connection: the place of error codes in answers, and the effect of a repeated
//! call. The crate `targets` has the ways of being called.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use axum::{
    Json, Router,
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};
use shared::agent::{action::ActionType, connection::AlreadyDone, session::ProposedAction};
use tests::support::{AgentSettings, Concierge, merges, posting, proposing, serve};

const SECRET: &str = "of-the-system";

/// Voids the alert's invoice in the system that the alert names.
fn void(alert: &shared::agent::alert::Alert) -> ProposedAction {
    let invoice = &alert.entities[0].id;
    let body = json!({"reason": "twice", "lines": [{"id": 7}]});
    let path = format!("/invoices/{invoice}/void");
    let void = ActionType::VoidInvoice;
    let system = &alert.entities[1].id;
    let mut action = posting(void, system, &path, &body, invoice);
    action.content.steps[0]
        .call
        .as_mut()
        .unwrap()
        .already_done = vec![AlreadyDone {
        status: 409,
        code: Some("already_void".to_owned()),
    }];
    action
}

async fn world() -> Concierge {
    Concierge::start_with(AgentSettings {
        analyse: Some(proposing(|alert: &_| vec![void(alert)])),
        ..AgentSettings::default()
    })
    .await
}

/// Connects organization 1 to a system.
async fn connects(world: &Concierge, name: &str, url: &str, more: &Value) {
    let mut put = json!({
        "kind": "billing", "amounts": "minor", "baseUrl": url, "secret": SECRET,
        "allow": ["POST /invoices/{id}/void"],
    });
    merges(&mut put, more);
    let ada = world.api.sign_in("ada").await;
    let path = format!("/api/concierge/connections/{name}");
    ada.puts(&path, put).await;
}

/// Executes the voiding of an invoice in a system. Returns the session.
async fn executes(world: &Concierge, system: &str, invoice: &str) -> (Value, String) {
    let entities = [("invoice", invoice), ("system", system)];
    let alert = world
        .alert("invoice_duplicated", &entities)
        .await;
    let session = world.opened(&alert).await;
    let action = world.proposed(&session).await.remove(0);
    world
        .executes(&session, &[&action])
        .await
        .expect(202);
    (session, action)
}

/// The session's status and its action's error, if it has ended.
async fn voids(world: &Concierge, system: &str, invoice: &str) -> (String, Option<(bool, String)>) {
    let (session, action) = executes(world, system, invoice).await;
    world.takes_messages().await;
    world.runs(&session, &action).await;
    let (status, mut results) = world.outcome(&session).await;
    (status, results.pop())
}

#[tokio::test]
async fn an_errors_code_is_read_where_the_connection_says() {
    let world = world().await;
    let void_before = || async {
        let body = json!({"code": 409, "error": {"code": "already_void"}});
        (StatusCode::CONFLICT, Json(body))
    };
    let url = serve(Router::new().fallback(void_before)).await;
    connects(&world, "nested", &url, &json!({"errorCode": "/error/code"})).await;
    connects(&world, "flat", &url, &json!({})).await;
    assert_eq!(voids(&world, "nested", "1").await.0, "completed");
    let (status, result) = voids(&world, "flat", "2").await;
    assert_eq!((status.as_str(), result.unwrap().0), ("failed", false));
}

/// The number of calls with each key.
type Calls = Arc<Mutex<HashMap<String, usize>>>;

/// A system that gives no clear answer to a first call, and to a repeated one a refusal.
async fn refuses_repeats(calls: Calls, marked: bool) -> String {
    let handler = move |State(calls): State<Calls>, headers: HeaderMap| async move {
        let key = headers["idempotency-key"]
            .to_str()
            .unwrap()
            .to_owned();
        let mut calls = calls.lock().unwrap();
        let count = calls.entry(key).or_default();
        *count += 1;
        answer_of(*count, marked)
    };
    serve(
        Router::new()
            .fallback(handler)
            .with_state(calls),
    )
    .await
}

fn answer_of(count: usize, marked: bool) -> Response {
    if count == 1 {
        return StatusCode::BAD_GATEWAY.into_response();
    }
    let answer = (StatusCode::CONFLICT, Json(json!({"code": "key_used"})));
    if marked {
        ([("replayed", "yes")], answer).into_response()
    } else {
        answer.into_response()
    }
}

#[tokio::test]
async fn a_refused_repeat_means_what_the_connection_says_of_repeats() {
    let keys = |more: &Value| {
        let mut keys = json!({"in": "header", "name": "Idempotency-Key"});
        merges(&mut keys, more);
        json!({ "idempotency": keys })
    };
    let replayed = json!({"replays": "all", "replayedHeader": "Replayed"});
    let no_replays = json!({"replays": "none"});
    for (put, marked, ends) in [
        // The marked answer is the first call's own: refused for certain.
        (&replayed, true, "answered 409."),
        // Every later repeat would be refused, too.
        (&no_replays, false, "may have been done"),
    ] {
        let world = world().await;
        let calls = Calls::default();
        let url = refuses_repeats(Arc::clone(&calls), marked).await;
        connects(&world, "system", &url, &keys(put)).await;
        let (_, result) = voids(&world, "system", "1").await;
        let (success, error) = result.unwrap();
        assert!(!success && error.contains(ends), "{error}");
        let calls = calls.lock().unwrap();
        assert_eq!(calls.values().collect::<Vec<_>>(), [&2], "{ends}");
    }
}
