//! Failures around the functions, and their answers to clients.

use axum::routing::get;
use serde_json::{Value, json};
use shared::{
    App,
    clock::Clock,
    model::{ServiceStatus, Timestamp},
    store::Past,
};
use tests::{
    records,
    support::{
        Api, Caller, Concierge, Counter, Fault, Gateway, Requests, Settings, api_config, client,
    },
};
use tokio::time::{Duration, Instant};

/// A caller of functions with a table at an address, and a cookie that verifies.
fn caller_of_table_at(url: &str) -> Caller {
    caller_with_time(url, 0)
}

/// Like the one above, with functions that are ended after so many milliseconds, or never.
fn caller_with_time(url: &str, milliseconds: u64) -> Caller {
    let clock = Clock::fixed(Timestamp::from_millis(0));
    let app = App::new(client(url, &Counter::default()), &api_config("gone"), clock);
    let cookie = format!("connect.sid={}", app.cookie.sign("1-1-0-secret"));
    let milestones = shared::serve::router(milestones::routes(), app.clone(), &app);
    let gateway = Gateway::new([("milestones", milestones)]).ending_at(milliseconds);
    Caller::of(gateway).with_cookie(cookie)
}

#[tokio::test]
async fn a_refused_connection_is_a_503_that_says_when_to_come_back() {
    let closed = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", closed.local_addr().unwrap());
    drop(closed);
    let answer = caller_of_table_at(&url).get("/api/milestones/1").await;
    answer.expect_problem(503, "unavailable");
    assert_eq!(answer.header("retry-after"), Some("1"));
}

/// The clock of the runtime jumps whenever nothing else is left to do, so that the bound is
/// measured without waiting for it.
#[tokio::test(start_paused = true)]
async fn a_table_that_hangs_is_a_503_within_five_seconds() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let start = Instant::now();
    let answer = caller_of_table_at(&url).get("/api/milestones/1").await;
    answer.expect_problem(503, "unavailable");
    assert!(
        start.elapsed() < Duration::from_secs(5),
        "{:?}",
        start.elapsed()
    );
}

#[tokio::test(start_paused = true)]
async fn a_function_answers_before_it_is_ended() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let start = Instant::now();
    let caller = caller_with_time(&url, 3_000);
    let answer = caller.get("/api/milestones/1").await;
    answer.expect_problem(503, "unavailable");
    assert_eq!(answer.header("retry-after"), Some("1"));
    let took = start.elapsed();
    assert!(took <= Duration::from_secs(2), "{took:?}");
}

#[tokio::test]
async fn a_target_that_is_no_url_is_a_400() {
    let (_, [ada]) = Api::signed_in(["ada"]).await;
    for target in [
        "/api/tasks?status=\"done\"",
        "/api/tasks?status=<b>",
        "/api/tasks?status=a b",
        "/api/tasks?status=\u{1}",
        "/api/tasks/1?\u{7f}",
    ] {
        let answer = ada.get(target).await;
        let problem = answer.expect_problem(400, "validation_error");
        assert_eq!(problem["errors"][0]["code"], "encoding", "{target}");
        let path = target.split('?').next();
        assert_eq!(problem["instance"].as_str(), path, "{target}");
    }
    // In a path the gateway may have decoded what was escaped.
    for path in [
        "/api/tasks/\"1\"",
        "/api/tasks/<1>",
        "/api/tasks/a b",
        "/api/tasks/ä",
    ] {
        ada.get(path).await.expect_problem(404, "not_found");
    }
}

#[tokio::test]
async fn cookies_of_others_do_not_hide_the_session() {
    let (_, [ada]) = Api::signed_in(["ada"]).await;
    for other in ["name=Zoë", "name=\u{1}", "\u{7f}", "a=b\nc"] {
        let own = ada.cookie.as_deref().unwrap();
        let session = ada.clone().with_cookie(format!("{other}; {own}"));
        session.get("/api/auth/session").await.expect(200);
    }
}

