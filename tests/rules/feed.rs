//! The change feed as the publisher appends it.

use std::collections::BTreeSet;

use aws_sdk_dynamodb::types::AttributeValue;
use local::engines::Stream;
use serde_json::{Value, json};
use shared::model::{base::span, people::Permission};
use stream::StreamResponse;
use tests::{
    feed_copy,
    support::{
        Answer, Api, Fault, Item, Requests, World, number, patches, refused, set, shows, text,
        text_of,
    },
};

/// An entry of the feed: its number, and what it tells.
#[derive(Debug)]
struct Told {
    number: i64,
    entry: Value,
}

/// The entries of an organization's feed, by number.
async fn told(api: &Api, organization: i64) -> Vec<Told> {
    let partition = format!("ORG#{organization}#FEED");
    let mut items = api.items_of("feed_batch").await;
    items.retain(|item| text_of(item, "pk") == partition);
    let mut numbered_entries = Vec::new();
    for item in items {
        let batch: Value = serde_dynamo::from_item(item).unwrap();
        let entries = batch["entries"]
            .as_array()
            .unwrap()
            .iter()
            .cloned();
        let numbered = (batch["first"].as_i64().unwrap()..).zip(entries);
        numbered_entries.extend(numbered.map(|(number, entry)| Told { number, entry }));
    }
    numbered_entries
}

/// Of each entry: type, id, action, version, fields, actor.
fn short(entries: &[Told]) -> Vec<Value> {
    let names = ["type", "recordId", "action", "version", "fields", "actor"];
    let short = |row: &Told| json!(names.map(|name| &row.entry[name]));
    entries.iter().map(short).collect()
}

fn numbers(entries: &[Told]) -> Vec<i64> {
    entries
        .iter()
        .map(|row| row.number)
        .collect()
}

#[tokio::test]
async fn each_change_of_a_record_has_an_entry_by_its_author() {
    let (api, [max, mia]) = Api::signed_in(["max", "mia"]).await;
    let by_max = max.user.unwrap();
    let by_mia = mia.user.unwrap();
    api.publishes().await;
    let before = told(&api, 1).await.len();

    mia.creates_task(json!({"title": "Draft"}))
        .await;
    patches!(max, "/api/tasks/1", {"title": "Final", "status": "done"});
    let comment = json!({"content": "Soon."});
    mia.creates("/api/tasks/1/comments", comment)
        .await;
    mia.deletes("/api/tasks/1/comments/1")
        .await;
    max.deletes("/api/tasks/1").await;
    api.publishes().await;

    let entries = told(&api, 1).await.split_off(before);
    let expected = [
        json!(["task", 1, "created", 1, null, by_mia]),
        json!(["task", 1, "updated", 2, ["status", "title"], by_max]),
        json!(["comment", 1, "created", 1, null, by_mia]),
        json!(["comment", 1, "deleted", 2, null, by_mia]),
        json!(["task", 1, "deleted", 3, null, by_max]),
    ];
    assert_eq!(short(&entries), expected);
    let [task, _, comment, ..] = entries.as_slice() else {
        panic!("too few entries");
    };
    shows!(task.entry, {"parent": {"type": "project", "recordId": 1}});
    shows!(comment.entry, {"parent": {"type": "task", "recordId": 1}});
    assert_eq!(task.entry["at"], "2026-01-15T12:00:00.000Z");
    let first = entries[0].number;
    assert_eq!(numbers(&entries), (first..first + 5).collect::<Vec<_>>());
    // The comments of a deleted task are removed by the service. This one was deleted before.
    api.cleans_up().await;
    api.publishes().await;
    assert_eq!(told(&api, 1).await.len(), before + 5);
}

/// Whatever clients send and workers do: no version of a record is missing.
#[tokio::test]
async fn each_version_of_each_record_has_an_entry() {
    let world = World::start().await;
    let api = world.api();
    world.sends_all().await;
    let concierge = &world.concierge;
    concierge
        .delivers(&concierge.worker())
        .await;
    api.cleans_up().await;
    api.publishes().await;

    let rows = told(api, 1).await.into_iter();
    let entries: Vec<Value> = rows.map(|row| row.entry).collect();
    let mut records = Vec::new();
    for kind in feed_copy::kinds() {
        let items = api.items_of(kind).await.into_iter();
        let items = items.map(|item| serde_dynamo::from_item::<_, Value>(item).unwrap());
        records.extend(items.filter(|item| item["organizationId"] == 1));
        let has_kind = |entry: &Value| entry["type"] == kind;
        assert!(entries.iter().any(has_kind), "no {kind}");
    }
    assert_eq!(feed_copy::differences(&entries, &records), [] as [&str; 0]);
    let created = entries
        .iter()
        .filter(|entry| entry["version"] == 1);
    assert!(created.count() > 30, "{}", entries.len());
}

