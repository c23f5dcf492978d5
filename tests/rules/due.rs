//! Due work: in shards by organization, started by messages, also as version 1.0 wrote it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use shared::{
    agent::{action::ActionKey, transition::Claim},
    model::base::{Id, QueueMessage, span},
    store::{
        metered,
        upkeep::{CLEANUP_DELAY, DueCount, Shard, SweepMessage},
    },
};
use stream::StreamEvent;
use sweeper::{Event, Started, Swept};
use tests::{
    records,
    support::{
        Api, Concierge, Fault, Item, Requests, Sweeping, set, text, text_of, webhooks::Receiver,
    },
};

/// The index keys of due work, and where version 1.0 had them.
const KEYS: [(&str, &str); 2] = [("gsi4pk", "gsi2pk"), ("gsi4sk", "gsi2sk")];

/// Returns whether an item is in the index of due work.
fn is_due(item: &Item) -> bool {
    text_of(item, "gsi4pk").starts_with("DUE#")
}

/// Moves an item that is due to where version 1.0 had it.
fn as_before(mut item: Item) -> Item {
    for (new, old) in KEYS {
        let key = item.remove(new).unwrap();
        item.insert(old.to_owned(), key);
    }
    let kind = format!("DUE#{}", text_of(&item, "kind"));
    set(&mut item, [("gsi2pk", text(&kind))]);
    item
}

/// The due items by kind.
async fn due_items(api: &Api) -> BTreeMap<String, Vec<Item>> {
    let mut by_kind: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for item in api
        .items()
        .await
        .into_iter()
        .filter(is_due)
    {
        let kind = text_of(&item, "kind").to_owned();
        by_kind
            .entry(kind)
            .or_default()
            .push(item);
    }
    by_kind
}

/// A deleted milestone of a new organization.
async fn has_cleanup(api: &Api) -> i64 {
    let directory = api.store.directory();
    let name = "Tenant".into();
    let organization = directory
        .create_organization(name, vec![])
        .await
        .unwrap();
    let tenant = organization.id;
    let project = directory.create_project(tenant, records::project("Move"));
    let project = project.await.unwrap().id;
    let milestone = records::sent(&json!({"title": "Cut-over", "projectId": project}));
    let milestones = api.store.milestones();
    let milestone = milestones
        .create(tenant, milestone)
        .await
        .unwrap()
        .id;
    milestones
        .delete(tenant, milestone)
        .await
        .unwrap();
    tenant.get()
}

#[tokio::test]
async fn due_work_is_in_sixteen_shards_by_organization() {
    let api = Api::start().await;
    let mut organizations = BTreeSet::new();
    for _ in 0..32 {
        organizations.insert(has_cleanup(&api).await);
    }
    let mut shards: BTreeMap<String, BTreeSet<i64>> = BTreeMap::new();
    for item in api.items_of("cleanup").await {
        let organization = item["organizationId"]
            .as_n()
            .unwrap()
            .parse()
            .unwrap();
        let shard = text_of(&item, "gsi4pk").to_owned();
        shards
            .entry(shard)
            .or_default()
            .insert(organization);
        assert!(!item.contains_key("gsi2pk"), "{item:?}");
    }
    assert_eq!(shards.len(), 16);
    for shard in 0..16 {
        assert_eq!(shards[&format!("DUE#cleanup#{shard}")].len(), 2);
    }

    let sweeping = api.sweeper().await;
    assert_eq!(sweeping.sweeper.start().await, Started::default());
    api.clock.advance(CLEANUP_DELAY);
    let started = sweeping.sweeper.start().await;
    assert_eq!((started.shards, started.errors), (16, 0));
    let messages = sweeping.messages().await;
    assert_eq!(messages.len(), 16);
    // A run does the work of its shard, and no other.
    for (done, message) in messages.iter().enumerate() {
        assert_eq!(api.items_of("cleanup").await.len(), 32 - 2 * done);
        assert_eq!(sweeping.handles(message).await, 0);
    }
    assert_eq!(api.items_of("cleanup").await, [] as [Item; 0]);
    assert_eq!(api.items_of("deletion").await.len(), 32);
}

