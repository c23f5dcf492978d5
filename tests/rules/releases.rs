//! The last release beside this version: its records, and its document.
//!
//! `tests/releases` keeps the record of one release. CONTRIBUTING.md says when it is written.

mod document;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use shared::store::{metered, upkeep::Forms};
use tests::support::{
    Api, Caller, Concierge, Item, Operation, Record, Request, Table, World, example, key_of,
    patches, text_of,
};

use super::tenants::declared;

/// Kinds of items that this version writes and the last release does not. A new record names it
/// here: the release before must read it, or the table works on with items that no older version
/// knows.
const NEW_KINDS: [&str; 6] = [
    "customer",
    "customer_domain",
    "customer_name",
    "invited_address",
    "project_member",
    "scopes",
];

/// The kind without a record. It is the tombstone of a deleted organization.
const UNRECORDED: &str = "tombstone";

/// Writes the record of this version.
#[tokio::test]
#[ignore = "writes files: see CONTRIBUTING.md"]
async fn record() {
    Box::pin(Record::write()).await;
}

fn kinds(table: &Table) -> BTreeSet<&str> {
    let items = table.items.iter();
    items
        .map(|item| text_of(item, "kind"))
        .collect()
}

#[test]
fn the_record_has_each_kind_of_item() {
    let record = Record::last();
    let before = record.before();
    let after = record.after();
    let mut recorded = kinds(&before);
    recorded.extend(kinds(&after));
    let declared = declared();
    let missing = declared.iter().map(String::as_str);
    let missing = missing.filter(|kind| {
        !recorded.contains(kind) && !NEW_KINDS.contains(kind) && *kind != UNRECORDED
    });
    let missing: Vec<_> = missing.collect();
    assert!(missing.is_empty(), "the record has no {missing:?}");
    for kind in NEW_KINDS {
        assert!(!recorded.contains(kind), "{kind} is not new");
    }
}

/// The record is that of the version of `Cargo.toml`, or of an earlier one.
#[test]
fn the_record_has_the_document_of_its_version() {
    let record = Record::last();
    assert_eq!(record.document()["info"]["version"], record.version);
    let number = |version: &str| -> Vec<u32> {
        let parts = version.split('.');
        parts
            .map(|part| part.parse().unwrap())
            .collect()
    };
    let own = number(env!("CARGO_PKG_VERSION"));
    assert!(number(&record.version) <= own, "{record:?}");
}

/// Attributes by the key of their items, without those that each write has.
fn attributes(items: &[Item]) -> BTreeMap<String, BTreeSet<&str>> {
    let mut by_key = BTreeMap::new();
    for item in items {
        by_key.insert(
            key_of(item),
            item.keys()
                .map(String::as_str)
                .collect(),
        );
    }
    by_key
}

/// The items and attributes that are gone: `key` or `key attribute`.
fn losses(before: &[Item], after: &[Item]) -> BTreeSet<String> {
    let after = attributes(after);
    let mut lost = BTreeSet::new();
    for (key, names) in attributes(before) {
        match after.get(&key) {
            None => drop(lost.insert(key)),
            Some(still) => {
                let gone = names.difference(still);
                // The service itself has no name as a writer.
                let gone = gone.filter(|name| **name != "writtenBy");
                lost.extend(gone.map(|name| format!("{key} {name}")));
            }
        }
    }
    lost
}

async fn forms(api: &Api) -> Forms {
    let store = api.store_beside().await;
    let tenants = store.tenants();
    let mut each = async |_: &Forms| {};
    tenants
        .forms(api.home.id, false, &mut each)
        .await
        .unwrap()
}

/// Each operation changes the last release's records, worker and sweeper go on with them, and
/// nothing is lost beyond what the release itself took away. Each answer is held against the
/// document.
#[tokio::test]
async fn each_operation_works_on_the_records_of_the_last_release() {
    let record = Record::last();
    let before = record.before();
    let concierge = before.start().await;
    let requests = record.requests(&concierge);
    assert!(requests.len() > 100, "{}", requests.len());
    let caller_of = async |request: &Request| request.caller(&concierge).await;
    Box::pin(concierge.fill(requests, caller_of)).await;
    let lost = losses(&before.items, &concierge.api.items().await);
    let by_release = losses(&before.items, &record.after().items);
    let more: Vec<_> = lost.difference(&by_release).collect();
    assert!(more.is_empty(), "{more:#?}");
    let forms = forms(&concierge.api).await;
    assert!(forms.unreadable.is_empty(), "{:#?}", forms.unreadable);
    assert!(forms.unknown.is_empty(), "{:?}", forms.unknown);
}

/// Ids of records, as the record has them; most are lower.
const IDS: std::ops::RangeInclusive<i64> = 1..=9;

