//! `/api/concierge/connections` and the pause of all of them.

use serde_json::{Value, json};
use tests::support::{
    Api, Caller, Concierge, Settings, puts, refused, rows_where, says, shows, snapshot, text_of,
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
        "limits": {"perSecond": 10, "concurrent": null}, "settlesWithin": "2h",
    })
}

/// A stack as it is deployed, and an admin.
async fn public() -> (Api, Caller) {
    let api = Api::start_with(Settings::public()).await;
    let ada = api.sign_in("ada").await;
    (api, ada)
}

/// A connection to put, without its secret.
fn without_secret() -> Value {
    let mut put = stripe();
    put.as_object_mut()
        .unwrap()
        .remove("secret");
    put
}

#[tokio::test]
async fn a_connection_is_what_was_put() {
    let (_, ada) = public().await;
    let mut connection = ada.puts(BILLING, stripe()).await;
    snapshot!(connection, @r#"
    {
      "account": null,
      "allow": ["GET /balance", "POST /invoices/{id}/void"],
      "amounts": "minor",
      "auth": {"header": null, "scheme": "basic", "username": "bot"},
      "baseUrl": "https://api.example.com/v1",
      "body": "form",
      "createdAt": "2026-01-15T12:00:00.000Z",
      "errorCode": "/error/code",
      "headers": [{"name": "Stripe-Version", "value": "2025-09-30"}],
      "idempotency": {
        "in": "header",
        "keptFor": "24h",
        "name": "Idempotency-Key",
        "replayedHeader": "Idempotent-Replayed",
        "replays": "all"
      },
      "identity": null,
      "keep": ["state"],
      "kind": "stripe",
      "limits": {"concurrent": null, "perSecond": 10},
      "name": "billing",
      "partners": {},
      "paused": false,
      "revision": 1768478400000,
      "secretSetAt": "2026-01-15T12:00:00.000Z",
      "settlesWithin": "2h",
      "testPath": "/balance",
      "updatedAt": "2026-01-15T12:00:00.000Z",
      "version": 1
    }
    "#);
    assert_eq!(ada.reads(CONNECTIONS).await, json!([connection]));
    connection["breaker"] = json!({"state": "closed", "unclearAnswers": 0, "openUntil": null});
    assert_eq!(ada.reads(BILLING).await, connection);
}

#[tokio::test]
async fn a_partner_is_another_connection_of_its_kind() {
    let (api, ada) = public().await;
    ada.puts(BILLING, stripe()).await;
    let before = api.table_dump().await;
    let eu = format!("{CONNECTIONS}/billing_eu");
    let with = |partners: Value| {
        let mut put = stripe();
        put["kind"] = json!("billing");
        put["amounts"] = json!("minor");
        put["partners"] = partners;
        put
    };
    for (partners, kind, code) in [
        (json!({"payments": "payments_eu"}), "payments", "unknown"),
        (json!({"payments": "billing"}), "payments", "combination"),
        (json!({"billing": "billing_eu"}), "billing", "combination"),
        (json!({"crm": "billing"}), "crm", "value"),
    ] {
        let pointer = format!("/partners/{kind}");
        refused!(ada.put(&eu, with(partners)).await => [(&*pointer, code)]);
    }
    assert_eq!(api.table_dump().await, before);
    let put = ada
        .puts(&eu, with(json!({"stripe": "billing"})))
        .await;
    shows!(put, {"partners": {"stripe": "billing"}, "kind": "billing"});
    // The other way round, too, and no revision.
    let mut back = stripe();
    back["partners"] = json!({"billing": "billing_eu"});
    shows!(ada.puts(BILLING, back).await, {"revision": NOON});
}

#[tokio::test]
async fn a_connection_is_replaced_as_a_whole() {
    let (api, ada) = public().await;
    ada.puts(BILLING, stripe()).await;
    api.clock.advance(1_000);
    let connection = puts!(ada, BILLING, {
        "kind": "billing", "baseUrl": "https://a.example.com", "secret": null, "allow": [],
    });
    snapshot!(connection, @r#"
    {
      "account": null,
      "allow": [],
      "amounts": "minor",
      "auth": {"header": null, "scheme": "bearer", "username": null},
      "baseUrl": "https://a.example.com",
      "body": "json",
      "createdAt": "2026-01-15T12:00:00.000Z",
      "errorCode": "/code",
      "headers": [],
      "idempotency": null,
      "identity": null,
      "keep": [],
      "kind": "billing",
      "limits": {"concurrent": null, "perSecond": null},
      "name": "billing",
      "partners": {},
      "paused": false,
      "revision": 1768478400001,
      "secretSetAt": null,
      "settlesWithin": "15m",
      "testPath": null,
      "updatedAt": "2026-01-15T12:00:01.000Z",
      "version": 2
    }
    "#);
}

#[tokio::test]
async fn a_secret_is_kept_until_another_is_sent_and_is_required_for_another_base_url() {
    let (api, ada) = public().await;
    let first = ada.puts(BILLING, stripe()).await;
    let mut without = without_secret();
    api.clock.advance(1_000);
    let kept = ada.puts(BILLING, without.clone()).await;
    assert_eq!(kept["secretSetAt"], first["secretSetAt"]);

    let mut elsewhere = without.clone();
    elsewhere["baseUrl"] = json!("https://api.example.com/v2");
    let before = api.table_dump().await;
    refused!(ada.put(BILLING, elsewhere.clone()).await => [("/secret", "required")]);
    assert_eq!(api.table_dump().await, before);
    elsewhere["secret"] = json!("of-the-other");
    let moved = ada.puts(BILLING, elsewhere).await;
    assert_eq!(moved["secretSetAt"], "2026-01-15T12:00:01.000Z");

    without["baseUrl"] = moved["baseUrl"].clone();
    without["secret"] = Value::Null;
    assert_eq!(ada.puts(BILLING, without).await["secretSetAt"], Value::Null);
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
    answers.push(
        ada.trigger(&format!("{BILLING}/test"))
            .await
            .text,
    );
    world.api.publishes().await;
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
    let abroad = world.api.abroad.id;
    world
        .connects_for(abroad, "billing", json!({}))
        .await;
    let items = world.api.items_of("connection").await;
    let item_of = |own: &str, name: &str| {
        let item = items
            .iter()
            .find(|item| text_of(item, "pk").starts_with(own) && text_of(item, "name") == name);
        item.unwrap().clone()
    };
    let billing = item_of("ORG#1#", "billing");
    for (own, name, admin) in [("ORG#1#", "payments", "ada"), ("ORG#2#", "billing", "zoe")] {
        let admin = world.api.sign_in(admin).await;
        let test = format!("{CONNECTIONS}/{name}/test");
        shows!(admin.triggers(&test).await, {"status": 200});
        let mut stranger = item_of(own, name);
        stranger.insert("secret".to_owned(), billing["secret"].clone());
        world.api.puts([stranger]).await;
        let tested = admin.triggers(&test).await;
        assert_eq!(tested["status"], Value::Null, "{tested}");
        says(&tested["problem"], "does not decrypt");
    }
    assert_eq!(world.demo.effects(), []);
}

/// Without the key management service, a connection keeps its old secret, and other changes go on.
#[tokio::test]
async fn a_secret_that_cannot_be_encrypted_is_not_set() {
    let mut settings = Settings::public();
    settings.agent.without_key = true;
    let api = Api::start_with(settings).await;
    let ada = api.sign_in("ada").await;
    let before = api.table_dump().await;
    let refused = ada.put(BILLING, stripe()).await;
    refused.expect_problem(503, "unavailable");
    assert!(!refused.text.contains(SECRET));
    assert_eq!(api.table_dump().await, before);
    let mut without = stripe();
    without["secret"] = Value::Null;
    ada.puts(BILLING, without).await;
    // A caller without the permission is refused before anything is encrypted.
    let mia = api.sign_in("mia").await;
    mia.put(BILLING, stripe())
        .await
        .expect_denied();
}

/// An address within a network would be reached from the service alone.
#[tokio::test]
async fn a_deployed_stack_leads_to_the_public_internet_alone() {
    let (_, ada) = public().await;
    for url in [
        "https://169.254.169.254/latest/meta-data",
        "https://localhost:9001",
    ] {
        let mut put = stripe();
        put["baseUrl"] = json!(url);
        refused!(ada.put(BILLING, put).await => [("/baseUrl", "combination")]);
    }
    assert_eq!(ada.reads(CONNECTIONS).await, json!([]));
    // What was written where more was allowed is not sent to either.
    let world = Concierge::start_in(Settings::public()).await;
    let ada = world.api.sign_in("ada").await;
    let tested = ada
        .triggers(&format!("{BILLING}/test"))
        .await;
    shows!(tested, {"reachable": false, "status": null});
    says(&tested["problem"], "public internet");
}

#[tokio::test]
async fn an_organization_has_so_many_connections_and_no_more() {
    let (world, [ada]) = Concierge::signed_in(["ada"]).await;
    for number in 3..50 {
        world
            .connects_as(&format!("number_{number}"))
            .await;
    }
    let put = world.demo.connections()["billing"].clone();
    let one_more = ada
        .put(&format!("{CONNECTIONS}/one_more"), put.clone())
        .await;
    one_more.expect_problem(409, "too_many_connections");
    ada.puts(BILLING, put.clone()).await;
    ada.deletes(BILLING).await;
    ada.puts(BILLING, put).await;
}

#[tokio::test]
async fn a_test_says_whether_the_system_is_reached_and_lets_us_in() {
    let (world, [ada]) = Concierge::signed_in(["ada"]).await;
    let test = format!("{BILLING}/test");
    let tested = ada.triggers(&test).await;
    shows!(tested, {"reachable": true, "status": 200});
    let holds = tested["durationMs"].is_u64() && tested["problem"].is_null();
    assert!(holds, "{tested}");
    // Nothing of the body, and nothing has happened.
    assert_eq!(tested.as_object().unwrap().len(), 4);
    assert_eq!(world.demo.effects(), []);

    let more = json!({"secret": "another"});
    world.connects("billing", more).await;
    shows!(ada.triggers(&test).await, {"reachable": true, "status": 401});
    let more = json!({"baseUrl": "http://127.0.0.1:9"});
    world.connects("billing", more).await;
    assert_eq!(ada.triggers(&test).await["reachable"], false);
    let calls = json!({"allow": ["POST /customers/{id}/sync"], "testPath": null});
    world.connects("billing", calls).await;
    says(&ada.triggers(&test).await["problem"], "testPath");
}

#[tokio::test]
async fn a_pause_is_shown_and_is_no_revision() {
    let world = Concierge::start().await;
    let max = &world.max;
    let pause = format!("{BILLING}/pause");
    let paused = max.triggers(&pause).await;
    shows!(paused, {"paused": true, "revision": NOON, "version": 2});
    // Twice is once.
    assert_eq!(max.triggers(&pause).await, paused);
    // Whoever replaces it leaves it paused.
    world
        .connects("billing", json!({"kind": "payments"}))
        .await;
    assert_eq!(max.reads(BILLING).await["paused"], true);
    let resumed = max
        .triggers(&format!("{BILLING}/resume"))
        .await;
    assert_eq!(resumed["paused"], false);

    let pause_path = "/api/concierge/pause";
    let running = max.reads(pause_path).await;
    let paused = max.triggers(pause_path).await;
    snapshot!([&running, &paused], @r#"
    [
      {"changedAt": null, "changedBy": null, "paused": false, "reason": null},
      {
        "changedAt": "2026-01-15T12:00:00.000Z",
        "changedBy": 1,
        "paused": true,
        "reason": null
      }
    ]
    "#);
    assert_eq!(max.reads(pause_path).await, paused);
    let zoe = world.api.sign_in("zoe").await;
    assert_eq!(zoe.reads(pause_path).await, running);
}

#[tokio::test]
async fn a_paused_action_waits_without_an_attempt_and_resumes() {
    for path in [BILLING, "/api/concierge"] {
        let (world, id, action) = Concierge::start()
            .await
            .with_approved_batch()
            .await;
        world.takes_messages().await;
        world
            .max
            .triggers(&format!("{path}/pause"))
            .await;
        for _ in 0..3 {
            world.runs(&id, &action).await;
            assert_eq!(world.demo.effects(), []);
            world.api.clock.advance(60_000);
            let swept = world.sweeper().sweep().await;
            // Nobody is late.
            assert_eq!((swept.resent, swept.overdue), (1, 0), "{path}");
            world.takes_messages().await;
        }
        world
            .max
            .triggers(&format!("{path}/resume"))
            .await;
        world.runs(&id, &action).await;
        world.is_completed(&id, 1).await;
    }
}

/// The approved connection is gone; another one may have its name.
#[tokio::test]
async fn a_connection_that_is_created_again_is_another_one() {
    let (world, id, _) = Concierge::start()
        .await
        .with_approved_batch()
        .await;
    let other = local::target_systems::DemoTargets::start(0, None).unwrap();
    let ada = world.api.sign_in("ada").await;
    ada.deletes(BILLING).await;
    world.api.clock.advance(1);
    let put = other.connections()["billing"].clone();
    ada.puts(BILLING, put).await;
    assert_eq!(world.delivers(&world.worker()).await, 0);
    world
        .has_failed(&id, "content_changed", 0)
        .await;
    assert_eq!(other.effects().len(), 0);
}

/// Only named members of an answer are kept, without the secret that it repeats.
#[tokio::test]
async fn only_named_members_of_an_answer_are_kept_and_no_secrets() {
    let world = Concierge::start_unwary().await;
    // Not the demo's, and what it says to that has these words in it.
    let secret = json!({"keep": ["detail"], "secret": "bearer token"});
    world.connects("billing", secret).await;
    let (id, _) = world.approved_batch().await;
    world.delivers(&world.worker()).await;
    let response = &world.session(&id).await["executionResults"][0]["response"];
    shows!(response, {"status": 401, "/body/code": null});
    says(&response["body"]["detail"], "the … is not");
    let journal = world.journal(&id).await;
    let answered = rows_where(&journal, "what", "answered");
    assert_eq!(&answered[0]["excerpt"], response, "{journal:?}");
}
