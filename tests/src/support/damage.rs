//! Items as the table has them, and what may be wrong with one.

use std::{
    collections::{BTreeMap, HashMap},
    fmt::Display,
    ops::RangeInclusive,
};

use aws_sdk_dynamodb::{
    Client,
    types::{AttributeValue, PutRequest, WriteRequest},
};
use serde_json::json;

use crate::records;

use super::Api;

/// The attributes of a table item.
pub type Item = HashMap<String, AttributeValue>;

/// Makes an item one that does not read.
pub type Damage = fn(&mut Item);

/// A field is missing, is of another type, is an object in place of a name, and the version is
/// none.
pub const DAMAGES: [Damage; 4] = [
    |item| drop(item.remove("organizationId")),
    |item| set(item, [("organizationId", text("poison"))]),
    |item| {
        let names = ["status", "role", "type", "refersTo", "thread"];
        let name = names
            .into_iter()
            .find(|name| item.contains_key(*name));
        let object = AttributeValue::M(HashMap::new());
        set(item, [(name.unwrap_or("organizationId"), object)]);
    },
    |item| set(item, [("version", text("1"))]),
];

/// A text as the table has it.
pub fn text(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

/// A number as the table has it.
pub fn number(number: impl Display) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

/// Gives an item these attributes.
pub fn set<const N: usize>(item: &mut Item, attributes: [(&str, AttributeValue); N]) {
    item.extend(attributes.map(|(name, value)| (name.to_owned(), value)));
}

/// The text in an attribute; empty without one.
pub fn text_of<'a>(item: &'a Item, name: &str) -> &'a str {
    let value = item
        .get(name)
        .and_then(|value| value.as_s().ok());
    value.map_or("", String::as_str)
}

/// An item's key as the log has it.
pub fn key_of(item: &Item) -> String {
    format!("{} {}", text_of(item, "pk"), text_of(item, "sk"))
}

/// Writes items as they are.
pub async fn puts(client: &Client, table: &str, items: impl IntoIterator<Item = Item>) {
    let mut puts = items.into_iter().map(|item| {
        let put = PutRequest::builder()
            .set_item(Some(item))
            .build()
            .unwrap();
        WriteRequest::builder()
            .put_request(put)
            .build()
    });
    loop {
        let batch: Vec<_> = puts.by_ref().take(25).collect();
        if batch.is_empty() {
            return;
        }
        let write = client
            .batch_write_item()
            .request_items(table, batch);
        write.send().await.unwrap();
    }
}

/// Reads the items of these kinds, or all if none is named, with one attribute or all.
pub async fn scan(
    client: &Client,
    table: &str,
    kinds: &[&str],
    attribute: Option<&str>,
) -> Vec<Item> {
    let names: Vec<String> = (0..kinds.len())
        .map(|at| format!(":kind{at}"))
        .collect();
    let mut items = Vec::new();
    let mut start = None;
    loop {
        let mut scan = client
            .scan()
            .table_name(table)
            .consistent_read(true);
        for (name, kind) in names.iter().zip(kinds) {
            scan = scan.expression_attribute_values(name, text(kind));
        }
        if !kinds.is_empty() {
            scan = scan.filter_expression(format!("kind IN ({})", names.join(", ")));
        }
        scan = scan.set_projection_expression(attribute.map(str::to_owned));
        let page = scan
            .set_exclusive_start_key(start)
            .send()
            .await
            .unwrap();
        items.extend(page.items.unwrap_or_default());
        start = page.last_evaluated_key;
        if start.is_none() {
            return items;
        }
    }
}

/// Gives the item under a key these attributes, past the service. The item is there.
pub async fn sets<const N: usize>(
    (client, table): (&Client, &str),
    [pk, sk]: [&str; 2],
    attributes: [(&str, AttributeValue); N],
) {
    let names = attributes
        .each_ref()
        .map(|(name, _)| format!("#{name} = :{name}"));
    let update = client.update_item().table_name(table);
    let mut update = update
        .key("pk", text(pk))
        .key("sk", text(sk))
        .update_expression(format!("SET {}", names.join(", ")))
        .condition_expression("attribute_exists(pk)");
    for (name, value) in attributes {
        update = update
            .expression_attribute_names(format!("#{name}"), name)
            .expression_attribute_values(format!(":{name}"), value);
    }
    update.send().await.unwrap();
}

