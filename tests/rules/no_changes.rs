//! Writes without a change, and fields beyond those of an operation.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tests::support::{Answer, Api, Item, Request, World, described::resolved, key_of, refused};

/// Operations that may be sent again and then change nothing, beside the updates.
const OTHERS: [&str; 4] = [
    "POST /api/tasks/{id}/move",
    "POST /api/tasks/{taskId}/tags",
    "POST /api/activities/{activityId}/tags",
    "POST /api/concierge/pause",
];

/// Updates that do something each time: a password is set again.
const NEVER_THE_SAME: [&str; 3] = [
    "PUT /api/auth/email",
    "PUT /api/auth/password",
    "PUT /api/users/{id}/password",
];

fn is_update(request: &Request) -> bool {
    let name = request.operation();
    let changes = ["PATCH", "PUT"].contains(&request.method.as_str());
    (changes && !NEVER_THE_SAME.contains(&&*name)) || OTHERS.contains(&&*name)
}

/// All items but those that any request may write: sessions, keys of requests, and the use of
/// quotas.
async fn items(world: &World) -> BTreeMap<String, Item> {
    let items = world.api().items().await.into_iter();
    let of_requests = |item: &Item| {
        let kind = item
            .get("kind")
            .and_then(|kind| kind.as_s().ok());
        let is_named = |kind: &String| ["session", "attempted"].contains(&kind.as_str());
        kind.is_none_or(is_named) || item.contains_key("usedUntil")
    };
    let items = items.filter(|item| !of_requests(item));
    items
        .map(|item| (key_of(&item), item))
        .collect()
}

fn body_of(answer: &Answer) -> Value {
    serde_json::from_str(&answer.text).unwrap_or_default()
}

#[tokio::test]
async fn a_write_that_changes_nothing_writes_nothing() {
    let world = World::start().await;
    let mut tried = 0;
    for mut request in world
        .requests()
        .into_iter()
        .filter(is_update)
    {
        let name = request.operation();
        let caller = world.caller_of(&request).await;
        let first = request.succeeds(&caller).await;
        if let Some(body) = request
            .body
            .as_mut()
            .and_then(Value::as_object_mut)
        {
            // A secret that is sent is set; no answer says if it is the same.
            body.retain(|name, _| !["secret", "clientSecret"].contains(&name.as_str()));
        }
        world.api().clock.advance(1_000);
        let before = items(&world).await;
        let second = request.by(&caller).await;
        assert_eq!(second.status, first.status, "{name}: {}", second.text);
        assert_eq!(body_of(&second), body_of(&first), "{name}");
        assert_eq!(second.header("etag"), first.header("etag"), "{name}");
        let mut after = items(&world).await;
        assert_eq!(before.len(), after.len(), "{name}");
        after.retain(|key, item| before.get(key) != Some(item));
        assert!(after.is_empty(), "{name} writes {:?}", after.keys());
        tried += 1;
    }
    assert!(tried >= 24, "{tried}");
}

#[tokio::test]
async fn a_milestone_that_is_sent_nothing_stays_as_it_is() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    max.creates_milestone(json!({})).await;
    api.publishes().await;
    let feed = max
        .get("/api/changes")
        .await
        .next()
        .unwrap()
        .to_owned();
    api.clock.advance(1_000);
    let before = max.reads("/api/milestones/1").await;
    let same = max
        .put("/api/milestones/1", json!({}))
        .await;
    assert_eq!(same.header("etag"), Some("\"1\""));
    same.expect(200);
    assert_eq!(max.reads("/api/milestones/1").await, before);
    let history = max
        .reads("/api/milestones/1/history")
        .await;
    assert_eq!(history.as_array().unwrap().len(), 1);
    api.publishes().await;
    assert_eq!(max.reads(&feed).await, json!([]));
    // The condition is judged all the same, and a key is kept.
    let stale = max
        .clone()
        .with_header("if-match", "\"7\"");
    refused!(stale.put("/api/milestones/1", json!({})).await => 412, "precondition_failed");
    max.creates_tasks(["a", "b"]).await;
    let keyed = max
        .clone()
        .with_header("idempotency-key", "move");
    let to = json!({"after": 1});
    for replayed in [None, Some("true")] {
        let moved = keyed
            .post("/api/tasks/2/move", to.clone())
            .await;
        assert_eq!(moved.header("idempotency-replayed"), replayed);
        assert_eq!(moved.expect(200)["version"], 1);
    }
}

/// The names of the fields that an operation takes.
fn taken(request: &Request) -> Vec<String> {
    let body = &request.described().described["requestBody"];
    let schema = resolved(&body["content"]["application/json"]["schema"]);
    let fields = schema["properties"]
        .as_object()
        .unwrap()
        .keys();
    fields.cloned().collect()
}

/// Another value of a field.
fn another(value: &Value) -> Value {
    match value {
        Value::Number(number) => json!(number.as_i64().unwrap() + 100),
        Value::String(text) if text.ends_with('Z') => json!("2026-01-01T00:00:00.000Z"),
        Value::String(text) => json!(format!("{text}x")),
        _ => json!(9),
    }
}

#[tokio::test]
async fn a_record_may_be_sent_back_but_not_with_another_value_of_what_stays() {
    // Of records themselves; who is joined and what is derived has other names.
    const FIXED: &str =
        "id organizationId projectId createdAt updatedAt version creatorId userId parentId";
    let world = World::start().await;
    let mut tried = BTreeMap::new();
    for request in world.requests() {
        if !["PATCH", "PUT"].contains(&request.method.as_str()) || request.body.is_none() {
            continue;
        }
        let name = request.operation();
        let caller = world.caller_of(&request).await;
        let answer = body_of(&request.by(&caller).await);
        let Some(record) = answer.as_object() else {
            continue;
        };
        let taken = taken(&request);
        let stays = record
            .iter()
            .filter(|(field, _)| !taken.contains(field));
        let stays: Vec<(&String, &Value)> = stays.collect();
        // As a client does that sends back all that it read.
        let with = |field: &str, value: Value| {
            let mut changed = request.clone();
            changed.body.as_mut().unwrap()[field] = value;
            changed
        };
        let mut whole = request.clone();
        for (field, value) in &stays {
            whole.body.as_mut().unwrap()[field.as_str()] = (*value).clone();
        }
        whole.succeeds(&caller).await;
        let before = world.api().records().await;
        for (field, value) in stays {
            if FIXED
                .split(' ')
                .all(|fixed| fixed != field)
                || name.ends_with("/preferences")
            {
                continue;
            }
            let refused = with(field, another(value))
                .by(&caller)
                .await;
            refused.expect_faults(&[(&format!("/{field}"), "unchangeable")]);
            *tried.entry(field.clone()).or_insert(0) += 1;
        }
        assert_eq!(before, world.api().records().await, "{name}");
    }
    assert!(tried["version"] >= 15, "{tried:?}");
    assert!(tried["projectId"] >= 3, "{tried:?}");
}

#[tokio::test]
async fn a_task_is_not_moved_to_another_project_without_a_word() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    max.creates_task(json!({})).await;
    let both = json!({"title": "Renamed", "projectId": 2});
    refused!(max.patch("/api/tasks/1", both).await => [("/projectId", "unchangeable")]);
    let same = json!({"title": "Renamed", "projectId": 1, "unknown": 1, "project": {"id": 2}});
    max.patches("/api/tasks/1", same).await;
    // Also where the operation changes one field alone.
    let phase = json!({"phaseId": null, "projectId": 2});
    refused!(max.patch("/api/tasks/1/phase", phase).await => [("/projectId", "unchangeable")]);
}
