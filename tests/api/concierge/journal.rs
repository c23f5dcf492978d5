//! `/api/concierge/agent-sessions/{id}/journal` and `/api/concierge/journal`

use aws_sdk_dynamodb::types::AttributeValue;
use local::target_systems::{Fault, FaultMode};
use serde_json::{Value, json};

use tests::support::{Concierge, Item, budgets::within, key_of, shows};

fn path(session: &Value) -> String {
    format!("/api/concierge/agent-sessions/{session}/journal")
}

async fn check(world: &Concierge, session: &Value) -> Value {
    let path = format!("{}/check", path(session));
    world.max.get(&path).await.expect(200)
}

/// Event, actor and chain of an entry: the session's or an action's.
fn story(entries: &[Value], of_action: bool) -> Vec<(String, String)> {
    let entries = entries
        .iter()
        .filter(|entry| entry["actionId"].is_string() == of_action);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let told = entries.map(|entry| (text(&entry["what"]), text(&entry["actor"]["type"])));
    told.collect()
}

fn told(story: &[(&str, &str)]) -> Vec<(String, String)> {
    let story = story.iter();
    story
        .map(|(what, who)| ((*what).to_owned(), (*who).to_owned()))
        .collect()
}

#[tokio::test]
async fn every_transition_of_a_session_leaves_an_entry() {
    let world = Concierge::start_unwary().await;
    let (id, action) = world.approved_batch().await;
    world.demo.inject(Fault {
        status: 503,
        ..Fault::once("billing", FaultMode::Fail)
    });
    world.delivers(&world.worker()).await;
    world.api.counter.take();
    let answer = world.max.get(&path(&id)).await;
    let operation = "GET /api/concierge/agent-sessions/{id}/journal";
    let entries = within(&world.api, operation, 200, &answer);
    let entries = entries.as_array().unwrap();
    let of_session = [
        ("opened", "user"),
        ("analysis_begun", "user"),
        ("proposed", "engine"),
        ("approved", "user"),
        ("settled", "worker"),
    ];
    assert_eq!(story(entries, false), told(&of_session));
    let of_action = [
        ("claimed", "worker"),
        ("answered", "worker"),
        ("answered", "worker"),
        ("ended", "worker"),
    ];
    assert_eq!(story(entries, true), told(&of_action));
    let digest = &world.session(&id).await["proposedActions"][0]["digest"];
    let of = |what: &str| {
        entries
            .iter()
            .filter(|entry| entry["what"] == what)
            .collect::<Vec<_>>()
    };
    let approved = of("approved")[0];
    shows!(approved, {"/actor/userId": world.max.id(), "/detail/actions": {&action: digest}});
    shows!(approved, {"from": "awaiting_confirmation", "to": "executing"});
    let answers = of("answered");
    shows!(answers[0]["detail"], {"/response/status": 503, "effect": "unclear"});
    assert_eq!(answers[1]["detail"]["effect"], "done");
    let ended = of("ended")[0];
    shows!(ended, {"from": "running", "to": "succeeded"});
    assert_eq!(ended["digest"], *digest);
    let heads = &of("settled")[0]["detail"]["heads"][&action];
    assert_eq!(*heads, json!({"seq": 4, "hash": ended["hash"]}));
    for chain in [false, true] {
        let chain = entries
            .iter()
            .filter(|entry| entry["actionId"].is_string() == chain);
        let mut before = json!("");
        for (seq, entry) in (1..).zip(chain) {
            shows!(entry, {"seq": seq, "previousHash": before});
            before = entry["hash"].clone();
        }
    }
    let head = json!({"seq": 5, "hash": of("settled")[0]["hash"]});
    let whole = json!({"verified": true, "entries": 9, "breaks": [], "head": head});
    assert_eq!(check(&world, &id).await, whole);
}