#[tokio::test]
async fn due_work_is_counted_by_kind_with_the_instant_of_the_oldest() {
    let api = Api::start().await;
    has_cleanup(&api).await;
    let oldest = api.clock.now().plus(CLEANUP_DELAY);
    api.clock.advance(span::MINUTE);
    for _ in 0..16 {
        has_cleanup(&api).await;
    }
    let counts = async || {
        let counts = api.store.due_counts();
        let now = api.clock.now();
        let mut due_counts = Vec::new();
        for shard in Shard::all() {
            due_counts.extend(counts.of(shard, now).await.unwrap());
        }
        due_counts
    };
    let kind = "cleanup";
    let first = DueCount {
        kind,
        count: 1,
        overdue: 0,
        oldest,
    };
    assert_eq!(counts().await, [first]);
    api.clock.advance(CLEANUP_DELAY);
    let mut due_counts = counts().await;
    due_counts.sort_by_key(|due| (due.oldest, due.count));
    assert_eq!(due_counts.len(), 16);
    assert_eq!(due_counts[0], DueCount { count: 2, ..first });
    let later = DueCount {
        oldest: oldest.plus(span::MINUTE),
        ..first
    };
    assert!(
        due_counts[1..]
            .iter()
            .all(|due| *due == later),
        "{due_counts:?}"
    );
}

#[tokio::test]
async fn the_function_takes_a_schedule_and_messages() {
    let api = Api::start().await;
    let sweeping = api.sweeper().await;
    let scheduled = json!({"version": "0", "detail-type": "Scheduled Event", "detail": {}});
    let messages = json!({"Records": [{"messageId": "1", "body": "poison"}]});
    let failed = json!({"batchItemFailures": [{"itemIdentifier": "1"}]});
    for (event, expected) in [
        (scheduled, json!({"shards": 0, "providers": 0, "errors": 0})),
        (messages, failed),
    ] {
        let event: Event = serde_json::from_value(event).unwrap();
        let answer = sweeping.sweeper.handle(event).await;
        assert_eq!(serde_json::to_value(answer).unwrap(), expected);
    }
    // A later version's messages stay for it.
    let later = r#"{"version":2,"type":"shard","shard":1}"#;
    assert_eq!(sweeping.handles(later).await, 1);
}

/// Work of all kinds, each due at the same time.
async fn has_work_of_all_kinds() -> (Concierge, Sweeping) {
    let world = Concierge::start().await;
    let api = &world.api;
    world.approved_batch().await;
    world.takes_messages().await;
    let receiver = Receiver::start().await;
    let ada = api.sign_in("ada").await;
    let types = ["task.created"];
    api.has_webhook(&ada, &receiver.url, &types)
        .await;
    let mia = api.user("mia").await.id;
    let due = api
        .clock
        .now()
        .plus(span::DAY + span::MINUTE);
    let task = json!({"assigneeId": mia, "dueDate": due});
    world.max.creates_task(task).await;
    api.publishes().await;
    api.webhook_messages().await;
    let request_id = world.max.raises_request().await;
    let request = format!("/api/service-requests/{request_id}");
    world.max.deletes(&request).await;
    api.clock.advance(15 * span::MINUTE);
    let sweeping = world.sweeper();
    (world, sweeping)
}