/// Lists that show records of each type.
const LISTS: [(&str, &str); 14] = [
    ("task", "/api/tasks"),
    ("milestone", "/api/projects/1/milestones"),
    ("service_request", "/api/service-requests"),
    ("ticket", "/api/managed-services/tickets"),
    ("activity", "/api/organizations/1/activities"),
    ("project", "/api/projects"),
    ("phase", "/api/projects/1/phases"),
    ("tag", "/api/tags"),
    ("comment", "/api/tasks/1/comments"),
    ("ticket_message", "/api/managed-services/ticket/1"),
    ("customer", "/api/customers"),
    ("user", "/api/users"),
    ("alert", "/api/concierge/alerts"),
    ("agent_session", "/api/concierge/agent-sessions"),
];

/// Of each role, and of a token with each permission alone.
#[tokio::test]
async fn the_feed_has_the_types_whose_lists_the_caller_may_read() {
    let world = World::start().await;
    let api = world.api();
    api.publishes().await;
    let mut callers = Vec::new();
    for name in ["ada", "max", "sue", "mia", "vic"] {
        callers.push((name.to_owned(), api.sign_in(name).await));
    }
    for permission in Permission::ALL {
        let only = json!({"permissions": [permission]});
        let token = api.token_of(&world.max, only).await;
        callers.push((permission.name().to_owned(), token));
    }
    let mut seen_by_some = BTreeSet::new();
    for (name, caller) in callers {
        let mut readable = BTreeSet::new();
        for (kind, list) in LISTS {
            if caller.get(list).await.status == 200 {
                readable.insert(kind.to_owned());
            }
        }
        let feed = caller
            .get("/api/changes?cursor=first&limit=1000")
            .await;
        if !readable.contains("task") {
            feed.expect_problem(403, "permission_denied");
            continue;
        }
        let feed = feed.expect(200);
        let shown = feed.as_array().unwrap().iter();
        let shown = shown.map(|entry| {
            entry["type"]
                .as_str()
                .unwrap()
                .to_owned()
        });
        let shown: BTreeSet<String> = shown.collect();
        assert_eq!(shown, readable, "{name}");
        seen_by_some.extend(shown);
    }
    assert_eq!(seen_by_some.len(), LISTS.len());
}

/// The sweeper removes what tells who deleted a record. The stream may be hours behind.
#[tokio::test]
async fn a_deleted_record_names_its_actor_for_as_long_as_the_stream_lasts() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    max.creates_milestone(json!({})).await;
    let [phase, ..] = api.has_phases().await;
    api.has_tag(api.home.id, "urgent").await;
    max.creates_task(json!({})).await;
    max.records_activity(json!({})).await;
    max.raises_request().await;
    let lists = "milestones tags tasks activities service-requests".split(' ');
    let mut paths: Vec<String> = lists
        .map(|list| format!("/api/{list}/1"))
        .collect();
    paths.push(format!("/api/phases/{phase}"));
    for path in &paths {
        max.deletes(path).await;
    }
    api.cleans_up().await;
    api.publishes().await;
    let rows = told(&api, 1).await.into_iter();
    let deleted = rows.filter(|row| row.entry["action"] == "deleted");
    let actors: Vec<Value> = deleted
        .map(|row| row.entry["actor"].clone())
        .collect();
    assert_eq!(actors, vec![json!(max.id()); paths.len()]);
}

#[tokio::test]
async fn what_the_sweeper_unlinks_is_updated_by_the_service() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    api.has_tag(api.home.id, "urgent").await;
    max.creates_milestone(json!({})).await;
    max.creates_task(json!({"milestoneId": 1}))
        .await;
    let activity = max.records_activity(json!({})).await;
    let path = format!("/api/activities/{activity}/tags");
    max.posts(&path, json!({"tagId": 1}))
        .await;
    max.deletes("/api/milestones/1").await;
    max.deletes("/api/tags/1").await;
    api.publishes().await;
    let before = told(&api, 1).await.len();
    api.cleans_up().await;
    api.publishes().await;
    let mut unlinked = short(&told(&api, 1).await.split_off(before));
    unlinked.sort_by_key(Value::to_string);
    let expected = [
        json!(["activity", activity, "updated", 3, ["tagIds"], null]),
        json!(["task", 1, "updated", 2, ["milestoneId"], null]),
    ];
    assert_eq!(unlinked, expected);
    // So lists of what changed since have them, too.
    let now = json!(api.clock.now());
    for path in ["/api/tasks/1", &format!("/api/activities/{activity}")] {
        assert_eq!(max.reads(path).await["updatedAt"], now, "{path}");
    }
}

