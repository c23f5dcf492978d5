//! The versions of records: in answers, and as preconditions of writes.

use serde_json::{Value, json};
use tests::support::{Api, Request, World, refused, shows};

#[tokio::test]
async fn every_answer_with_a_record_names_its_version() {
    let world = World::start().await;
    let mut named = 0;
    for request in world.requests() {
        let answer = world.sends(&request).await;
        let name = request.operation();
        let status = answer.status.to_string();
        let headers = &request.described().described["responses"][status]["headers"];
        let version = version(&serde_json::from_str(&answer.text).unwrap_or_default());
        if headers["ETag"].is_null() {
            assert_eq!(answer.header("etag"), None, "{name}");
            continue;
        }
        let tag = answer.header("etag");
        assert!(tag.is_some(), "{name} names none");
        // An answer without a body names the version alone.
        let version = version.filter(|_| answer.status != 204);
        let expected = version.map(|version| format!("\"{version}\""));
        assert_eq!(tag, expected.as_deref().or(tag), "{name}");
        named += 1;
    }
    assert!(named >= 35, "{named}");
}

/// The version of a record, from the record, or from the ticket that its messages are answered
/// with.
fn version(answer: &Value) -> Option<i64> {
    let of = |value: &Value| value["version"].as_i64();
    of(answer).or_else(|| of(&answer["ticket"]))
}

/// Returns whether an operation writes a record: the one of its path, or the policy, which is the
/// only one of its organization. A move and a tag are writes of their record, too.
fn writes_a_record(request: &Request) -> bool {
    let path = request.template.as_str();
    match request.method.as_str() {
        "PATCH" | "PUT" | "DELETE" => path.contains('{') || path == "/api/concierge/policy",
        "POST" => path.ends_with("/move") || path.ends_with("}/tags"),
        _ => false,
    }
}

#[tokio::test]
async fn every_unsafe_operation_judges_both_conditions_or_refuses_them() {
    let world = World::start().await;
    let mut counted = 0;
    let mut refused = 0;
    for request in world.requests() {
        if request.method == "GET" {
            continue;
        }
        let name = request.operation();
        let judges = writes_a_record(&request);
        let caller = world.caller_of(&request).await;
        if name == "PUT /api/concierge/policy" {
            // Before its first write, it is none.
            request.succeeds(&caller).await;
        }
        let before = world.api().records().await;
        for (header, stale) in [
            ("If-Match", "\"999\""),
            ("If-Match", "\"a,b\", \"999\","),
            ("If-Match", "W/\"999\""),
            ("If-Match", "\"\""),
            ("If-None-Match", "*"),
        ] {
            let described = request
                .described()
                .parameter(header)
                .is_some();
            assert_eq!(described, judges, "{name}");
            let answer = request
                .by(&caller
                    .clone()
                    .with_header(header, stale))
                .await;
            if judges {
                answer.expect_problem(412, "precondition_failed");
                counted += 1;
            } else {
                answer.expect_faults(&[(header, "unknown_parameter")]);
                refused += 1;
            }
        }
        if judges {
            for (header, malformed) in [("If-Match", "1"), ("If-None-Match", "7")] {
                let answer = request
                    .by(&caller
                        .clone()
                        .with_header(header, malformed))
                    .await;
                answer.expect_faults(&[(header, "pattern")]);
            }
        }
        assert_eq!(before, world.api().records().await, "{name}");
        if !judges {
            continue;
        }
        // Any version is meant, and the one that it has is not excluded.
        let other = caller
            .clone()
            .with_header("if-match", "*");
        let other = other.with_header("if-none-match", "\"999\", \"x\"");
        let done = request.succeeds(&other).await;
        if let Some(tag) = done
            .header("etag")
            .filter(|_| request.method != "DELETE")
        {
            let same = caller
                .clone()
                .with_header("if-none-match", tag);
            refused!(request.by(&same).await => 412, "precondition_failed");
        }
    }
    assert!(counted >= 120 && refused >= 160, "{counted} {refused}");
}