impl Api {
    /// Every item of the table.
    pub async fn items(&self) -> Vec<Item> {
        scan(&self.client, &self.table, &[], None).await
    }

    /// The items of a kind, by key.
    pub async fn items_of(&self, kind: &str) -> Vec<Item> {
        let mut items = scan(&self.client, &self.table, &[kind], None).await;
        items.sort_by_key(key_of);
        items
    }

    /// The number of items of each kind.
    pub async fn kinds(&self) -> BTreeMap<String, i64> {
        let mut kinds = BTreeMap::new();
        for item in scan(&self.client, &self.table, &[], Some("kind")).await {
            let kind = item
                .get("kind")
                .map_or("none", |_| text_of(&item, "kind"));
            *kinds
                .entry(kind.to_owned())
                .or_default() += 1;
        }
        kinds
    }

    /// The item under a key, if it is there.
    pub async fn item(&self, [pk, sk]: [&str; 2]) -> Option<Item> {
        let get = self
            .client
            .get_item()
            .table_name(&self.table);
        let get = get
            .key("pk", text(pk))
            .key("sk", text(sk));
        get.send().await.unwrap().item
    }

    /// Writes items as they are, past the service.
    pub async fn puts(&self, items: impl IntoIterator<Item = Item>) {
        puts(&self.client, &self.table, items).await;
    }

    /// Gives the item under a key these attributes, past the service. The item is there.
    pub async fn sets<const N: usize>(
        &self,
        key: [&str; 2],
        attributes: [(&str, AttributeValue); N],
    ) {
        sets((&self.client, &self.table), key, attributes).await;
    }

    /// Gives each item of a kind these attributes, past the service. Returns the number of items.
    pub async fn sets_all<const N: usize>(
        &self,
        kind: &str,
        attributes: [(&str, AttributeValue); N],
    ) -> usize {
        let mut items = self.items_of(kind).await;
        let count = items.len();
        for item in &mut items {
            set(item, attributes.clone());
        }
        self.puts(items).await;
        count
    }

    /// Gives each of these milestones tasks of the largest size: 50,000 characters of four bytes in
    /// the record itself.
    pub async fn creates_long_tasks(&self, milestones: RangeInclusive<i64>, tasks: usize) {
        for milestone in milestones {
            for _ in 0..tasks {
                let task = json!({"title": "Long", "projectId": 1, "milestoneId": milestone});
                let tasks = self.store.tasks();
                let created = tasks.create(self.home.id, records::sent(&task));
                created.await.unwrap();
            }
        }
        let long = text(&"\u{1f4e6}".repeat(50_000));
        self.sets_all("task", [("description", long)])
            .await;
    }

    /// Deletes an item, past the service.
    pub async fn deletes(&self, item: &Item) {
        self.loses(text_of(item, "pk"), text_of(item, "sk"))
            .await;
    }

    /// Takes an item out of the table, as no operation does.
    pub async fn loses(&self, pk: &str, sk: &str) {
        let delete = self
            .client
            .delete_item()
            .table_name(&self.table);
        let delete = delete
            .key("pk", text(pk))
            .key("sk", text(sk));
        delete.send().await.unwrap();
    }

    /// Damages every item of a kind that fits, and answers how many those are.
    pub async fn damages(&self, kind: &str, fits: impl Fn(&Item) -> bool) -> usize {
        let mut items = self.items_of(kind).await;
        items.retain(fits);
        let count = items.len();
        for (item, damage) in items
            .iter_mut()
            .zip(DAMAGES.iter().cycle())
        {
            damage(item);
        }
        self.puts(items).await;
        count
    }
}
