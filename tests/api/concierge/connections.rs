//! `/api/concierge/connections` and the pause of all of them.

use serde_json::{Value, json};
use tests::{
    support::{AgentSettings, Api, Concierge, Item, Settings, budgets, event, shows, text_of},
    unwary,
};

const CONNECTIONS: &str = "/api/concierge/connections";
/// Milliseconds since the Unix epoch.
const NOON: i64 = 1_768_478_400_000;
const SECRET: &str = "sk_live_of-the-tests";
const BILLING: &str = "/api/concierge/connections/billing";

fn stripe() -> Value {
    json!({
        "kind": "stripe", "baseUrl": "https://api.example.com/v1", "secret": SECRET,
        "auth": {"scheme": "basic", "username": "bot"},
        "headers": [{"name": "Stripe-Version", "value": "2025-09-30"}],
        "body": "form",
        "idempotency": {
            "in": "header", "name": "Idempotency-Key", "replays": "all",
            "replayedHeader": "Idempotent-Replayed", "keptFor": "24h",
        },
        "allow": ["GET /balance", "POST /invoices/{id}/void"], "testPath": "/balance",
        "errorCode": "/error/code", "keep": ["state"],
        "limits": {"perSecond": 10, "concurrent": null},
    })
}

/// A stack as it is deployed.
async fn public() -> Api {
    let agent = AgentSettings {
        is_public: true,
        ..AgentSettings::default()
    };
    let settings = Settings {
        agent,
        ..Settings::default()
    };
    Api::start_with(settings).await
}

#[tokio::test]
async fn a_connection_is_what_was_put() {
    let api = public().await;
    let ada = api.sign_in("ada").await;
    let answer = ada.put(BILLING, stripe()).await;
    let operation = "PUT /api/concierge/connections/{name}";
    let put = budgets::within(&api, operation, 200, &answer);
    let mut expected = stripe();
    expected["auth"]["header"] = Value::Null;
    expected.as_object_mut().unwrap().remove("secret");
    for (name, value) in [
        ("name", json!("billing")),
        ("secretSetAt", json!("2026-01-15T12:00:00.000Z")),
        ("paused", json!(false)),
        ("revision", json!(NOON)),
        ("version", json!(1)),
        ("createdAt", json!("2026-01-15T12:00:00.000Z")),
        ("updatedAt", json!("2026-01-15T12:00:00.000Z")),
    ] {
        expected[name] = value;
    }
    assert_eq!(put, expected);
    let listed = ada.get(CONNECTIONS).await.expect(200);
    assert_eq!(listed, json!([expected]));
    expected["breaker"] = json!({"state": "closed", "unclearAnswers": 0, "openUntil": null});
    assert_eq!(ada.get(BILLING).await.expect(200), expected);
}

#[tokio::test]
async fn a_connection_is_replaced_as_a_whole() {
    let api = public().await;
    let ada = api.sign_in("ada").await;
    let first = ada.put(BILLING, stripe()).await;
    first.expect(200);
    api.clock.advance(1_000);
    let least = json!({
        "kind": "own", "baseUrl": "https://a.example.com", "secret": null, "allow": [],
    });
    let again = ada.put(BILLING, least).await.expect(200);
    shows!(again, {"version": 2, "revision": NOON + 1});
    assert_eq!(again["createdAt"], "2026-01-15T12:00:00.000Z");
    assert_eq!(again["updatedAt"], "2026-01-15T12:00:01.000Z");
    let usual = json!({"scheme": "bearer", "username": null, "header": null});
    shows!(again, {"auth": usual, "body": "json"});
    shows!(again, {"secretSetAt": null, "idempotency": null});
    shows!(again, {"errorCode": "/code", "keep": []});
    // Only under the version that was read, if one is named.
    let tag = first.header("etag").unwrap();
    let stale = ada.clone().with_header("if-match", tag);
    stale
        .put(BILLING, stripe())
        .await
        .expect_problem(412, "precondition_failed");
    stale
        .delete(BILLING)
        .await
        .expect_problem(412, "precondition_failed");
    let absent = stale
        .put(&format!("{CONNECTIONS}/payments"), stripe())
        .await;
    absent.expect_problem(404, "not_found");
}