#[tokio::test]
async fn a_panic_is_a_clean_500_with_a_request_id() {
    let api = Api::start().await;
    let routes = shared::http::Routes::<App>::new("none", []).page(
        "/api/milestones/{id}",
        get(async || -> String { panic!("the secret of the handler") }),
    );
    let broken = shared::serve::router(routes, api.app.clone(), &api.app);
    let caller = Caller::of(Gateway::new([("milestones", broken)]));
    let answer = caller.get("/api/milestones/1").await;
    let problem = answer.expect_problem(500, "internal_error");
    assert_eq!(problem["requestId"], answer.header("x-request-id").unwrap());
    assert!(!answer.text.contains("secret"));
}

#[tokio::test]
async fn a_record_that_does_not_read_is_a_500_without_its_reason() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    let key = |value: &str| aws_sdk_dynamodb::types::AttributeValue::S(value.to_owned());
    api.client
        .put_item()
        .table_name(&api.table)
        .item("pk", key("ORG#1#MILESTONE"))
        .item("sk", key("0000000000000001"))
        .item("title", aws_sdk_dynamodb::types::AttributeValue::Bool(true))
        .send()
        .await
        .unwrap();
    let answer = max.get("/api/milestones/1").await;
    answer.expect_problem(500, "internal_error");
    assert!(
        !answer.text.contains("title\":true") && !answer.text.contains("expected"),
        "{}",
        answer.text
    );
}

#[tokio::test]
async fn a_lost_answer_to_a_create_creates_once() {
    let (_, faults, [max]) = Api::behind_faults(["max"]).await;
    for create in ["PutItem", "TransactWriteItems"] {
        faults.next(create, Fault::LostAnswer);
    }
    max.records_activity(json!({})).await;
    max.creates_milestone(json!({})).await;
    assert!(faults.are_over());
    assert_eq!(max.get("/api/activities").await.ids(), [1]);
    assert_eq!(max.get("/api/projects/1/milestones").await.ids(), [1]);
}

#[tokio::test]
async fn a_lost_answer_to_a_change_is_no_conflict() {
    let (_, faults, [max]) = Api::behind_faults(["max"]).await;
    max.creates_milestone(json!({})).await;
    max.records_activity(json!({})).await;
    for change in ["PutItem", "TransactWriteItems"] {
        faults.next(change, Fault::LostAnswer);
    }
    max.put("/api/milestones/1", json!({"title": "Renamed"}))
        .await
        .expect(200);
    let renamed = json!({"description": "Renamed"});
    max.patch("/api/activities/1", renamed).await.expect(200);
    assert!(faults.are_over());
    let read = max.get("/api/milestones/1").await.expect(200);
    assert_eq!(read["title"], "Renamed");
}

#[tokio::test]
async fn a_change_that_others_outrun_again_and_again_is_a_conflict() {
    let (api, faults, [max]) = Api::behind_faults(["max"]).await;
    max.creates_milestone(json!({})).await;
    let phase = max.creates("/api/projects/1/phases", json!({"title": "Draft"}));
    let phase = phase.await;
    max.creates_task(json!({"phaseId": phase})).await;
    api.has_ticket(records::ticket()).await;
    let pending = Past {
        status: ServiceStatus::Pending,
        ..Past::default()
    };
    let request = records::service_request();
    let requests = api.store.service_requests();
    let request = requests.create_with(api.home.id, max.user.unwrap(), request, pending);
    let comments = format!(
        "/api/service-requests/{}/comments",
        request.await.unwrap().id
    );
    let reply = "/api/managed-services/ticket/1/reply";
    let (title, content) = (json!({"title": "Renamed"}), json!({"content": "Hello?"}));
    #[rustfmt::skip] // A line each.
    let cases = [
        ("PUT", "/api/milestones/1", &title, "TransactWriteItems"),
        ("PATCH", "/api/tasks/1", &title, "TransactWriteItems"),
        ("PATCH", "/api/tasks/1/phase", &json!({"phaseId": null}), "TransactWriteItems"),
        ("PATCH", "/api/managed-services/ticket/1", &title, "TransactWriteItems"),
        ("PATCH", "/api/service-requests/1", &title, "TransactWriteItems"),
        ("POST", reply, &content, "TransactWriteItems"),
        // The creator's comment reopens the request.
        ("POST", &comments, &content, "TransactWriteItems"),
    ];
    for (method, path, body, write) in cases {
        faults.outrun(write);
        let answer = max.send(method, path, Some(body.to_string())).await;
        answer.expect_problem(409, "concurrent_change");
        assert!(faults.are_over(), "{method} {path}");
    }
}

