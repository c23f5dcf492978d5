//! Failures around the functions, and their answers to clients.

use std::{collections::BTreeSet, net::SocketAddr};

use axum::routing::get;
use futures::future::join_all;
use serde_json::json;
use shared::{
    App,
    clock::Clock,
    model::{
        base::{Timestamp, span},
        work::ServiceStatus,
    },
    store::work::Past,
};
use tests::{
    records,
    support::{
        Api, Caller, Concierge, Counter, Fault, Gateway, Requests, Settings, api_config, client,
        patches, puts, refused,
    },
};
use tokio::{
    net::TcpListener,
    time::{Duration, Instant},
};

/// Reads a milestone of a table at an address, with a cookie that verifies. The function is ended
/// after so many milliseconds, or never. Returns the time that it took to be unavailable.
async fn unavailable(table: SocketAddr, milliseconds: u64) -> Duration {
    let clock = Clock::fixed(Timestamp::from_millis(0));
    let client = client(&format!("http://{table}"), &Counter::default());
    let app = App::new(client, &api_config("gone"), clock);
    let cookie = format!("connect.sid={}", app.cookie.sign("1-1-0-secret"));
    let milestones = shared::serve::router(milestones::routes(), app.clone(), &app);
    let gateway = Gateway::new([("milestones", milestones)]).ending_at(milliseconds);
    let caller = Caller::of(gateway).with_cookie(cookie);
    let start = Instant::now();
    let answer = caller.get("/api/milestones/1").await;
    answer.expect_problem(503, "unavailable");
    assert_eq!(answer.header("retry-after"), Some("1"));
    start.elapsed()
}

#[tokio::test]
async fn a_refused_connection_is_a_503_that_says_when_to_come_back() {
    let closed = TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap();
    let address = closed.local_addr().unwrap();
    drop(closed);
    unavailable(address, 0).await;
}

/// The clock of the runtime jumps whenever nothing else is left to do, so that the bounds are
/// measured without waiting for them.
#[tokio::test(start_paused = true)]
async fn a_table_that_hangs_is_a_503_in_time() {
    let silent = TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap();
    let address = silent.local_addr().unwrap();
    let took = unavailable(address, 0).await;
    assert!(took < Duration::from_secs(5), "{took:?}");
    // Before the function is ended.
    let took = unavailable(address, 3_000).await;
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
        ada.get(path)
            .await
            .expect_problem(404, "not_found");
    }
}