#[tokio::test]
async fn a_secret_is_kept_until_another_is_sent_and_is_required_for_another_base_url() {
    let api = public().await;
    let ada = api.sign_in("ada").await;
    let first = ada.put(BILLING, stripe()).await.expect(200);
    let mut without = stripe();
    without.as_object_mut().unwrap().remove("secret");
    api.clock.advance(1_000);
    let kept = ada.put(BILLING, without.clone()).await.expect(200);
    assert_eq!(kept["secretSetAt"], first["secretSetAt"]);

    let mut elsewhere = without.clone();
    elsewhere["baseUrl"] = json!("https://api.example.com/v2");
    let before = api.table_dump().await;
    let refused = ada.put(BILLING, elsewhere.clone()).await;
    refused.expect_faults(&[("/secret", "required")]);
    assert_eq!(api.table_dump().await, before);
    elsewhere["secret"] = json!("of-the-other");
    let moved = ada.put(BILLING, elsewhere).await.expect(200);
    assert_eq!(moved["secretSetAt"], "2026-01-15T12:00:01.000Z");

    without["baseUrl"] = moved["baseUrl"].clone();
    without["secret"] = Value::Null;
    let removed = ada.put(BILLING, without).await.expect(200);
    assert_eq!(removed["secretSetAt"], Value::Null);
}

/// Wherever a connection shows, its secret does not: not even the table has its text.
#[tokio::test]
async fn a_secret_shows_nowhere() {
    let world = Concierge::start_unwary().await;
    let ada = world.api.sign_in("ada").await;
    let mut answers = Vec::new();
    let mut put = world.demo.connections()["billing"].clone();
    put["secret"] = json!(SECRET);
    answers.push(ada.put(BILLING, put.clone()).await.text);
    let mut wrong = put.clone();
    wrong["secret"] = json!(format!("{SECRET}\n"));
    answers.push(ada.put(BILLING, wrong).await.text);
    let (id, _) = world.approved_batch().await;
    world.delivers(&world.worker()).await;
    answers.push(ada.trigger(&format!("{BILLING}/test")).await.text);
    world.api.publishes(&mut world.api.stream().await).await;
    for path in [
        BILLING,
        CONNECTIONS,
        "/api/journal",
        "/api/concierge/journal",
        "/api/changes?cursor=first",
        &format!("/api/concierge/agent-sessions/{id}"),
        &format!("/api/concierge/agent-sessions/{id}/journal"),
    ] {
        answers.push(ada.get(path).await.text);
    }
    answers.extend(world.api.table_dump().await);
    let hidden = base64::Engine::encode(&base64::prelude::BASE64_STANDARD, SECRET);
    let shown = |text: &&String| text.contains(SECRET) || text.contains(&hidden);
    assert_eq!(answers.iter().find(shown), None);
    let journal = ada.get("/api/journal").await.text;
    assert!(journal.contains("secretSetAt"), "{journal}");
}

/// The key encrypts for one connection of one organization.
#[tokio::test]
async fn a_ciphertext_that_was_moved_to_another_connection_is_not_sent() {
    let world = Concierge::start().await;
    world
        .connects_for(world.api.abroad.id, "billing", json!({}))
        .await;
    let ciphertext_of = |own: &str, name: &str, items: &[Item]| {
        let mut items = items.iter();
        let item = items
            .find(|item| text_of(item, "pk").starts_with(own) && text_of(item, "name") == name);
        item.unwrap().clone()
    };
    let items = world.api.items_of("connection").await;
    let billing = ciphertext_of("ORG#1#", "billing", &items);
    let tests = [
        ("ORG#1#", "payments", world.api.sign_in("ada").await),
        ("ORG#2#", "billing", world.api.sign_in("zoe").await),
    ];
    for (own, name, admin) in tests {
        let test = format!("{CONNECTIONS}/{name}/test");
        let tested = admin.trigger(&test).await.expect(200);
        assert_eq!(tested["status"], 200, "{tested}");
        let mut stranger = ciphertext_of(own, name, &items);
        stranger.insert("secret".to_owned(), billing["secret"].clone());
        world.api.puts([stranger]).await;
        let tested = admin.trigger(&test).await.expect(200);
        assert_eq!(tested["status"], Value::Null, "{tested}");
        let problem = tested["problem"].as_str().unwrap();
        assert!(problem.contains("does not decrypt"), "{problem}");
    }
    assert_eq!(world.demo.effects(), []);
}