#[tokio::test]
async fn a_session_that_others_outrun_again_and_again_is_a_conflict() {
    let (settings, faults) = Settings::behind_faults().await;
    let world = Concierge::start_in(settings).await;
    let alert = world.alert("usage_batch_stuck", &[("usage_batch", "ub_1001")]);
    let alert = format!("/api/concierge/alerts/{}/agent-session", alert.await.id);
    let outrun = async |operation, path: &str, body| {
        faults.outrun(operation);
        let answer = world.max.send("POST", path, body).await;
        answer.expect_problem(409, "concurrent_change");
        assert!(faults.are_over(), "{path}");
    };
    outrun("TransactWriteItems", &alert, None).await;
    let session = world.stuck_batch().await;
    let path = format!("/api/concierge/agent-sessions/{session}");
    let ids = world.proposed(&session).await;
    let body = json!({"actionIds": [ids[0]]}).to_string();
    let execute = format!("{path}/execute");
    outrun("TransactWriteItems", &execute, Some(body)).await;
    outrun("TransactWriteItems", &format!("{path}/cancel"), None).await;
}

#[tokio::test]
async fn a_lost_answer_to_a_delete_is_no_404() {
    let (_, faults, [max]) = Api::behind_faults(["max"]).await;
    max.creates_milestone(json!({})).await;
    faults.next("TransactWriteItems", Fault::LostAnswer);
    max.delete("/api/milestones/1").await.expect(204);
    assert!(faults.are_over());
}

#[tokio::test]
async fn conflicting_transactions_are_tried_again() {
    let (_, faults, [max]) = Api::behind_faults(["max"]).await;
    max.creates_milestone(json!({})).await;
    for _ in 0..3 {
        faults.next("TransactWriteItems", Fault::Conflict);
    }
    max.delete("/api/milestones/1").await.expect(204);
    assert!(faults.are_over());
}

#[tokio::test]
async fn a_transaction_that_never_gets_through_is_a_503_and_writes_nothing() {
    let (_, faults, [max]) = Api::behind_faults(["max"]).await;
    max.creates_milestone(json!({})).await;
    for _ in 0..8 {
        faults.next("TransactWriteItems", Fault::Conflict);
    }
    max.delete("/api/milestones/1")
        .await
        .expect_problem(503, "unavailable");
    assert!(faults.are_over());
    max.get("/api/milestones/1").await.expect(200);
}

#[tokio::test]
async fn a_transaction_that_is_refused_is_not_tried_again() {
    let (api, faults, [max]) = Api::behind_faults(["max"]).await;
    max.creates_milestone(json!({})).await;
    let rename = |title| max.put("/api/milestones/1", json!({"title": title}));
    api.counter.take();
    rename("Once").await.expect(200);
    let usual = api.counter.take().total;
    faults.begin(Requests::Of("TransactWriteItems"), Fault::Denied);
    let denied = rename("Twice").await;
    denied.expect_problem(500, "internal_error");
    assert_eq!(api.counter.take().total, usual);
}

#[tokio::test]
async fn a_throttled_table_is_asked_again() {
    let (_, faults, [max]) = Api::behind_faults(["max"]).await;
    max.creates_milestone(json!({})).await;
    faults.next("BatchGetItem", Fault::Throttled);
    faults.next("TransactWriteItems", Fault::Throttled);
    let renamed = json!({"title": "Renamed"});
    max.put("/api/milestones/1", renamed).await.expect(200);
    assert!(faults.are_over());
}