#[tokio::test]
async fn organizations_have_feeds_of_their_own() {
    let api = Api::start().await;
    api.publishes().await;
    let home = short(&told(&api, 1).await);
    let abroad = short(&told(&api, 2).await);
    let project = |id| json!(["project", id, "created", 1, null, null]);
    assert_eq!(home, [project(1), project(2)]);
    assert_eq!(abroad, [project(3)]);
}

#[tokio::test]
async fn what_is_delivered_twice_is_appended_once() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    mia.creates_tasks(["Draft", "Review"])
        .await;
    mia.patches("/api/tasks/1", json!({"title": "Final"}))
        .await;
    let changes = api.changes().await;
    api.delivers_changes(&changes).await;
    let once = api.table_dump().await;
    // Late by less than it takes to look everything up, in whole and in part.
    api.clock.advance(span::MINUTE);
    api.delivers_changes(&changes).await;
    api.delivers_changes(&changes[changes.len() / 2..])
        .await;
    assert_eq!(api.table_dump().await, once);
}

#[tokio::test]
async fn two_publishers_never_give_one_number_twice() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    mia.creates_tasks(["x"; 8]).await;
    let changes = api.changes().await;
    let deliveries = changes
        .chunks(3)
        .map(|chunk| api.delivers_changes(chunk));
    for response in futures::future::join_all(deliveries).await {
        assert!(response.batch_item_failures.is_empty(), "{response:?}");
    }
    let entries = told(&api, 1).await;
    let expected: Vec<i64> = (entries[0].number..)
        .take(entries.len())
        .collect();
    assert_eq!(numbers(&entries), expected);
    let tasks = entries
        .iter()
        .filter(|row| row.entry["type"] == "task");
    assert_eq!(tasks.count(), 8);
}

#[tokio::test]
async fn a_feed_whose_entries_have_expired_goes_on_at_a_greater_number() {
    let api = Api::start().await;
    api.publishes().await;
    let last = told(&api, 1)
        .await
        .last()
        .unwrap()
        .number;
    let batches = api.items_of("feed_batch").await;
    api.clock.advance(30 * span::DAY);
    // The session has expired, too.
    let mia = api
        .session_of(&api.user("mia").await)
        .await;
    mia.creates_task(json!({})).await;
    api.publishes().await;
    let next = told(&api, 1)
        .await
        .last()
        .unwrap()
        .number;
    assert!(next > last + 1, "{next} follows {last}");
    // The table deletes what has expired, late.
    for batch in &batches {
        let expires: i64 = batch["expiresAt"]
            .as_n()
            .unwrap()
            .parse()
            .unwrap();
        assert!(expires * 1_000 > api.clock.now().millis());
        api.deletes(batch).await;
    }
    mia.creates_task(json!({})).await;
    api.publishes().await;
    assert_eq!(
        told(&api, 1)
            .await
            .last()
            .unwrap()
            .number,
        next + 1
    );
}

#[tokio::test]
async fn entries_that_cannot_be_appended_are_delivered_again_from_the_first() {
    let (api, faults, []) = Api::behind_faults([]).await;
    let changes = api.changes().await;
    let kind = |change: &Value| change["dynamodb"]["NewImage"]["kind"]["S"].clone();
    let handled = ["project", "organization_entry"];
    let of = |organization: &str| {
        let first = changes.iter().find(|change| {
            let image = &change["dynamodb"]["NewImage"];
            image["organizationId"]["N"] == organization
                && handled
                    .iter()
                    .any(|name| kind(change) == *name)
        });
        first
            .and_then(Stream::position)
            .unwrap()
            .to_owned()
    };
    faults.begin(Requests::Of("TransactWriteItems"), Fault::Denied);
    let response = api.delivers_changes(&changes).await;
    faults.end();
    let failures = response.batch_item_failures.into_iter();
    let failed: BTreeSet<String> = failures
        .map(|failed| failed.item_identifier)
        .collect();
    // The first change of each organization.
    assert_eq!(failed, BTreeSet::from(["1", "2"].map(of)));
    assert!(told(&api, 1).await.is_empty());
    let again = api.delivers_changes(&changes).await;
    assert_eq!(again, StreamResponse::default());
    assert_eq!(told(&api, 1).await.len(), 2);
    assert_eq!(told(&api, 2).await.len(), 1);
}

#[tokio::test]
async fn a_record_that_does_not_read_is_left_out_and_stops_no_other() {
    let api = Api::start().await;
    let mut changes = api.changes().await;
    let is_project = |change: &&mut Value| {
        let image = &change["dynamodb"]["NewImage"];
        image["kind"]["S"] == "project" && image["id"]["N"] == "1"
    };
    let damaged = changes
        .iter_mut()
        .find(is_project)
        .unwrap();
    damaged["dynamodb"]["NewImage"]["id"] = json!({"S": "one"});
    let response = api.delivers_changes(&changes).await;
    assert_eq!(response, StreamResponse::default());
    let created = json!(["project", 2, "created", 1, null, null]);
    assert_eq!(short(&told(&api, 1).await), [created]);
}