/// Without the key management service, a connection keeps its old secret, and other changes go on.
#[tokio::test]
async fn a_secret_that_cannot_be_encrypted_is_not_set() {
    let agent = AgentSettings {
        is_public: true,
        without_key: true,
        ..AgentSettings::default()
    };
    let settings = Settings {
        agent,
        ..Settings::default()
    };
    let api = Api::start_with(settings).await;
    let ada = api.sign_in("ada").await;
    let before = api.table_dump().await;
    let refused = ada.put(BILLING, stripe()).await;
    refused.expect_problem(503, "unavailable");
    assert!(!refused.text.contains(SECRET));
    assert_eq!(api.table_dump().await, before);
    let mut without = stripe();
    without["secret"] = Value::Null;
    ada.put(BILLING, without).await.expect(200);
    // A caller without the permission is refused before anything is encrypted.
    let mia = api.sign_in("mia").await;
    mia.put(BILLING, stripe())
        .await
        .expect_problem(403, "permission_denied");
}

/// An address within a network would be reached from the service alone.
#[tokio::test]
async fn a_deployed_stack_leads_to_the_public_internet_alone() {
    let api = public().await;
    let ada = api.sign_in("ada").await;
    for url in [
        "https://169.254.169.254/latest/meta-data",
        "https://localhost:9001",
    ] {
        let mut put = stripe();
        put["baseUrl"] = json!(url);
        ada.put(BILLING, put)
            .await
            .expect_faults(&[("/baseUrl", "combination")]);
    }
    assert_eq!(ada.get(CONNECTIONS).await.expect(200), json!([]));
    // What was written where more was allowed is not sent to either.
    let world = Concierge::start_with(AgentSettings {
        is_public: true,
        ..AgentSettings::default()
    })
    .await;
    let ada = world.api.sign_in("ada").await;
    let tested = ada.trigger(&format!("{BILLING}/test")).await.expect(200);
    shows!(tested, {"reachable": false, "status": null});
    let problem = tested["problem"].as_str().unwrap();
    assert!(problem.contains("public internet"), "{problem}");
}

#[tokio::test]
async fn an_organization_has_so_many_connections_and_no_more() {
    let (world, [ada]) = Concierge::signed_in(["ada"]).await;
    for number in 3..50 {
        world.connects_as(&format!("number_{number}")).await;
    }
    let put = world.demo.connections()["billing"].clone();
    let one_more = ada
        .put(&format!("{CONNECTIONS}/one_more"), put.clone())
        .await;
    one_more.expect_problem(409, "too_many_connections");
    ada.put(BILLING, put.clone()).await.expect(200);
    ada.delete(BILLING).await.expect(204);
    ada.put(BILLING, put).await.expect(200);
}

#[tokio::test]
async fn a_test_says_whether_the_system_is_reached_and_lets_us_in() {
    let (world, [ada]) = Concierge::signed_in(["ada"]).await;
    let test = format!("{BILLING}/test");
    world.api.counter.take();
    let answer = ada.trigger(&test).await;
    let operation = "POST /api/concierge/connections/{name}/test";
    let tested = budgets::within(&world.api, operation, 200, &answer);
    shows!(tested, {"reachable": true, "status": 200});
    assert!(
        tested["durationMs"].is_u64() && tested["problem"].is_null(),
        "{tested}"
    );
    // Nothing of the body, and nothing has happened.
    assert_eq!(tested.as_object().unwrap().len(), 4);
    assert_eq!(world.demo.effects(), []);

    world
        .connects("billing", json!({"secret": "another"}))
        .await;
    let tested = ada.trigger(&test).await.expect(200);
    shows!(tested, {"reachable": true, "status": 401});
    world
        .connects("billing", json!({"baseUrl": "http://127.0.0.1:9"}))
        .await;
    let tested = ada.trigger(&test).await.expect(200);
    assert_eq!(tested["reachable"], false);
    let calls = json!({"allow": ["POST /customers/{id}/sync"], "testPath": null});
    world.connects("billing", calls).await;
    let tested = ada.trigger(&test).await.expect(200);
    assert!(
        tested["problem"].as_str().unwrap().contains("testPath"),
        "{tested}"
    );
}

