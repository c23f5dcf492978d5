//! Items as the table has them, and what may be wrong with one.

use std::{
    collections::{BTreeMap, HashMap},
    ops::RangeInclusive,
};

use aws_sdk_dynamodb::types::{AttributeValue, PutRequest, WriteRequest};
use serde_json::json;

use super::Api;
use crate::records;

/// The attributes of a table item.
pub type Item = HashMap<String, AttributeValue>;

/// Makes an item one that does not read.
pub type Damage = fn(&mut Item);

/// A field is missing, is of another type, is an object in place of a name, and the version is none.
pub const DAMAGES: [Damage; 4] = [
    |item| drop(item.remove("organizationId")),
    |item| drop(item.insert("organizationId".to_owned(), text("poison"))),
    |item| {
        let names = ["status", "role", "type", "refersTo", "thread"];
        let name = names.into_iter().find(|name| item.contains_key(*name));
        let name = name.unwrap_or("organizationId").to_owned();
        item.insert(name, AttributeValue::M(HashMap::new()));
    },
    |item| drop(item.insert("version".to_owned(), text("1"))),
];

/// A text as the table has it.
pub fn text(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

/// The text in an attribute; empty without one.
pub fn text_of<'a>(item: &'a Item, name: &str) -> &'a str {
    let value = item.get(name).and_then(|value| value.as_s().ok());
    value.map_or("", String::as_str)
}

/// An item's key as the log has it.
pub fn key_of(item: &Item) -> String {
    format!("{} {}", text_of(item, "pk"), text_of(item, "sk"))
}

/// Writes items as they are.
pub(super) async fn puts(
    client: &aws_sdk_dynamodb::Client,
    table: &str,
    items: impl IntoIterator<Item = Item>,
) {
    let puts = items.into_iter().map(|item| {
        let put = PutRequest::builder().set_item(Some(item)).build().unwrap();
        WriteRequest::builder().put_request(put).build()
    });
    for some in puts.collect::<Vec<_>>().chunks(25) {
        let write = client.batch_write_item();
        write
            .request_items(table, some.to_vec())
            .send()
            .await
            .unwrap();
    }
}

impl Api {
    /// Every item of the table.
    pub async fn items(&self) -> Vec<Item> {
        self.scan(None, None).await
    }

    /// The items of a kind, by key.
    pub async fn items_of(&self, kind: &str) -> Vec<Item> {
        let mut items = self.scan(Some(kind), None).await;
        items.sort_by_key(key_of);
        items
    }

    /// The number of items of each kind.
    pub async fn kinds(&self) -> BTreeMap<String, i64> {
        let mut kinds = BTreeMap::new();
        for item in self.scan(None, Some("kind")).await {
            let kind = item.get("kind").map_or("none", |_| text_of(&item, "kind"));
            *kinds.entry(kind.to_owned()).or_default() += 1;
        }
        kinds
    }

    /// Reads the items of a kind or all, with one attribute or all.
    async fn scan(&self, kind: Option<&str>, attribute: Option<&str>) -> Vec<Item> {
        let mut items = Vec::new();
        let mut start = None;
        loop {
            let mut scan = self.client.scan().table_name(&self.table);
            if let Some(kind) = kind {
                let kind = AttributeValue::S(kind.to_owned());
                scan = scan.filter_expression("kind = :kind");
                scan = scan.expression_attribute_values(":kind", kind);
            }
            scan = scan.set_projection_expression(attribute.map(str::to_owned));
            let page = scan.set_exclusive_start_key(start).send().await.unwrap();
            items.extend(page.items.unwrap_or_default());
            start = page.last_evaluated_key;
            if start.is_none() {
                return items;
            }
        }
    }

    /// Writes items as they are, past the service.
    pub async fn puts(&self, items: impl IntoIterator<Item = Item>) {
        puts(&self.client, &self.table, items).await;
    }

    /// Gives each of these milestones tasks of the largest size, as version 1.0 wrote them: 50,000 characters
    /// of four bytes in the record itself.
    pub async fn creates_long_tasks(&self, milestones: RangeInclusive<i64>, tasks: usize) {
        for milestone in milestones {
            for _ in 0..tasks {
                let task = json!({"title": "Long", "projectId": 1, "milestoneId": milestone});
                let tasks = self.store.tasks();
                let created = tasks.create(self.home.id, records::sent(&task));
                created.await.unwrap();
            }
        }
        let long = AttributeValue::S("\u{1f4e6}".repeat(50_000));
        let tasks = self.items_of("task").await.into_iter();
        let tasks = tasks.map(|mut task| {
            task.insert("description".to_owned(), long.clone());
            task
        });
        self.puts(tasks).await;
    }

    /// Deletes an item, past the service.
    pub async fn deletes(&self, item: &Item) {
        let key = |name: &str| AttributeValue::S(text_of(item, name).to_owned());
        let delete = self.client.delete_item().table_name(&self.table);
        let delete = delete.key("pk", key("pk")).key("sk", key("sk"));
        delete.send().await.unwrap();
    }

    /// Damages every item of a kind that fits, and answers how many those are.
    pub async fn damages(&self, kind: &str, fits: impl Fn(&Item) -> bool) -> usize {
        let mut items = self.items_of(kind).await;
        items.retain(fits);
        let count = items.len();
        for (item, damage) in items.iter_mut().zip(DAMAGES.iter().cycle()) {
            damage(item);
        }
        self.puts(items).await;
        count
    }
}
