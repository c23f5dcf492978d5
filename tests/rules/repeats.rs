//! A POST that is sent again with its idempotency key does nothing twice, wherever the first one
//! died.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use shared::model::base::span;
use tests::{
    support::{
        Answer, Caller, Death, Fault, Faults, Request, Settings, World, operations, refused,
    },
    unwary,
};

/// The header that names a request.
const KEY: &str = "idempotency-key";

/// The header of an answer to one that was done before.
const REPLAYED: &str = "idempotency-replayed";

/// An invitation is sent five times a day.
const SENDS: &str = "POST /api/invitations/{id}/send";

/// The most effects of a request on the table.
const MOST_STEPS: usize = 16;

/// The requests that take a key.
fn posts(world: &World) -> Vec<Request> {
    let mut posts = world.requests();
    posts.retain(|request| request.method == "POST" && request.needs.is_some());
    // Days pass between its requests.
    posts.sort_by_key(|request| request.operation() == SENDS);
    posts
}

/// The request whose path ends so.
fn post(world: &World, end: &str) -> Request {
    let mut posts = posts(world).into_iter();
    posts
        .find(|post| post.template.ends_with(end))
        .unwrap()
}

/// A request whose answer ends its own session.
fn is_last(request: &Request) -> bool {
    request.template == "/api/auth/logout"
}

/// A test of the provider, which reads it again and notes the instant.
fn is_noted(request: &Request) -> bool {
    request
        .template
        .ends_with("/sign-in/test")
}

/// The number of items of each kind.
type Kinds = BTreeMap<String, i64>;

/// Counts the table's items by kind, without the notes of idempotency keys.
async fn kinds(world: &World) -> Kinds {
    let mut kinds = world.api().kinds().await;
    kinds.retain(|kind, _| !["attempted", "session"].contains(&kind.as_str()));
    kinds
}

/// Returns the items that a request added.
fn added(before: &Kinds, mut after: Kinds) -> Kinds {
    after.retain(|kind, count| {
        *count -= before.get(kind).unwrap_or(&0);
        *count != 0
    });
    after
}

async fn with_key(world: &World, key: &str) -> Caller {
    world
        .caller()
        .await
        .with_header(KEY, key)
}

#[tokio::test]
async fn every_post_that_is_sent_again_answers_what_it_did() {
    let world = World::start().await;
    let posts = posts(&world);
    assert!(posts.len() > 20, "{}", posts.len());
    for (number, request) in posts.iter().enumerate() {
        let name = request.operation();
        let caller = with_key(&world, &format!("the {number}th key")).await;
        let first = request.succeeds(&caller).await;
        assert_eq!(first.header(REPLAYED), None, "{name}");
        if is_last(request) || is_noted(request) {
            continue;
        }
        let before = world.api().records().await;
        let again = request.by(&caller).await;
        assert_eq!(first.status, again.status, "{name}: {}", again.text);
        assert_eq!(again.header(REPLAYED), Some("true"), "{name}");
        assert_eq!(record(&first), record(&again), "{name}");
        assert_eq!(before, world.api().records().await, "{name}");
        // Another body under the same key is another request, and is not done.
        if let Some(body) = &request.body {
            let mut other = body.clone();
            other["unknownField"] = json!(1);
            refused!(caller.post(&request.path, other).await => 422, "idempotency_key_reused");
            assert_eq!(before, world.api().records().await, "{name}");
        }
    }
}

/// Returns the comparable part of an answer: a token is shown once, and a test takes its time.
fn record(answer: &Answer) -> Value {
    let mut record: Value = serde_json::from_str(&answer.text).unwrap_or_default();
    if let Some(members) = record.as_object_mut() {
        members.remove("token");
        members.remove("durationMs");
    }
    record
}