#[tokio::test]
async fn keys_that_a_batch_left_unread_are_asked_for_again() {
    let (_, faults, [max]) = Api::behind_faults(["max"]).await;
    faults.next("BatchGetItem", Fault::OneKeyRead);
    max.get("/api/auth/session").await.expect(200);
    assert!(faults.are_over());
}

#[tokio::test]
async fn a_table_that_reads_no_key_of_a_batch_is_a_503() {
    let (_, faults, [max]) = Api::behind_faults(["max"]).await;
    faults.begin(Requests::Of("BatchGetItem"), Fault::NoKeyRead);
    let answer = max.get("/api/auth/session").await;
    answer.expect_problem(503, "unavailable");
    faults.end();
    max.get("/api/auth/session").await.expect(200);
}

#[tokio::test]
async fn bodies_that_are_no_json_object_are_refused_without_a_write() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    let deep = format!(
        "{{\"title\": {}{}}}",
        "[".repeat(10_000),
        "]".repeat(10_000)
    );
    for (body, code) in [
        ("", "json"),
        ("{", "json"),
        ("{\"title\": \"\\ud800\"}", "json"),
        ("[]", "type"),
        ("null", "type"),
        ("\"x\"", "type"),
        (deep.as_str(), "json"),
    ] {
        let answer = max
            .send("POST", "/api/milestones", Some(body.to_owned()))
            .await;
        answer.expect_faults(&[("", code)]);
    }
    assert_eq!(
        api.counter.take().total,
        7,
        "authentication, and nothing else"
    );
}

#[tokio::test]
async fn a_body_over_256_kib_is_a_413() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    let body = json!({"title": "x", "projectId": 1, "description": "x".repeat(300 * 1024)});
    max.post("/api/milestones", body)
        .await
        .expect_problem(413, "body_too_large");
    let padding = "x".repeat(255 * 1024);
    let body = json!({"title": "x", "projectId": 1, "unknown": padding});
    max.post("/api/milestones", body).await.expect(200);
}

#[tokio::test]
async fn a_body_that_is_not_declared_as_json_is_a_415() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    let body: Value = json!({"title": "x", "projectId": 1});
    for declared in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/jsonp",
        "",
    ] {
        let caller = max.clone().with_header("content-type", declared);
        let answer = caller.post("/api/milestones", body.clone()).await;
        answer.expect_problem(415, "unsupported_media_type");
    }
    for declared in [
        "application/json; charset=utf-8",
        "Application/JSON",
        "application/merge-patch+json",
    ] {
        let caller = max.clone().with_header("content-type", declared);
        caller
            .post("/api/milestones", body.clone())
            .await
            .expect(200);
    }
}

#[tokio::test]
async fn an_unknown_query_parameter_is_a_400() {
    let (_, [vic]) = Api::signed_in(["vic"]).await;
    vic.get("/api/projects/1/milestones?limt=5&x")
        .await
        .expect_faults(&[("?limt", "unknown_parameter"), ("?x", "unknown_parameter")]);
}

#[tokio::test]
async fn ids_are_unique_while_many_create_at_once() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    let second = max.clone().before(api.other_instances().await);
    let mut creates = Vec::new();
    for at in 0..40 {
        let caller = if at % 2 == 0 {
            max.clone()
        } else {
            second.clone()
        };
        creates.push(tokio::spawn(async move {
            let body = json!({"title": "x", "projectId": 1});
            caller.post("/api/milestones", body).await.expect(200)["id"]
                .as_i64()
                .unwrap()
        }));
    }
    let mut ids = Vec::new();
    for create in creates {
        ids.push(create.await.unwrap());
    }
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 40);
    let listed = max.get("/api/projects/1/milestones").await.ids();
    assert_eq!(listed.len(), 40);
}