#[tokio::test]
async fn work_of_version_1_0_is_found_and_moves_to_its_shard() {
    let (world, sweeping) = has_work_of_all_kinds().await;
    let expected = sweeping.sweep().await;
    let kinds = due_items(&world.api).await;

    let (world, sweeping) = has_work_of_all_kinds().await;
    let api = &world.api;
    let before = due_items(api).await;
    let kinds_before: Vec<&str> = before
        .keys()
        .map(String::as_str)
        .collect();
    let expected_kinds = "agent_action agent_session cleanup reminder webhook_delivery";
    assert_eq!(kinds_before.join(" "), expected_kinds);
    let moved = before
        .into_values()
        .flatten()
        .map(as_before);
    api.puts(moved).await;
    assert_eq!(due_items(api).await, BTreeMap::new());
    let started = sweeping.sweeper.start().await;
    assert_eq!((started.shards, started.errors), (1, 0));
    sweeping.messages().await;
    let swept = sweeping.sweep().await;
    assert_eq!(swept, expected);
    let did = (swept.resent, swept.deliveries, swept.cleanups, swept.errors);
    assert_eq!(did, (1, 1, 1, 0));
    assert_eq!(swept.reminded, 1);
    let now = due_items(api).await;
    assert!(now.keys().eq(kinds.keys()), "{:?}", now.keys());
    for item in api.items().await {
        assert!(!text_of(&item, "gsi2pk").starts_with("DUE#"), "{item:?}");
    }
}

/// A cleanup of version 1.0 that fails or does not read is deferred like any other.
#[tokio::test]
async fn a_cleanup_of_version_1_0_that_does_not_read_is_deferred() {
    let api = Api::start().await;
    has_cleanup(&api).await;
    let mut cleanup = as_before(api.items_of("cleanup").await.remove(0));
    set(&mut cleanup, [("subject", text("OfALaterVersion"))]);
    api.puts([cleanup]).await;
    api.clock.advance(CLEANUP_DELAY);
    let sweeping = api.sweeper().await;
    assert_eq!(sweeping.sweep().await.errors, 1);
    api.clock.advance(span::MINUTE - 1);
    assert_eq!(sweeping.sweep().await, Swept::default());
    api.clock.advance(1);
    assert_eq!(sweeping.sweep().await.errors, 1);
}

/// The action's item gets these keys of the index again. An instance of version 1.0 moves and
/// removes only those that it knows.
async fn gets_keys_of(api: &Api, before: &Item) {
    let mut item = api
        .items_of("agent_action")
        .await
        .remove(0);
    let keys = KEYS.map(|(key, _)| (key.to_owned(), before[key].clone()));
    item.extend(keys);
    api.puts([item]).await;
}

#[tokio::test]
async fn an_action_that_version_1_0_deferred_is_not_due() {
    let (world, id, action) = Concierge::start()
        .await
        .with_approved_batch()
        .await;
    world.takes_messages().await;
    let api = &world.api;
    let before = api
        .items_of("agent_action")
        .await
        .remove(0);
    let session = Id::new(id.as_i64().unwrap()).unwrap();
    let agent = api.store.agent();
    let key = ActionKey::new(api.home.id, session, &*action);
    let Claim::Held(held) = agent
        .claim(&key, span::MINUTE)
        .await
        .unwrap()
    else {
        panic!("the action was to be claimed");
    };
    let later = api.clock.now().plus(span::HOUR);
    agent
        .release(&held.action, later)
        .await
        .unwrap();
    gets_keys_of(api, &before).await;
    let deferred = api.items_of("agent_action").await;
    api.clock.advance(span::HOUR - 1);
    let swept = world.sweeper().sweep().await;
    assert_eq!((swept.resent, swept.overdue, swept.errors), (0, 0, 0));
    assert_eq!(api.items_of("agent_action").await, deferred);
    api.clock.advance(1);
    assert_eq!(world.sweeper().sweep().await.resent, 1);
}

#[tokio::test]
async fn an_action_that_version_1_0_ended_leaves_the_index() {
    let world = Concierge::start().await;
    world.approved_batch().await;
    let api = &world.api;
    let before = api
        .items_of("agent_action")
        .await
        .remove(0);
    api.clock.advance(25 * span::HOUR);
    assert_eq!(world.sweeper().sweep().await.given_up, 1);
    gets_keys_of(api, &before).await;
    let swept = world.sweeper().sweep().await;
    assert_eq!((swept.given_up, swept.overdue, swept.errors), (0, 0, 0));
    let item = api
        .items_of("agent_action")
        .await
        .remove(0);
    assert!(!is_due(&item), "{item:?}");
    assert_eq!(text_of(&item, "state"), "failed");
}