#[tokio::test]
async fn one_of_two_who_create_a_connection_is_told() {
    let api = tests::support::Concierge::start().await;
    let ada = api.api.sign_in("ada").await;
    let only_new = ada
        .clone()
        .with_header("if-none-match", "*");
    let put = |path: &'static str| json!({"kind": "billing", "baseUrl": api.demo.url(), "allow": [format!("GET {path}")]});
    let path = "/api/concierge/connections/stripe";
    let (first, second) =
        tokio::join!(only_new.put(path, put("/a")), only_new.put(path, put("/b")));
    let mut statuses = [first.status, second.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 412], "{} {}", first.text, second.text);
    let won = if first.status == 200 { first } else { second };
    assert_eq!(ada.reads(path).await["allow"], won.expect(200)["allow"]);
    refused!(only_new.put(path, put("/c")).await => 412, "precondition_failed");
    let absent = ada.clone().with_header("if-match", "*");
    refused!(absent.put("/api/concierge/connections/none", put("/a")).await => 404, "not_found");
}

#[tokio::test]
async fn a_read_knows_all_forms_of_a_tag() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    max.creates_task(json!({})).await;
    for (condition, status) in [
        ("\"1\"", 304),
        ("W/\"1\"", 304),
        ("\"a,b\", \"1\"", 304),
        ("\"1\",", 304),
        (" , \"0\",,\"1\" ", 304),
        ("*", 304),
        ("\"01\"", 200),
        ("\"2\"", 200),
        ("1", 200),
    ] {
        let under = max
            .clone()
            .with_header("if-none-match", condition);
        for method in ["GET", "HEAD"] {
            let answer = under
                .send(method, "/api/tasks/1", None)
                .await;
            assert_eq!(answer.status, status, "{method} {condition}");
            assert_eq!(answer.header("etag"), Some("\"1\""), "{method} {condition}");
        }
    }
}

#[tokio::test]
async fn one_of_two_changes_of_a_version_is_refused() {
    let (_, [max, mia]) = Api::signed_in(["max", "mia"]).await;
    max.creates_task(json!({})).await;
    let read = mia.get("/api/tasks/1").await;
    let tag = read.header("etag").unwrap().to_owned();
    let under = |caller: &tests::support::Caller| {
        caller
            .clone()
            .with_header("if-match", &tag)
    };
    let of_max = under(&max);
    let of_mia = under(&mia);
    let (first, second) = tokio::join!(
        of_max.patch("/api/tasks/1", json!({"title": "One"})),
        of_mia.patch("/api/tasks/1", json!({"title": "Other"})),
    );
    let mut statuses = [first.status, second.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 412]);
    let won = if first.status == 200 { &first } else { &second };
    let now = max.get("/api/tasks/1").await;
    assert_eq!(now.header("etag"), won.header("etag"));
    assert_eq!(now.expect(200)["title"], won.expect(200)["title"]);
    let newest = now.header("etag").unwrap();
    let again = mia
        .clone()
        .with_header("if-match", newest);
    let again = again
        .patch("/api/tasks/1", json!({"title": "Again"}))
        .await;
    again.expect(200);
}

#[tokio::test]
async fn a_tag_that_a_proxy_made_weak_names_the_same_version() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    max.creates_task(json!({})).await;
    let read = max.get("/api/tasks/1").await;
    let weak = format!("W/{}", read.header("etag").unwrap());
    let under = max.with_header("if-match", &weak);
    let first = under
        .patch("/api/tasks/1", json!({"title": "One"}))
        .await;
    first.expect(200);
    let stale = under
        .patch("/api/tasks/1", json!({"title": "Two"}))
        .await;
    stale.expect_problem(412, "precondition_failed");
}

#[tokio::test]
async fn two_who_change_different_fields_lose_nothing() {
    let (_, [max, mia]) = Api::signed_in(["max", "mia"]).await;
    max.creates_task(json!({})).await;
    for round in 0..8 {
        let title = format!("Title {round}");
        let description = format!("Text {round}");
        let (first, second) = tokio::join!(
            max.patch("/api/tasks/1", json!({"title": title})),
            mia.patch("/api/tasks/1", json!({"description": description})),
        );
        first.expect(200);
        second.expect(200);
        shows!(max.reads("/api/tasks/1").await, {"title": title, "description": description});
    }
}

#[tokio::test]
async fn an_absent_record_is_404_under_any_version() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    for tag in ["*", "\"1\""] {
        let max = max.clone().with_header("if-match", tag);
        refused!(max.patch("/api/tasks/99", json!({"title": "x"})).await => 404, "not_found");
        refused!(max.delete("/api/tasks/99").await => 404, "not_found");
    }
}