#[tokio::test]
async fn cookies_of_others_do_not_hide_the_session() {
    let (_, [ada]) = Api::signed_in(["ada"]).await;
    for other in ["name=Zoë", "name=\u{1}", "\u{7f}", "a=b\nc"] {
        let own = ada.cookie.as_deref().unwrap();
        let session = ada
            .clone()
            .with_cookie(format!("{other}; {own}"));
        session.reads("/api/auth/session").await;
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
    let milestone = json!({"pk": "ORG#1#MILESTONE", "sk": format!("{:016}", 1), "title": true});
    api.puts([serde_dynamo::to_item(milestone).unwrap()])
        .await;
    let answer = max.get("/api/milestones/1").await;
    answer.expect_problem(500, "internal_error");
    for reason in ["title\":true", "expected"] {
        assert!(!answer.text.contains(reason), "{}", answer.text);
    }
}

/// Of a create, a change and a delete: it is done once, and neither a conflict nor a 404.
#[tokio::test]
async fn a_lost_answer_does_nothing_twice() {
    let (_, faults, [max]) = Api::behind_faults(["max"]).await;
    let lose_answers = || {
        for write in ["PutItem", "TransactWriteItems"] {
            faults.next(write, Fault::LostAnswer);
        }
    };
    lose_answers();
    max.records_activity(json!({})).await;
    max.creates_milestone(json!({})).await;
    assert!(faults.are_over());
    assert_eq!(max.get("/api/activities").await.ids(), [1]);
    assert_eq!(
        max.get("/api/projects/1/milestones")
            .await
            .ids(),
        [1]
    );
    lose_answers();
    puts!(max, "/api/milestones/1", {"title": "Renamed"});
    patches!(max, "/api/activities/1", {"description": "Renamed"});
    assert!(faults.are_over());
    assert_eq!(max.reads("/api/milestones/1").await["title"], "Renamed");
    faults.next("TransactWriteItems", Fault::LostAnswer);
    max.deletes("/api/milestones/1").await;
    assert!(faults.are_over());
}

#[tokio::test]
async fn a_change_that_others_outrun_again_and_again_is_a_conflict() {
    let (api, faults, [max]) = Api::behind_faults(["max"]).await;
    max.creates_milestone(json!({})).await;
    let phase = max.creates("/api/projects/1/phases", json!({"title": "Draft"}));
    let phase = phase.await;
    max.creates_task(json!({"phaseId": phase}))
        .await;
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
    let title = json!({"title": "Renamed"});
    let content = json!({"content": "Hello?"});
    let cases = [
        ("PUT", "/api/milestones/1", &title),
        ("PATCH", "/api/tasks/1", &title),
        ("PATCH", "/api/tasks/1/phase", &json!({"phaseId": null})),
        ("PATCH", "/api/managed-services/ticket/1", &title),
        ("PATCH", "/api/service-requests/1", &title),
        ("POST", "/api/managed-services/ticket/1/reply", &content),
        // The creator's comment reopens the request.
        ("POST", &comments, &content),
    ];
    for (method, path, body) in cases {
        faults.outrun("TransactWriteItems");
        refused!(max.send(method, path, Some(body.to_string())).await => 409, "concurrent_change");
        assert!(faults.are_over(), "{method} {path}");
    }
}

#[tokio::test]
async fn a_session_that_others_outrun_again_and_again_is_a_conflict() {
    let (settings, faults) = Settings::behind_faults().await;
    let world = Concierge::start_in(settings).await;
    let alert = world.alert("usage_batch_stuck", &[("usage_batch", "ub_1001")]);
    let session_path = format!("/api/concierge/alerts/{}/agent-session", alert.await.id);
    let outrun = async |path: &str, body| {
        faults.outrun("TransactWriteItems");
        refused!(world.max.send("POST", path, body).await => 409, "concurrent_change");
        assert!(faults.are_over(), "{path}");
    };
    outrun(&session_path, None).await;
    let session = world.stuck_batch().await;
    let path = format!("/api/concierge/agent-sessions/{session}");
    let body = json!({"actionIds": [world.proposed(&session).await[0]]}).to_string();
    outrun(&format!("{path}/execute"), Some(body)).await;
    outrun(&format!("{path}/cancel"), None).await;
}

/// One that never gets through is a 503, and writes nothing.
#[tokio::test]
async fn conflicting_transactions_are_tried_again() {
    let (_, faults, [max]) = Api::behind_faults(["max"]).await;
    max.creates_milestone(json!({})).await;
    for conflicts in [8, 3] {
        for _ in 0..conflicts {
            faults.next("TransactWriteItems", Fault::Conflict);
        }
        let answer = max.delete("/api/milestones/1").await;
        assert!(faults.are_over());
        if conflicts == 8 {
            answer.expect_problem(503, "unavailable");
            max.reads("/api/milestones/1").await;
        } else {
            answer.expect(204);
        }
    }
}

#[tokio::test]
async fn a_transaction_that_is_refused_is_not_tried_again() {
    let (api, faults, [max]) = Api::behind_faults(["max"]).await;
    max.creates_milestone(json!({})).await;
    // An instance that meets a project for the first time, by new rows, reads the scopes again.
    api.clock.advance(10 * span::SECOND);
    let rename = |title| max.put("/api/milestones/1", json!({"title": title}));
    api.counter.take();
    rename("Once").await.expect(200);
    let usual = api.counter.take().total;
    faults.begin(Requests::Of("TransactWriteItems"), Fault::Denied);
    rename("Twice")
        .await
        .expect_problem(500, "internal_error");
    assert_eq!(api.counter.take().total, usual);
}

#[tokio::test]
async fn a_throttled_table_is_asked_again() {
    let (_, faults, [max]) = Api::behind_faults(["max"]).await;
    max.creates_milestone(json!({})).await;
    faults.next("BatchGetItem", Fault::Throttled);
    faults.next("TransactWriteItems", Fault::Throttled);
    puts!(max, "/api/milestones/1", {"title": "Renamed"});
    assert!(faults.are_over());
}

#[tokio::test]
async fn keys_that_a_batch_left_unread_are_asked_for_again() {
    let (_, faults, [max]) = Api::behind_faults(["max"]).await;
    faults.next("BatchGetItem", Fault::OneKeyRead);
    max.reads("/api/auth/session").await;
    assert!(faults.are_over());
    // A table that never reads any is a 503.
    faults.begin(Requests::Of("BatchGetItem"), Fault::NoKeyRead);
    refused!(max.get("/api/auth/session").await => 503, "unavailable");
    faults.end();
    max.reads("/api/auth/session").await;
}

#[tokio::test]
async fn bodies_that_are_no_json_object_are_refused_without_a_write() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    let nested = "[".repeat(10_000) + &"]".repeat(10_000);
    let deep = format!("{{\"title\": {nested}}}");
    for (body, code) in [
        ("", "json"),
        ("{", "json"),
        ("{\"title\": \"\\ud800\"}", "json"),
        ("[]", "type"),
        ("null", "type"),
        ("\"x\"", "type"),
        (deep.as_str(), "json"),
    ] {
        let body = Some(body.to_owned());
        refused!(max.send("POST", "/api/milestones", body).await => [("", code)]);
    }
    // Authentication, and nothing else.
    assert_eq!(api.counter.take().total, 7);
}