#[tokio::test]
async fn a_pause_is_shown_and_is_no_revision() {
    let world = Concierge::start().await;
    let paused = world
        .max
        .trigger(&format!("{BILLING}/pause"))
        .await
        .expect(200);
    shows!(paused, {"paused": true, "revision": NOON, "version": 2});
    // Twice is once.
    let again = world
        .max
        .trigger(&format!("{BILLING}/pause"))
        .await
        .expect(200);
    assert_eq!(again, paused);
    // Whoever replaces it leaves it paused.
    world.connects("billing", json!({"kind": "other"})).await;
    assert_eq!(world.max.get(BILLING).await.expect(200)["paused"], true);
    let resumed = world
        .max
        .trigger(&format!("{BILLING}/resume"))
        .await
        .expect(200);
    assert_eq!(resumed["paused"], false);

    let all = world.max.get("/api/concierge/pause").await.expect(200);
    assert_eq!(
        all,
        json!({"paused": false, "reason": null, "changedBy": null, "changedAt": null})
    );
    let all = world.max.trigger("/api/concierge/pause").await.expect(200);
    let now = "2026-01-15T12:00:00.000Z";
    let expected =
        json!({"paused": true, "reason": null, "changedBy": world.max.id(), "changedAt": now});
    assert_eq!(all, expected);
    assert_eq!(
        world.max.get("/api/concierge/pause").await.expect(200),
        expected
    );
    let zoe = world.api.sign_in("zoe").await;
    assert_eq!(
        zoe.get("/api/concierge/pause").await.expect(200)["paused"],
        false
    );
}

#[tokio::test]
async fn a_paused_action_waits_without_an_attempt_and_resumes() {
    for path in [BILLING, "/api/concierge"] {
        let world = Concierge::start().await;
        let (id, action) = world.approved_batch().await;
        world.takes_messages().await;
        world
            .max
            .trigger(&format!("{path}/pause"))
            .await
            .expect(200);
        let message = world.message(&id, &action);
        for _ in 0..3 {
            world.worker().handle(event(&[(&message, 1)])).await;
            assert_eq!(world.demo.effects(), []);
            world.api.clock.advance(60_000);
            let swept = world.sweeper().sweep().await;
            // Nobody is late.
            assert_eq!((swept.resent, swept.overdue), (1, 0), "{path}");
            world.takes_messages().await;
        }
        world
            .max
            .trigger(&format!("{path}/resume"))
            .await
            .expect(200);
        world.worker().handle(event(&[(&message, 1)])).await;
        assert_eq!(world.outcome(&id).await.0, "completed", "{path}");
        assert_eq!(world.demo.effects().len(), 1);
    }
}

/// The approved connection is gone; another one may have its name.
#[tokio::test]
async fn a_connection_that_is_created_again_is_another_one() {
    let world = Concierge::start().await;
    let (id, _) = world.approved_batch().await;
    let other = local::target_systems::DemoTargets::start(0, None).unwrap();
    let ada = world.api.sign_in("ada").await;
    ada.delete(BILLING).await.expect(204);
    world.api.clock.advance(1);
    ada.put(BILLING, other.connections()["billing"].clone())
        .await
        .expect(200);
    assert_eq!(world.delivers(&world.worker()).await, 0);
    let (status, results) = world.outcome(&id).await;
    assert_eq!(status, "failed");
    assert!(results[0].1.starts_with("content_changed"), "{results:?}");
    assert_eq!((world.demo.effects().len(), other.effects().len()), (0, 0));
}

/// Only named members of an answer are kept, without the secret that it repeats.
#[tokio::test]
async fn only_named_members_of_an_answer_are_kept_and_no_secrets() {
    let world = Concierge::start_with(AgentSettings {
        analyse: Some(unwary::analyse()),
        ..AgentSettings::default()
    })
    .await;
    // Not the demo's, and what it says to that has these words in it.
    let secret = json!({"keep": ["detail"], "secret": "bearer token"});
    world.connects("billing", secret).await;
    let (id, _) = world.approved_batch().await;
    world.delivers(&world.worker()).await;
    let path = format!("/api/concierge/agent-sessions/{id}");
    let session = world.max.get(&path).await.expect(200);
    let response = &session["executionResults"][0]["response"];
    assert_eq!(response["status"], 401, "{session}");
    assert_eq!(response["body"]["code"], Value::Null);
    let detail = response["body"]["detail"].as_str().unwrap();
    assert!(detail.contains("the … is not"), "{detail}");
    let journal = world.max.get(&format!("{path}/journal")).await.expect(200);
    let mut entries = journal.as_array().unwrap().iter();
    let answered = entries.find(|entry| entry["what"] == "answered").unwrap();
    assert_eq!(&answered["excerpt"], response, "{journal}");
}
