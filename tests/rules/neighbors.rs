//! No organization stops another one: whatever does not read in one, the other hears of its
//! changes.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    time::Duration,
};

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use shared::model::base::Stopwatch;
use stream::StreamResponse;
use tests::support::{Api, Caller, Damage, Item, World, set, text, text_of};

/// The longest delay of a change by another organization.
const AT_MOST: Duration = Duration::from_secs(5);

/// Tasks with long texts.
const TASKS: usize = 100;

/// An item with a name of another version in each place that has one.
fn renamed(item: &mut Item) {
    for name in ["type", "status", "action", "role", "types", "planFeatures"] {
        if let Some(value) = item.get_mut(name) {
            *value = match value {
                AttributeValue::L(_) => AttributeValue::L(vec![text("epic")]),
                _ => text("epic"),
            };
        }
    }
    if let Some(AttributeValue::L(entries)) = item.get_mut("entries") {
        for entry in entries {
            if let AttributeValue::M(entry) = entry {
                set(entry, [("type", text("epic"))]);
            }
        }
    }
}

/// Each attribute but the key and the kind is an object.
fn emptied(item: &mut Item) {
    for (name, value) in item.iter_mut() {
        if !["pk", "sk", "kind"].contains(&name.as_str()) && !name.starts_with("gsi") {
            *value = AttributeValue::M(HashMap::new());
        }
    }
}

/// The newest change of each kind of item of organization 1, as a delivery has it.
async fn newest_changes(api: &Api) -> BTreeMap<String, Value> {
    let mut newest = BTreeMap::new();
    for chunk in api.changes().await.chunks(100) {
        api.delivers_changes(chunk).await;
        for record in chunk {
            let image = &record["dynamodb"]["NewImage"];
            let kind = image["kind"]["S"].as_str();
            if let Some(kind) = kind.filter(|_| image["organizationId"]["N"] == "1") {
                newest.insert(kind.to_owned(), record.clone());
            }
        }
    }
    newest
}

/// The time of a delivery in which all reads.
async fn usual(api: &Api, ours: &BTreeMap<String, Value>) -> Duration {
    let changes: Vec<Value> = ours
        .values()
        .map(|record| later(record, 0))
        .collect();
    let watch = Stopwatch::start();
    let response = api.delivers_changes(&changes).await;
    assert_eq!(response, StreamResponse::default());
    watch.elapsed()
}

/// Returns the change as one of a later version, so that no consumer has handled it.
fn later(record: &Value, round: usize) -> Value {
    let mut record = record.clone();
    for (image, version) in [("OldImage", 1_000 + round), ("NewImage", 1_001 + round)] {
        let image = &mut record["dynamodb"][image];
        if image.is_object() {
            image["version"] = json!({"N": version.to_string()});
        }
    }
    record
}

/// Delivers changes of organization 1 with one of organization 2 behind them. Returns what is
/// wrong. A busy machine takes `usual` for it, if all reads.
async fn hears(api: &Api, zac: &Caller, ours: &[Value], usual: Duration) -> Option<String> {
    let task = zac
        .creates_task(json!({"projectId": 3}))
        .await;
    let mut records = ours.to_vec();
    records.extend(api.changes().await);
    let watch = Stopwatch::start();
    let response = api.delivers_changes(&records).await;
    let elapsed = watch.elapsed();
    if !response.batch_item_failures.is_empty() {
        return Some("all behind it comes again".to_owned());
    }
    if !is_told(zac, &task).await {
        return Some("its task is not in its feed".to_owned());
    }
    (elapsed > usual + AT_MOST).then(|| format!("it heard after {elapsed:?}, not {usual:?}"))
}

/// Returns whether a task is in the feed.
async fn is_told(reader: &Caller, task: &Value) -> bool {
    let path = "/api/changes?cursor=first&limit=1000&type=task";
    let feed = reader.reads(path).await;
    let mut entries = feed.as_array().unwrap().iter();
    entries.any(|entry| entry["recordId"] == task["id"])
}

/// A world whose requests were all sent, and the newest change of each kind.
async fn changed() -> (World, BTreeMap<String, Value>) {
    let world = World::start().await;
    for request in world.requests() {
        world.sends(&request).await;
    }
    let newest = newest_changes(world.api()).await;
    (world, newest)
}