/// A record may be deleted before its create is sent again: 404, as the document has it, and no new
/// record.
#[tokio::test]
async fn a_replayed_create_of_a_deleted_record_is_404() {
    let world = World::start().await;
    let has_delete = |path: &str| {
        let delete = format!("DELETE {path}/{{id}}");
        operations()
            .iter()
            .any(|operation| operation.name() == delete)
    };
    let mut tried = Vec::new();
    for request in posts(&world) {
        let folder = match request.path.as_str() {
            "/api/managed-services/request" => "/api/service-requests",
            path if path.ends_with("/phases") => "/api/phases",
            path => path,
        };
        if !has_delete(folder) {
            continue;
        }
        let name = request.operation();
        let caller = with_key(&world, &format!("a key for {name}")).await;
        let created = request.by(&caller).await.expect(200);
        let deleted = caller
            .delete(&format!("{folder}/{}", created["id"]))
            .await;
        deleted.expect(204);
        let before = world.api().records().await;
        let again = request.by(&caller).await;
        again.expect_problem(404, "not_found");
        assert_eq!(again.header(REPLAYED), Some("true"), "{name}");
        assert_eq!(before, world.api().records().await, "{name}");
        tried.push(name);
    }
    assert!(tried.len() >= 8, "{tried:?}");
}

#[tokio::test]
async fn a_key_is_of_one_user_and_of_one_day() {
    let world = World::start().await;
    let task = json!({"title": "Once", "organizationId": 1});
    let max = with_key(&world, "k").await;
    let first = max
        .posts("/api/tasks", task.clone())
        .await;
    let mia = world
        .api()
        .sign_in("mia")
        .await
        .with_header(KEY, "k");
    let theirs = mia
        .post("/api/tasks", task.clone())
        .await;
    assert_eq!(theirs.header(REPLAYED), None);
    assert_ne!(theirs.expect(200)["id"], first["id"]);
    // It answers the record as it is now.
    let path = format!("/api/tasks/{}", first["id"]);
    let renamed = json!({"title": "Renamed"});
    world
        .caller()
        .await
        .patches(&path, renamed)
        .await;
    let again = max
        .posts("/api/tasks", task.clone())
        .await;
    assert_eq!(again["title"], "Renamed");
    // The same path is part of what is asked for.
    refused!(max.post("/api/tags", task.clone()).await => [("/name", "required")]);
    let elsewhere = max
        .post("/api/projects", json!({"title": "Once"}))
        .await;
    elsewhere.expect_problem(422, "idempotency_key_reused");
    world
        .api()
        .clock
        .advance(24 * 3_600_000);
    let late = with_key(&world, "k")
        .await
        .post("/api/tasks", task)
        .await;
    assert_eq!(late.header(REPLAYED), None);
    assert_ne!(late.expect(200)["id"], first["id"]);
}

#[tokio::test]
async fn a_key_that_is_none_is_a_fault() {
    let world = World::start().await;
    let too_long = "k".repeat(256);
    for key in ["", &too_long] {
        let max = with_key(&world, key).await;
        let answer = max
            .post("/api/tags", json!({"name": "x"}))
            .await;
        answer.expect_faults(&[("Idempotency-Key", "pattern")]);
    }
    let max = with_key(&world, &"~ ".repeat(100)).await;
    max.posts("/api/tags", json!({"name": "x"}))
        .await;
}

#[tokio::test]
async fn a_refused_request_leaves_its_key_free() {
    let world = World::start().await;
    let max = with_key(&world, "k").await;
    refused!(max.post("/api/tags", json!({})).await => [("/name", "required")]);
    refused!(max.post("/api/tags", json!({"name": "urgent"})).await => 409, "name_taken");
    let answer = max
        .post("/api/tags", json!({"name": "x"}))
        .await;
    assert_eq!(answer.header(REPLAYED), None);
    answer.expect(200);
}