#[tokio::test]
async fn a_body_over_256_kib_is_a_413() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    let body = json!({"title": "x", "projectId": 1, "description": "x".repeat(300 * 1024)});
    refused!(max.post("/api/milestones", body).await => 413, "body_too_large");
    let body = json!({"title": "x", "projectId": 1, "unknown": "x".repeat(255 * 1024)});
    max.posts("/api/milestones", body).await;
}

#[tokio::test]
async fn a_body_that_is_not_declared_as_json_is_a_415() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    for (declared, is_json) in [
        ("text/plain", false),
        ("application/x-www-form-urlencoded", false),
        ("application/jsonp", false),
        ("", false),
        ("application/json; charset=utf-8", true),
        ("Application/JSON", true),
        ("application/merge-patch+json", true),
    ] {
        let caller = max
            .clone()
            .with_header("content-type", declared);
        let body = json!({"title": "x", "projectId": 1});
        let answer = caller
            .post("/api/milestones", body)
            .await;
        if is_json {
            answer.expect(200);
        } else {
            answer.expect_problem(415, "unsupported_media_type");
        }
    }
}

#[tokio::test]
async fn an_unknown_query_parameter_is_a_400() {
    let (_, [vic]) = Api::signed_in(["vic"]).await;
    let answer = vic
        .get("/api/projects/1/milestones?limt=5&x")
        .await;
    answer.expect_faults(&[("?limt", "unknown_parameter"), ("?x", "unknown_parameter")]);
}

#[tokio::test]
async fn ids_are_unique_while_many_create_at_once() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    let second = max
        .clone()
        .before(api.other_instances().await);
    let callers = [&max, &second]
        .into_iter()
        .cycle()
        .take(40);
    let creates = callers.map(|caller| caller.creates_milestone(json!({})));
    let ids: BTreeSet<i64> = join_all(creates)
        .await
        .into_iter()
        .collect();
    assert_eq!(ids.len(), 40);
    assert_eq!(
        max.get("/api/projects/1/milestones")
            .await
            .ids()
            .len(),
        40
    );
}