/// Each kind of item that is there, generated from a table with all of them.
#[tokio::test]
async fn no_item_that_does_not_read_delays_another_organization() {
    let (world, ours) = Box::pin(changed()).await;
    let api = world.api();
    let zac = api.sign_in("zac").await;
    assert!(ours.len() >= 15, "{:?}", ours.keys());
    let usual = usual(api, &ours).await;
    let damages: [Damage; 2] = [renamed, emptied];
    let mut round = 0;
    let mut wrong = Vec::new();
    for kind in api.kinds().await.into_keys() {
        let is_ours = |item: &Item| {
            let pk = text_of(item, "pk");
            pk == "ORG#1" || pk.starts_with("ORG#1#")
        };
        for (number, damage) in damages.iter().enumerate() {
            if kind != "told_change" {
                for item in api.items_of("told_change").await {
                    api.deletes(&item).await;
                }
            }
            let sound = api.items_of(&kind).await.into_iter();
            let sound: Vec<Item> = sound.filter(is_ours).collect();
            let mut broken = sound.clone();
            broken.iter_mut().for_each(damage);
            // Most kinds have no names.
            if broken == sound {
                continue;
            }
            api.puts(broken).await;
            // A busy machine may be slow once.
            let mut problem = None;
            for _ in 0..2 {
                round += 1;
                let changes: Vec<Value> = ours
                    .values()
                    .map(|record| later(record, round))
                    .collect();
                problem = hears(api, &zac, &changes, usual).await;
                if problem.is_none() {
                    break;
                }
            }
            wrong.extend(problem.map(|problem| format!("{kind}, damage {number}: {problem}")));
            api.puts(sound).await;
        }
    }
    assert!(round >= 40, "{round}");
    assert_eq!(wrong, [] as [String; 0]);
    // What was left out is told of, and nothing of the other organization is.
    let set_aside = api.takes_dead_changes().await;
    let causes = set_aside
        .iter()
        .map(|message| message["cause"].as_str());
    let causes: BTreeSet<&str> = causes.map(Option::unwrap).collect();
    let is_of_search = causes
        .iter()
        .any(|cause| cause.contains("#SEARCH"));
    assert!(is_of_search, "{causes:?}");
    for message in &set_aside {
        let rest = message["item"]
            .as_str()
            .unwrap()
            .strip_prefix("ORG#1");
        let holds = rest.is_some_and(|rest| rest.starts_with(['#', ' ']));
        assert!(holds, "{message}");
        for name in ["consumer", "sequenceNumber"] {
            assert!(message[name].is_string(), "{message}");
        }
    }
}

/// Each attribute of each kind of record, in the delivery itself.
#[tokio::test]
async fn no_image_that_does_not_read_delays_another_organization() {
    let (world, ours) = Box::pin(changed()).await;
    let api = world.api();
    let zac = api.sign_in("zac").await;
    let usual = usual(api, &ours).await;
    let mut wrong = Vec::new();
    for (kind, record) in ours {
        let attributes = record["dynamodb"]["NewImage"]
            .as_object()
            .unwrap()
            .keys();
        let damaged = attributes
            .enumerate()
            .map(|(round, attribute)| {
                let mut record = later(&record, 1 + round);
                record["dynamodb"]["NewImage"][attribute] = json!({"M": {}});
                record
            });
        let damaged: Vec<Value> = damaged.collect();
        if let Some(problem) = hears(api, &zac, &damaged, usual).await {
            wrong.push(format!("{kind}: {problem}"));
        }
    }
    assert_eq!(wrong, [] as [String; 0]);
    let set_aside = api.takes_dead_changes().await;
    for consumer in ["publisher", "indexer"] {
        let mut messages = set_aside.iter();
        assert!(messages.any(|message| message["consumer"] == consumer));
    }
}

/// The indexer writes 60,000 words. The publisher works beside it, on the same table.
#[tokio::test]
async fn long_texts_of_one_organization_do_not_delay_the_feed_of_another() {
    let (api, [zac, mia]) = Api::signed_in(["zac", "mia"]).await;
    // As many tasks, of few words.
    for _ in 0..TASKS {
        zac.creates_task(json!({"projectId": 3}))
            .await;
    }
    let short = api.changes().await;
    for task in 0..TASKS {
        let words: Vec<String> = (0..600)
            .map(|word| format!("w{task}x{word}"))
            .collect();
        let task = json!({"projectId": 3, "description": words.join(" ")});
        zac.creates_task(task).await;
    }
    let theirs = api.changes().await;
    let task = mia.creates_task(json!({})).await;
    let ours = api.changes().await;
    let indexing = async {
        for chunk in theirs.chunks(100) {
            api.delivers_to_indexer(chunk).await;
        }
    };
    let published = async |changes: &[Value]| {
        let watch = Stopwatch::start();
        for chunk in changes.chunks(100) {
            let response = api.delivers_to_publisher(chunk).await;
            assert_eq!(response, StreamResponse::default());
        }
        watch.elapsed()
    };
    let usual = published(&short).await;
    let publishing = async {
        // The first words are being written.
        tokio::time::sleep(Duration::from_millis(500)).await;
        published(&theirs).await + published(&ours).await
    };
    let elapsed = tokio::select! {
        elapsed = publishing => elapsed,
        () = indexing => panic!("the words were written at once"),
    };
    assert!(elapsed < 2 * usual + AT_MOST, "{elapsed:?}, not {usual:?}");
    assert!(is_told(&mia, &task).await);
    // A record is finished right after its own words, not after those of 20 records.
    let begins = async {
        while api
            .items_of("indexed_record")
            .await
            .is_empty()
        {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::select! {
        () = begins => {}
        _ = api.delivers_to_indexer(&theirs) => panic!("all records were finished at once"),
    }
    let words = api.items_of("indexed_word").await.len();
    assert!(words < 10_000, "{words}");
}
