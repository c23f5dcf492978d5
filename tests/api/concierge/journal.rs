//! `/api/concierge/agent-sessions/{id}/journal` and `/api/concierge/journal`

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use tests::support::{Concierge, Item, rows_where, shows, snapshot};

fn path(session: &Value) -> String {
    format!("/api/concierge/agent-sessions/{session}/journal")
}

async fn check(world: &Concierge, session: &Value) -> Value {
    world
        .max
        .reads(&format!("{}/check", path(session)))
        .await
}

/// Events and the types of their actors: of the session, or of its actions.
fn story(entries: &[Value], of_action: bool) -> Value {
    let mut entries = entries.to_vec();
    entries.retain(|entry| entry["actionId"].is_string() == of_action);
    let events = entries
        .iter()
        .map(|entry| json!([entry["what"], entry["actor"]["type"]]));
    events.collect()
}

#[tokio::test]
async fn every_transition_of_a_session_leaves_an_entry() {
    let (world, id, action) = Concierge::start_unwary()
        .await
        .with_approved_batch()
        .await;
    world.refuses("billing", 503);
    world.delivers(&world.worker()).await;
    let entries = world.journal(&id).await;
    snapshot!(story(&entries, false), @r#"
    [
      ["opened", "user"],
      ["analysis_begun", "user"],
      ["proposed", "engine"],
      ["approved", "user"],
      ["settled", "worker"]
    ]
    "#);
    snapshot!(story(&entries, true), @r#"
    [
      ["claimed", "worker"],
      ["answered", "worker"],
      ["answered", "worker"],
      ["ended", "worker"]
    ]
    "#);
    let digest = &world.session(&id).await["proposedActions"][0]["digest"];
    let of = |event: &str| rows_where(&entries, "what", event);
    let approved = of("approved")[0];
    shows!(approved, {"/actor/userId": world.max.id(), "/detail/actions": {&action: digest}});
    shows!(approved, {"from": "awaiting_confirmation", "to": "executing"});
    let answers = of("answered");
    shows!(answers[0]["detail"], {"/response/status": 503, "effect": "unclear"});
    assert_eq!(answers[1]["detail"]["effect"], "done");
    let ended = of("ended")[0];
    shows!(ended, {"from": "running", "to": "succeeded", "digest": digest});
    let settled = of("settled")[0];
    let heads = &settled["detail"]["heads"][&action];
    assert_eq!(*heads, json!({"seq": 4, "hash": ended["hash"]}));
    for of_action in [false, true] {
        let mut before = json!("");
        let chain = entries
            .iter()
            .filter(|entry| entry["actionId"].is_string() == of_action);
        for (seq, entry) in (1..).zip(chain) {
            shows!(entry, {"seq": seq, "previousHash": before});
            before = entry["hash"].clone();
        }
    }
    let head = json!({"seq": 5, "hash": settled["hash"]});
    let whole = json!({"verified": true, "entries": 9, "breaks": [], "head": head});
    assert_eq!(check(&world, &id).await, whole);
}

#[tokio::test]
async fn rejections_cancellations_and_expiries_are_in_the_journal() {
    let world = Concierge::start().await;
    let rejected = world.stuck_batch().await;
    world.proposed(&rejected).await;
    let reject = format!("/api/concierge/agent-sessions/{rejected}/reject");
    let paid = json!({"reason": "It was paid."});
    world.max.posts(&reject, paid).await;
    let (cancelled, action) = world.approved_batch().await;
    world
        .cancels(&cancelled)
        .await
        .expect(200);
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
        let check = max
            .reads(&format!("{}/check", path(id)))
            .await;
        assert_eq!(check["verified"], true);
        entries.pop().unwrap()
    };
    let entry = last(&rejected, false).await;
    shows!(entry, {"what": "rejected", "detail": {"reason": "It was paid."}});
    let entry = last(&cancelled, false).await;
    shows!(entry, {"what": "cancelled", "detail": {"ended": {&action: "skipped"}, "stopping": []}});
    shows!(last(&expired, false).await, {"what": "lapsed", "/actor/type": "sweeper"});
    shows!(last(&given_up, true).await, {"what": "ended", "/actor/type": "sweeper"});
}

/// A session with two actions side by side that have ended, and its entries as the table has them.
async fn ended(world: &Concierge) -> (Value, Vec<Item>) {
    let id = world.failed_payment().await;
    let actions = world.proposed(&id).await;
    let ids: Vec<&str> = actions
        .iter()
        .map(String::as_str)
        .collect();
    world
        .executes(&id, &ids)
        .await
        .expect(202);
    // The second action waits for the first.
    world.delivers(&world.worker()).await;
    world.delivers(&world.worker()).await;
    assert_eq!(check(world, &id).await["verified"], true);
    (
        id,
        world
            .api
            .items_of("journal_entry")
            .await,
    )
}

/// The chain and the number of an entry.
fn place(item: &Item) -> (Value, i64) {
    let action = item
        .get("actionId")
        .and_then(|id| id.as_s().ok());
    (
        json!(action),
        item["seq"]
            .as_n()
            .unwrap()
            .parse()
            .unwrap(),
    )
}

#[tokio::test]
async fn the_check_names_an_entry_that_was_changed() {
    let world = Concierge::start().await;
    let (id, items) = ended(&world).await;
    for item in [&items[0], &items[items.len() - 1]] {
        let mut changed = item.clone();
        let other = AttributeValue::S("{\"note\":\"other\"}".to_owned());
        changed.insert("detail".to_owned(), other);
        world.api.puts([changed]).await;
        let check = check(&world, &id).await;
        let (action, seq) = place(item);
        let named = json!([{"actionId": action, "seq": seq, "why": "changed"}]);
        shows!(check, {"verified": false, "breaks": named});
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
    let answer = world.max.get(&export).await;
    let entries = answer.lines();
    answer.expect(200);
    assert_eq!(answer.header("content-type"), Some("application/x-ndjson"));
    assert!(answer.text.ends_with("}\n"));
    let mut of_second = entries.clone();
    of_second.retain(|entry| entry["sessionId"] == second);
    assert_eq!(of_second, world.journal(&second).await);
    // In pages, and nothing of others.
    assert_eq!(
        world
            .max
            .walk(&format!("{export}&limit=3"))
            .await,
        entries
    );
    let reversed = format!("/api/concierge/journal?from={to}&to={from}");
    assert_eq!(world.max.reads(&reversed).await, json!([]));
    let zoe = world.api.sign_in("zoe").await;
    let empty = zoe.get("/api/concierge/journal").await;
    assert_eq!((empty.status, empty.text.as_str()), (200, ""));
}