#[tokio::test]
async fn a_cleanup_begins_with_a_message() {
    let api = Api::start().await;
    let sweeping = api.sweeper().await;
    let max = api.sign_in("max").await;
    let request = max.raises_request().await;
    max.comments_on_request(request, "Hello")
        .await;
    let request = format!("/api/service-requests/{request}");
    max.deletes(&request).await;
    let records = api.changes().await;
    // The queue holds the message back until the cleanup is due.
    let unlisted = |record: &Value| {
        let event: StreamEvent = serde_json::from_value(json!({"Records": [record]})).unwrap();
        event.records[0].unlisted().unwrap()
    };
    let begins = records.iter().filter_map(unlisted);
    let begins = begins.filter_map(|change| SweepMessage::of_unlisted(&change, api.clock.now()));
    let begins: Vec<SweepMessage> = begins.collect();
    let [SweepMessage::Cleanup(name)] = &begins[..] else {
        panic!("{begins:?}");
    };
    let delay = i64::try_from(name.delay.as_millis()).unwrap();
    assert_eq!((name.organization_id, delay), (api.home.id, CLEANUP_DELAY));

    api.clock.advance(CLEANUP_DELAY);
    api.delivers_changes(&records).await;
    let messages = sweeping.messages().await;
    assert_eq!(messages, [begins[0].to_text().unwrap()]);
    api.clock.advance(-1);
    assert_eq!(sweeping.handles(&messages[0]).await, 0);
    assert_eq!(api.items_of("comment").await.len(), 1, "not due yet");
    api.clock.advance(1);
    assert_eq!(sweeping.handles(&messages[0]).await, 0);
    for kind in ["cleanup", "comment"] {
        assert_eq!(api.items_of(kind).await, [] as [Item; 0], "{kind}");
    }
    // A second message finds that it has ended, and neither does its end begin another one.
    let before = api.table_dump().await;
    let (wanted, used) = metered(sweeping.handles(&messages[0])).await;
    assert_eq!((wanted, used.unreadable.len()), (0, 0));
    assert_eq!(api.table_dump().await, before);
    api.publishes().await;
    assert_eq!(sweeping.messages().await, [] as [String; 0]);
}

#[tokio::test]
async fn a_cleanup_that_fails_after_its_message_is_deferred() {
    let (api, faults, []) = Api::behind_faults([]).await;
    let max = api.sign_in("max").await;
    api.has_tag(api.home.id, "urgent").await;
    max.deletes("/api/tags/1").await;
    api.clock.advance(CLEANUP_DELAY);
    api.publishes().await;
    let sweeping = api.sweeper().await;
    let [message] = &sweeping.messages().await[..] else {
        panic!("one cleanup, one message");
    };
    faults.next("UpdateItem", Fault::Denied);
    assert_eq!(sweeping.handles(message).await, 0);
    assert!(faults.are_over());
    assert_eq!(sweeping.sweep().await, Swept::default(), "deferred");
    api.clock.advance(span::MINUTE);
    assert_eq!(sweeping.sweep().await.cleanups, 1);
}

/// Two runs of one cleanup: the slower one finds that it has ended, and writes nothing.
#[tokio::test]
async fn a_cleanup_that_another_run_ended_stays_ended() {
    let (api, faults, [max]) = Api::behind_faults(["max"]).await;
    api.has_tag(api.home.id, "urgent").await;
    max.deletes("/api/tags/1").await;
    // The slower run waits with its progress.
    faults.hold(Requests::Of("UpdateItem"));
    let faster = async {
        faults.holds(1).await;
        let beside = api.store_beside().await;
        for shard in Shard::all() {
            let cleanups = beside.cleanups();
            let run = cleanups.run_due(shard, |_, progress| drop(progress));
            run.await.unwrap();
        }
        let ended = api.items_of("deletion").await;
        faults.release();
        ended
    };
    let (finished, ended) = futures::join!(api.cleans_up(), faster);
    assert_eq!((finished, ended.len()), (1, 1));
    assert_eq!(api.items_of("deletion").await, ended);
}
