//! Systems that demand each way of being called. A call as demanded has its effect; any other is
//! refused.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use axum::{
    Json, Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode, Uri},
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};
use shared::agent::{
    action::{ActionType, AlreadyDone},
    session::ProposedAction,
};

use tests::support::{AgentSettings, Concierge, event, posting, proposing};

const SECRET: &str = "of-the-system";

/// A call as it arrived.
struct Sent {
    headers: HeaderMap,
    query: String,
    body: String,
}

impl Sent {
    fn header(&self, name: &str) -> &str {
        let value = self.headers.get(name).and_then(|value| value.to_str().ok());
        value.unwrap_or_default()
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }
}

/// A way of being called: what a connection has to say for it, and whether a call is of it.
struct Way {
    put: Value,
    is_met: fn(&Sent) -> bool,
}

fn way(put: Value, is_met: fn(&Sent) -> bool) -> Way {
    Way { put, is_met }
}

fn is_key(text: &str) -> bool {
    text.starts_with("wd-")
}

/// In each of these, a system demands one way and refuses the others.
fn ways() -> Vec<Vec<Way>> {
    let keys = |place: &str, name: &str| json!({"idempotency": {"in": place, "name": name}});
    let header = json!({"scheme": "header", "header": "X-Api-Key"});
    vec![
        vec![
            way(json!({"auth": {"scheme": "bearer"}}), |sent| {
                sent.header("authorization") == "Bearer of-the-system"
            }),
            // `bot:of-the-system` and `of-the-system:` in Base64.
            way(
                json!({"auth": {"scheme": "basic", "username": "bot"}}),
                |sent| sent.header("authorization") == "Basic Ym90Om9mLXRoZS1zeXN0ZW0=",
            ),
            way(json!({"auth": {"scheme": "basic"}}), |sent| {
                sent.header("authorization") == "Basic b2YtdGhlLXN5c3RlbTo="
            }),
            way(json!({ "auth": header }), |sent| {
                sent.header("x-api-key") == SECRET && sent.header("authorization").is_empty()
            }),
        ],
        vec![
            way(
                json!({"headers": [
                    {"name": "X-Tenant", "value": "halden"}, {"name": "Api-Version", "value": "2025-09-30"},
                ]}),
                |sent| {
                    sent.header("x-tenant") == "halden"
                        && sent.header("api-version") == "2025-09-30"
                },
            ),
            way(
                json!({"headers": [{"name": "X-Tenant", "value": "other"}]}),
                |sent| sent.header("x-tenant") == "other",
            ),
            way(json!({}), |sent| !sent.headers.contains_key("x-tenant")),
        ],
        vec![
            way(json!({"body": "json"}), |sent| {
                sent.header("content-type") == "application/json"
                    && sent.json() == json!({"reason": "twice", "lines": [{"id": 7}]})
            }),
            way(json!({"body": "form"}), |sent| {
                sent.header("content-type") == "application/x-www-form-urlencoded"
                    && ["reason=twice", "lines%5B0%5D%5Bid%5D=7"]
                        .iter()
                        .all(|pair| sent.body.split('&').any(|sent| sent == *pair))
            }),
        ],
        vec![
            way(keys("header", "X-Request-Id"), |sent| {
                is_key(sent.header("x-request-id"))
            }),
            way(keys("body", "requestId"), |sent| {
                sent.json()["requestId"].as_str().is_some_and(is_key)
            }),
            way(keys("query", "request_id"), |sent| {
                sent.query.strip_prefix("request_id=").is_some_and(is_key)
            }),
            way(json!({}), |sent| {
                sent.query.is_empty()
                    && !sent.body.contains("wd-")
                    && !sent.headers.contains_key("x-request-id")
            }),
        ],
    ]
}

/// Calls that took effect, by their paths.
type Effects = Arc<Mutex<Vec<String>>>;

/// Starts a system below `/{group}/{way}` for each of them. Returns their URL.
async fn systems(effects: Effects) -> String {
    let handler = |State(effects): State<Effects>, uri: Uri, headers: HeaderMap, body: Bytes| async move {
        let mut parts = uri.path().split('/').skip(1).map(str::parse::<usize>);
        let mut part = || parts.next().unwrap().unwrap();
        let demanded = &ways()[part()][part()];
        let sent = Sent {
            headers,
            query: uri.query().unwrap_or_default().to_owned(),
            body: String::from_utf8(body.into()).unwrap(),
        };
        if !(demanded.is_met)(&sent) {
            return (
                StatusCode::BAD_REQUEST,
                Json(json!({"code": "not_like_that"})),
            );
        }
        effects.lock().unwrap().push(uri.path().to_owned());
        (StatusCode::OK, Json(json!({"state": "void"})))
    };
    serve(Router::new().fallback(handler).with_state(effects)).await
}

