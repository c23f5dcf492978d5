//! During a deployment, instances of two versions write the same records. The older one keeps what
//! the newer one wrote.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_dynamodb::types::AttributeValue;
use tests::support::{Item, World, key_of, set, text_of};

/// An attribute of a later version.
const LATER: &str = "fromALaterVersion";

/// Kinds of items that are made from other items alone.
const DERIVED: [&str; 2] = ["indexed_record", "reference"];

async fn items(world: &World) -> BTreeMap<String, Item> {
    let items = world.api().items().await.into_iter();
    items
        .map(|item| (key_of(&item), item))
        .collect()
}

#[tokio::test]
async fn every_write_keeps_the_attributes_that_it_does_not_know() {
    let world = World::start().await;
    let later = AttributeValue::M([(LATER.to_owned(), AttributeValue::Bool(true))].into());
    let before = items(&world).await;
    let marked = before
        .values()
        .cloned()
        .map(|mut item| {
            set(&mut item, [(LATER, later.clone())]);
            item
        });
    world.api().puts(marked).await;
    world.sends_all().await;
    world.concierge.follows().await;
    let mut written = BTreeSet::new();
    let mut lost = BTreeSet::new();
    for (key, item) in items(&world).await {
        let Some(before) = before.get(&key) else {
            continue;
        };
        let kind = text_of(&item, "kind").to_owned();
        if item.get(LATER) != Some(&later) && !DERIVED.contains(&&*kind) {
            lost.insert(kind.clone());
        }
        if item.get("version") != before.get("version") {
            written.insert(kind);
        }
    }
    assert!(lost.is_empty(), "{lost:?} of {written:?}");
    assert!(written.len() >= 20, "{written:?}");
}