#[tokio::test]
async fn rejections_cancellations_and_expiries_are_in_the_journal() {
    let world = Concierge::start().await;
    let rejected = world.stuck_batch().await;
    world.proposed(&rejected).await;
    let reject = format!("/api/concierge/agent-sessions/{rejected}/reject");
    world
        .max
        .post(&reject, json!({"reason": "It was paid."}))
        .await
        .expect(200);
    let (cancelled, action) = world.approved_batch().await;
    world.cancels(&cancelled).await.expect(200);
    let expired = world.stuck_batch().await;
    world.proposed(&expired).await;
    let (given_up, _) = world.approved_message().await;
    world.takes_messages().await;
    world.api.clock.advance(25 * 3_600_000);
    world.sweeper().sweep().await;
    let last = async |id: &Value, of_action: bool| {
        let max = world.api.sign_in("max").await;
        let mut entries = max.walk(&path(id)).await;
        entries.retain(|entry| entry["actionId"].is_string() == of_action);
        assert_eq!(
            max.get(&format!("{}/check", path(id))).await.expect(200)["verified"],
            true
        );
        entries.pop().unwrap()
    };
    let entry = last(&rejected, false).await;
    shows!(entry, {"what": "rejected", "detail": {"reason": "It was paid."}});
    let entry = last(&cancelled, false).await;
    assert_eq!(entry["what"], "cancelled");
    shows!(entry, {"detail": {"ended": {&action: "skipped"}, "stopping": []}});
    let entry = last(&expired, false).await;
    shows!(entry, {"what": "lapsed", "/actor/type": "sweeper"});
    let entry = last(&given_up, true).await;
    shows!(entry, {"what": "ended", "/actor/type": "sweeper"});
}

/// A session with two actions side by side that have ended, and its entries as the table has them.
async fn ended(world: &Concierge) -> (Value, Vec<Item>) {
    let id = world.failed_payment().await;
    let actions = world.proposed(&id).await;
    let ids: Vec<&str> = actions.iter().map(String::as_str).collect();
    world.executes(&id, &ids).await.expect(202);
    // The second action waits for the first.
    world.delivers(&world.worker()).await;
    world.delivers(&world.worker()).await;
    assert_eq!(check(world, &id).await["verified"], true);
    (id, world.api.items_of("journal_entry").await)
}

/// The chain and the number of an entry.
fn place(item: &Item) -> (Value, i64) {
    let action = item.get("actionId").and_then(|id| id.as_s().ok());
    let seq = item["seq"].as_n().unwrap().parse().unwrap();
    (json!(action), seq)
}

#[tokio::test]
async fn the_check_names_an_entry_that_was_changed() {
    let world = Concierge::start().await;
    let (id, items) = ended(&world).await;
    assert!(items.len() >= 9, "{}", items.len());
    let text = |text: &str| AttributeValue::S(text.to_owned());
    for item in [&items[0], &items[items.len() - 1]] {
        for (name, value) in [
            ("what", text("opened")),
            ("at", text("2026-01-01T00:00:00.000Z")),
            ("detail", text("{\"note\":\"other\"}")),
            ("digest", text("0")),
            ("hash", text("0")),
        ] {
            if item.get(name) == Some(&value) {
                continue;
            }
            let mut changed = item.clone();
            changed.insert(name.to_owned(), value);
            world.api.puts([changed]).await;
            let check = check(&world, &id).await;
            assert_eq!(check["verified"], false, "{name} of {}", key_of(item));
            let (action, seq) = place(item);
            let named = json!({"actionId": action, "seq": seq, "why": "changed"});
            assert_eq!(check["breaks"], json!([named]), "{name}");
        }
        world.api.puts([item.clone()]).await;
    }
    assert_eq!(check(&world, &id).await["verified"], true);
}

#[tokio::test]
async fn the_journals_of_a_period_are_exported_line_by_line() {
    let world = Concierge::start().await;
    world.approved_batch().await;
    world.api.clock.advance(1_000);
    let from = world.api.clock.now();
    let (second, _) = world.approved_message().await;
    world.delivers(&world.worker()).await;
    world.api.clock.advance(1_000);
    let to = world.api.clock.now();
    world.stuck_batch().await;
    let export = format!("/api/concierge/journal?from={from}&to={to}");
    world.api.counter.take();
    let answer = world.max.get(&export).await;
    let entries = within(&world.api, "GET /api/concierge/journal", 200, &answer);
    assert_eq!(answer.header("content-type"), Some("application/x-ndjson"));
    assert_eq!(
        answer.text.lines().count(),
        entries.as_array().unwrap().len()
    );
    assert!(answer.text.ends_with("}\n"));
    let of_second = entries
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["sessionId"] == second);
    let of_second: Vec<_> = of_second.cloned().collect();
    assert_eq!(of_second, world.journal(&second).await);
    // In pages, and nothing of others.
    assert_eq!(
        world.max.walk(&format!("{export}&limit=3")).await,
        *entries.as_array().unwrap()
    );
    let reversed = format!("/api/concierge/journal?from={to}&to={from}");
    assert_eq!(world.max.get(&reversed).await.expect(200), json!([]));
    let zoe = world.api.sign_in("zoe").await;
    let none = zoe.get("/api/concierge/journal").await;
    assert_eq!((none.status, none.text.as_str()), (200, ""));
}