#[tokio::test]
async fn one_of_many_requests_with_one_key_is_done() {
    let world = World::start().await;
    let max = with_key(&world, "k").await;
    let before = kinds(&world).await;
    let body = || json!({"title": "Once", "projectId": 1});
    let sent = (0..16).map(|_| max.post("/api/tasks", body()));
    let answers = futures::future::join_all(sent).await;
    let mut done = 0;
    for answer in answers {
        let id = answer.expect(200)["id"].clone();
        done += usize::from(answer.header(REPLAYED).is_none());
        assert_eq!(answer.expect(200)["id"], id);
    }
    assert_eq!(done, 1);
    let added = added(&before, kinds(&world).await);
    assert_eq!(added["task"], 1, "{added:?}");
}

#[tokio::test]
async fn a_request_beside_its_first_send_is_under_way() {
    let (settings, faults) = Settings::behind_faults().await;
    let world = World::start_in(settings).await;
    let max = with_key(&world, "k").await;
    for _ in 0..8 {
        faults.next("TransactWriteItems", Fault::ConflictAtLast);
    }
    let answer = max
        .post("/api/tags", json!({"name": "x"}))
        .await;
    assert_eq!(answer.header("retry-after"), Some("1"));
    answer.expect_problem(409, "request_under_way");
    assert!(faults.are_over());
    max.posts("/api/tags", json!({"name": "x"}))
        .await;
}

/// Requests that can be repeated in one world, with a new name each time.
fn named(request: &Request, number: usize) -> Option<Request> {
    let mut request = request.clone();
    let body = request.body.as_mut();
    match request.template.as_str() {
        "/api/tags" => body?["name"] = json!(format!("new {number}")),
        "/api/customers" => {
            let domains = json!([format!("customer{number}.example")]);
            *body? = json!({"name": format!("Customer {number}"), "domains": domains});
        }
        "/api/users" => body?["username"] = json!(format!("newcomer{number}")),
        "/api/auth/logout" => return None,
        path if path.starts_with("/api/concierge") => return None,
        _ => {}
    }
    Some(request)
}

/// Makes what an operation creates be within its bound. Of webhooks, all but the first are deleted:
/// there are ten at most.
async fn makes_room(world: &World, operation: &str) {
    if operation == SENDS {
        world.api().clock.advance(span::DAY);
    }
    if operation != "POST /api/webhooks" {
        return;
    }
    let caller = world.caller().await;
    let ids = caller.get("/api/webhooks").await.ids();
    for id in ids.into_iter().filter(|id| *id > 1) {
        caller
            .deletes(&format!("/api/webhooks/{id}"))
            .await;
    }
}

#[tokio::test]
async fn a_create_that_died_anywhere_is_done_once_when_it_is_sent_again() {
    let (settings, faults) = Settings::behind_faults().await;
    let world = World::start_in(settings).await;
    let mut number = 0;
    let mut deaths = 0;
    for request in posts(&world) {
        let mut next = || {
            number += 1;
            named(&request, number)
        };
        let name = request.operation();
        let mut usual = BTreeMap::new();
        // The first may also open a record again that the others find open.
        for first in 0..2 {
            let Some(request) = next() else { break };
            makes_room(&world, &name).await;
            let before = kinds(&world).await;
            let caller = with_key(&world, &format!("{name} {first}")).await;
            request.succeeds(&caller).await;
            usual = added(&before, kinds(&world).await);
        }
        for death in [Death::Before, Death::After] {
            for step in 0..MOST_STEPS {
                let Some(request) = next() else { break };
                let key = format!("{name} {death:?} {step}");
                makes_room(&world, &name).await;
                let caller = with_key(&world, &key).await;
                let before = kinds(&world).await;
                if !dies(&faults, &request, &caller, step, death).await {
                    assert!(step > 0, "{name}");
                    break;
                }
                deaths += 1;
                request.succeeds(&caller).await;
                assert_eq!(added(&before, kinds(&world).await), usual, "{key}");
            }
        }
    }
    assert!(deaths > 80, "{deaths}");
}