/// The link to the next page, which the feed always has.
fn next(answer: &Answer) -> String {
    answer.next().unwrap().to_owned()
}

/// Changes the entries of a batch.
fn change_entries(batch: &mut Item, change: impl Fn(&mut Item)) {
    let Some(AttributeValue::L(entries)) = batch.get_mut("entries") else {
        panic!("no entries");
    };
    for entry in entries {
        let AttributeValue::M(entry) = entry else {
            panic!("no entry");
        };
        change(entry);
    }
}

/// Three tasks in batches of their own.
async fn three_batches(api: &Api) -> Vec<Item> {
    let mia = api.sign_in("mia").await;
    for _ in 0..3 {
        mia.creates_task(json!({})).await;
        api.publishes().await;
        api.clock.advance(1);
    }
    let mut batches = api.items_of("feed_batch").await;
    batches.retain(|item| text_of(item, "pk") == "ORG#1#FEED");
    batches.split_off(batches.len() - 3)
}

#[tokio::test]
async fn a_reader_meets_a_batch_that_does_not_read_and_skips_none() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    api.publishes().await;
    let begin = next(&mia.get("/api/changes?type=task").await);
    let [_, second, _] = three_batches(&api)
        .await
        .try_into()
        .unwrap();
    let mut damaged = second.clone();
    change_entries(&mut damaged, |entry| set(entry, [("version", text("two"))]));
    api.puts([damaged]).await;
    let ids = |answer: &Answer| -> Vec<i64> {
        let rows = answer.expect(200);
        let rows = rows.as_array().unwrap().iter();
        rows.map(|row| row["recordId"].as_i64().unwrap())
            .collect()
    };
    let first = mia.get(&begin).await;
    assert_eq!(ids(&first), [1]);
    refused!(mia.get(&next(&first)).await => 503, "unavailable");
    api.puts([second]).await;
    let rest = mia.get(&next(&first)).await;
    assert_eq!(ids(&rest), [2, 3]);
}

#[tokio::test]
async fn an_entry_of_a_later_version_is_kept_and_shown_to_nobody() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    api.publishes().await;
    let begin = next(&mia.get("/api/changes").await);
    let batches = three_batches(&api).await.into_iter();
    for (mut later, name) in batches.zip(["type", "action"]) {
        change_entries(&mut later, |entry| set(entry, [(name, text("epic"))]));
        api.puts([later]).await;
    }
    let page = mia.reads(&begin).await;
    let rows = page.as_array().unwrap();
    assert_eq!((rows.len(), &rows[0]["recordId"]), (1, &json!(3)));
    mia.creates_task(json!({})).await;
    api.publishes().await;
}

/// A table of an earlier instant has lost the newest batches, and numbers of ids with them.
#[tokio::test]
async fn after_a_restore_no_number_comes_again_and_cursors_of_what_is_lost_expire() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    api.publishes().await;
    let kept = next(&mia.get("/api/changes").await);
    let lost = three_batches(&api).await;
    let inside = next(
        &mia.get("/api/changes?cursor=first&limit=4")
            .await,
    );
    let behind = next(&mia.get("/api/changes").await);
    let greatest = told(&api, 1)
        .await
        .last()
        .unwrap()
        .number;
    for batch in &lost {
        api.deletes(batch).await;
    }
    for cursor in [&inside, &behind] {
        mia.get(cursor)
            .await
            .expect_problem(410, "cursor_expired");
    }
    mia.reads(&kept).await;
    api.clock.advance(span::MINUTE);
    mia.creates_task(json!({})).await;
    api.publishes().await;
    assert!(
        told(&api, 1)
            .await
            .last()
            .unwrap()
            .number
            > greatest
    );
    for cursor in [&inside, &behind] {
        mia.get(cursor)
            .await
            .expect_problem(410, "cursor_expired");
    }
    assert_eq!(
        mia.reads(&kept)
            .await
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[tokio::test]
async fn a_cursor_of_another_epoch_has_expired() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    api.publishes().await;
    let before = next(&mia.get("/api/changes").await);
    mia.reads(&before).await;
    api.sets_all("feed_start", [("epoch", number(1))])
        .await;
    mia.get(&before)
        .await
        .expect_problem(410, "cursor_expired");
    mia.reads(&next(&mia.get("/api/changes").await))
        .await;
    mia.reads("/api/changes?cursor=first")
        .await;
    // A feed that starts again keeps its epoch.
    api.clock.advance(30 * span::DAY);
    let mia = api
        .session_of(&api.user("mia").await)
        .await;
    mia.creates_task(json!({})).await;
    api.publishes().await;
    assert_eq!(api.items_of("feed_start").await[0]["epoch"], number(1));
}