/// Sends each read, to each id. Returns the number of those that found something.
async fn reads(caller: &Caller, requests: &[Request]) -> usize {
    let paths = requests
        .iter()
        .filter(|request| request.method == "GET");
    let mut paths: BTreeSet<String> = paths
        .map(|request| request.path.clone())
        .collect();
    for operation in Operation::reads() {
        let ids = IDS.map(|id| example(&operation.path, &id.to_string()));
        paths.extend(ids.filter(|path| !path.contains("/oidc")));
    }
    let mut read_count = 0;
    for path in paths {
        let (answer, used) = metered(caller.get(&path)).await;
        assert!(answer.status < 500, "{path}: {}", answer.text);
        assert!(used.unreadable.is_empty(), "{path}: {:?}", used.unreadable);
        // A feed has always a next page.
        let is_list = answer.next().is_some() && path != "/api/changes";
        if answer.status == 200 && is_list {
            caller.walk(&path).await;
        }
        read_count += usize::from(answer.status == 200);
    }
    read_count
}

#[tokio::test]
async fn each_record_of_the_last_release_is_read_and_listed() {
    let record = Record::last();
    for table in [record.before(), record.after()] {
        let concierge = table.start().await;
        let user = concierge.api.user("max").await;
        let max = concierge.api.session_of(&user).await;
        let requests = record.requests(&concierge);
        let read_count = reads(&max, &requests).await;
        assert!(read_count > 80, "{read_count}");
        let forms = forms(&concierge.api).await;
        assert!(forms.unreadable.is_empty(), "{:#?}", forms.unreadable);
        for (kind, path) in [
            ("task", "/api/tasks"),
            ("ticket", "/api/managed-services/tickets"),
            ("service_request", "/api/service-requests"),
            ("alert", "/api/concierge/alerts"),
        ] {
            let mut items = table.items.clone();
            items.retain(|item| text_of(item, "kind") == kind);
            assert_eq!(max.walk(path).await.len(), items.len(), "{kind}");
        }
    }
}

/// The program's `verify` finds nothing in a filled world of this version.
#[tokio::test]
async fn this_version_writes_no_older_form() {
    let world = World::filled().await;
    let forms = forms(world.api()).await;
    assert!(forms.are_present(), "{forms:#?}");
    let store = &world.api().store;
    let tenant = world.api().home.id;
    let keys = store
        .tenants()
        .keys(tenant)
        .await
        .unwrap();
    assert_eq!(forms.items, keys.len());
}

/// Takes tasks and tickets out of an index, as a release before the index wrote them.
async fn as_before_an_index(api: &Api) {
    let mut items = api.items().await;
    items.retain_mut(|item| {
        let gone: &[&str] = match text_of(item, "kind") {
            "task" => &["gsi4pk", "gsi4sk"],
            "ticket" => &["gsi2pk", "gsi2sk"],
            _ => return false,
        };
        for name in gone {
            item.remove(*name);
        }
        true
    });
    assert!(items.len() >= 4, "{}", items.len());
    api.puts(items).await;
}

async fn migrate(concierge: &Concierge) -> usize {
    let store = concierge.api.store_beside().await;
    let tenants = store.tenants();
    let mut pages = 0;
    let mut each = async |_: &Forms| pages += 1;
    let forms = tenants
        .forms(concierge.api.home.id, true, &mut each)
        .await;
    assert!(pages > 30, "{pages}");
    forms.unwrap().older()
}

/// Lists by a new index have tasks and tickets of before, and versions stay. The feed has no entry
/// of it.
#[tokio::test]
async fn a_migration_gives_items_of_before_the_present_form() {
    let world = World::start().await;
    let concierge = &world.concierge;
    let api = world.api();
    as_before_an_index(api).await;
    let max = world.caller().await;
    let lists = [
        "/api/tasks?sort=createdAt",
        "/api/managed-services/tickets?sort=-lastMessageAt",
    ];
    for list in lists {
        assert_eq!(max.walk(list).await, Vec::<Value>::new(), "{list}");
    }
    let before = max.get("/api/tasks/1").await;
    let older = forms(api).await;
    assert_eq!(older.older.get("task"), Some(&3), "{:?}", older.older);
    assert!(!older.are_present());

    let feed = async || api.items_of("feed_batch").await.len();
    api.publishes().await;
    let feed_before = feed().await;
    assert_eq!(migrate(concierge).await, older.older());
    assert_eq!(migrate(concierge).await, 0);
    assert!(forms(api).await.are_present());
    for (list, count) in lists.into_iter().zip([3, 3]) {
        assert_eq!(max.walk(list).await.len(), count, "{list}");
    }
    let after = max.get("/api/tasks/1").await;
    assert_eq!(before.expect(200), after.expect(200));
    api.publishes().await;
    assert_eq!(feed().await, feed_before);
}

/// A client that writes at the same time wins.
#[tokio::test]
async fn a_migration_overwrites_no_later_write() {
    let world = World::start().await;
    let concierge = &world.concierge;
    let api = world.api();
    as_before_an_index(api).await;
    let max = world.caller().await;
    let writes = async {
        for number in 0..20 {
            patches!(max, "/api/tasks/1", {"title": format!("Renamed {number}")});
        }
    };
    tokio::join!(migrate(concierge), writes);
    migrate(concierge).await;
    assert_eq!(max.reads("/api/tasks/1").await["title"], "Renamed 19");
    assert!(forms(api).await.are_present());
}