async fn serve(routes: Router) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, routes).await.unwrap() });
    url
}

/// Voids the alert's invoice in the system that the alert names.
fn void(alert: &shared::agent::alert::Alert) -> ProposedAction {
    let invoice = &alert.entities[0].id;
    let body = json!({"reason": "twice", "lines": [{"id": 7}]});
    let path = format!("/invoices/{invoice}/void");
    let mut action = posting(
        ActionType::VoidInvoice,
        &alert.entities[1].id,
        &path,
        &body,
        invoice,
    );
    let call = action.content.steps[0].call.as_mut().unwrap();
    call.already_done = vec![AlreadyDone {
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
        "kind": "own", "baseUrl": url, "secret": SECRET,
        "allow": ["POST /invoices/{id}/void"],
    });
    for (field, value) in more.as_object().unwrap() {
        put[field] = value.clone();
    }
    let ada = world.api.sign_in("ada").await;
    let path = format!("/api/concierge/connections/{name}");
    ada.put(&path, put).await.expect(200);
}

/// Executes the voiding of an invoice in a system. Returns the session.
async fn executes(world: &Concierge, system: &str, invoice: &str) -> (Value, String) {
    let entities = [("invoice", invoice), ("system", system)];
    let session = world
        .opened(&world.alert("invoice_duplicated", &entities).await)
        .await;
    let action = world.proposed(&session).await.remove(0);
    world.executes(&session, &[&action]).await.expect(202);
    (session, action)
}

/// The session's status and its action's error, if it has ended.
async fn voids(world: &Concierge, system: &str, invoice: &str) -> (String, Option<(bool, String)>) {
    let (session, action) = executes(world, system, invoice).await;
    world.takes_messages().await;
    let message = world.message(&session, &action);
    world.worker().handle(event(&[(&message, 1)])).await;
    let (status, mut results) = world.outcome(&session).await;
    (status, results.pop())
}

#[tokio::test]
async fn a_call_as_demanded_takes_effect_and_any_other_is_refused() {
    let world = world().await;
    let effects = Effects::default();
    let url = systems(Arc::clone(&effects)).await;
    let mut expected = Vec::new();
    for (kind, ways) in ways().iter().enumerate() {
        for (sent, way) in ways.iter().enumerate() {
            for demanded in 0..ways.len() {
                let (system, invoice) = (format!("s{kind}_{sent}_{demanded}"), format!("{sent}"));
                let base = format!("{url}/{kind}/{demanded}");
                connects(&world, &system, &base, &way.put).await;
                let (status, result) = voids(&world, &system, &invoice).await;
                let (success, error) = result.unwrap();
                if sent == demanded {
                    assert_eq!(
                        (status.as_str(), error.as_str()),
                        ("completed", ""),
                        "{system}"
                    );
                    expected.push(format!("/{kind}/{demanded}/invoices/{invoice}/void"));
                } else {
                    assert!(!success && error.contains("400"), "{system}: {error}");
                }
            }
        }
    }
    assert_eq!(*effects.lock().unwrap(), expected);
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
        let key = headers["idempotency-key"].to_str().unwrap().to_owned();
        let mut calls = calls.lock().unwrap();
        let count = calls.entry(key).or_default();
        *count += 1;
        answer_of(*count, marked)
    };
    serve(Router::new().fallback(handler).with_state(calls)).await
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
    let keys = |more: Value| {
        let mut keys = json!({"in": "header", "name": "Idempotency-Key"});
        keys.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        json!({ "idempotency": keys })
    };
    let replayed = json!({"replays": "all", "replayedHeader": "Replayed"});
    // Of each: how it ends, and after how many calls.
    for (name, put, marked, ends, called) in [
        // It is the first call's own answer: refused for certain.
        (
            "replayed",
            keys(replayed.clone()),
            true,
            Some("answered 409."),
            2,
        ),
        // It says nothing of the first call, and a later one may.
        ("unmarked", keys(replayed), false, None, 3),
        ("all", keys(json!({"replays": "all"})), true, None, 3),
        // Every later one would be refused, too.
        (
            "none",
            keys(json!({"replays": "none"})),
            false,
            Some("may have been done"),
            2,
        ),
    ] {
        let world = world().await;
        let calls = Calls::default();
        let url = refuses_repeats(Arc::clone(&calls), marked).await;
        connects(&world, "system", &url, &put).await;
        let (status, result) = voids(&world, "system", "1").await;
        let calls: Vec<usize> = calls.lock().unwrap().values().copied().collect();
        assert_eq!(calls, [called], "{name}");
        match ends {
            Some(ends) => {
                let (success, error) = result.unwrap();
                assert!(!success && error.contains(ends), "{name}: {error}");
            }
            None => assert_eq!((status.as_str(), result), ("executing", None), "{name}"),
        }
    }
}