/// Sends a request whose function dies at a step. Returns whether it came so far.
async fn dies(
    faults: &Faults,
    request: &Request,
    caller: &Caller,
    step: usize,
    death: Death,
) -> bool {
    faults.dies_at(step, death);
    let died = tokio::select! {
        _ = request.succeeds(caller) => false,
        () = faults.holds(1) => true,
    };
    faults.lives();
    died
}

#[tokio::test]
async fn a_decision_whose_function_died_is_made_once() {
    let (mut settings, faults) = Settings::behind_faults().await;
    settings.agent.analyse = Some(unwary::analyse());
    let world = World::start_in(settings).await;
    let mut deaths = 0;
    for verb in ["settle", "hand-over"] {
        let mut usual = None;
        for death in [Death::Before, Death::After] {
            deaths += dies_at_each_step((&world, &faults), verb, death, &mut usual).await;
        }
    }
    assert!(deaths > 16, "{deaths}");
}

#[tokio::test]
async fn a_transition_of_the_agent_that_died_anywhere_is_made_once() {
    let mut deaths = 0;
    for death in [Death::Before, Death::After] {
        for verb in ["agent-session", "propose", "execute", "cancel"] {
            let (settings, faults) = Settings::behind_faults().await;
            let world = World::start_in(settings).await;
            deaths += dies_at_each_step((&world, &faults), verb, death, &mut None).await;
        }
    }
    assert!(deaths > 40, "{deaths}");
}

/// A request to the agent dies at one step after another, and adds the usual items once. Returns
/// the number of its deaths.
async fn dies_at_each_step(
    (world, faults): (&World, &Faults),
    verb: &str,
    death: Death,
    usual: &mut Option<Kinds>,
) -> usize {
    for step in 0..MOST_STEPS {
        let request = to_the_agent(world, verb).await;
        let key = format!("{verb} {death:?} {step}");
        let caller = with_key(world, &key).await;
        let before = kinds(world).await;
        let died = dies(faults, &request, &caller, step, death).await;
        let again = request.succeeds(&caller).await;
        let mut once = added(&before, kinds(world).await);
        if verb == "propose" {
            // An analysis that was begun again is told of as often.
            once.remove("journal_entry");
        }
        let usual = usual.get_or_insert_with(|| once.clone());
        assert_eq!(*usual, once, "{key}");
        if !died {
            assert_eq!(again.header(REPLAYED), Some("true"), "{key}");
            return step;
        }
    }
    MOST_STEPS
}

/// A request for a decision or a transition, of an action, an alert or a session of its own.
async fn to_the_agent(world: &World, verb: &str) -> Request {
    let concierge = &world.concierge;
    let ends = format!("/{verb}");
    let mut request = post(world, &ends);
    let of = match verb {
        "agent-session" => {
            let batch = [("usage_batch", "ub_1001")];
            let alert = concierge
                .alert("usage_batch_stuck", &batch)
                .await;
            format!("alerts/{}", alert.id)
        }
        "settle" => {
            // What was not done leaves its record to the next one.
            request.body.as_mut().unwrap()["outcome"] = json!("not_done");
            // A connection of which no call tells anything is left alone in the end.
            let goes_on = "/api/concierge/connections/notifications/resume";
            concierge.max.triggers(goes_on).await;
            let (session, action) = concierge
                .unknown_and_unsent("cus_502")
                .await;
            format!("agent-sessions/{session}/actions/{action}")
        }
        "hand-over" => {
            let (session, action) = concierge.manual_review().await;
            format!("agent-sessions/{session}/actions/{action}")
        }
        "cancel" => {
            let (session, _) = concierge.approved_message().await;
            format!("agent-sessions/{session}")
        }
        _ => {
            let session = concierge.stuck_batch().await;
            if verb == "execute" {
                let action = concierge
                    .proposed(&session)
                    .await
                    .remove(0);
                request.body = Some(json!({"actionIds": [action]}));
            }
            format!("agent-sessions/{session}")
        }
    };
    request.path = format!("/api/concierge/{of}{ends}");
    request
}
