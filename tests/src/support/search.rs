//! Search: records that it finds, and its index.

use serde_json::{Value, json};
use shared::model::base::{OrganizationId, Timestamp};

use super::{Answer, Api, Caller, Item, number, set, text, text_of};

/// The kinds of the items of the index.
const KINDS: [&str; 2] = ["indexed_record", "indexed_word"];

impl Api {
    /// Indexes the records of an organization, as the operator's program does.
    pub async fn indexes(&self, organization: OrganizationId) {
        let search = self.store.search();
        search
            .index_all(organization, |_, _| {})
            .await
            .unwrap();
    }

    /// The items of the search index, without those of deleted records, and without the number and
    /// ids of writes.
    pub async fn search_index(&self) -> Vec<Item> {
        let mut items = Vec::new();
        for kind in KINDS {
            items.extend(self.items_of(kind).await);
        }
        items.retain(|item| !item.contains_key("deletedAt"));
        for item in &mut items {
            item.remove("writeId");
            item.remove("version");
        }
        items
    }

    pub async fn deletes_search_index(&self) {
        for kind in KINDS {
            for item in self.items_of(kind).await {
                self.deletes(&item).await;
            }
        }
    }

    /// The index is what it would be if it were made of the records as they are now.
    pub async fn search_is_fresh(&self) {
        let published = self.search_index().await;
        self.deletes_search_index().await;
        for organization in [&self.home, &self.abroad] {
            self.indexes(organization.id).await;
        }
        assert_eq!(published, self.search_index().await);
    }

    /// Copies task 1, past the service: further tasks with these ids and titles, each changed a
    /// second after the one before.
    pub async fn has_copies(&self, tasks: impl IntoIterator<Item = (i64, String)>) {
        let stored_tasks = self.items_of("task").await.into_iter();
        let task = stored_tasks
            .into_iter()
            .find(|stored| stored["id"] == number(1))
            .unwrap();
        let begun: Timestamp = text_of(&task, "updatedAt")
            .parse()
            .unwrap();
        let copies = (1..)
            .zip(tasks)
            .map(|(second, (id, title))| {
                let mut copy = task.clone();
                let attributes = [
                    ("id", number(id)),
                    ("sk", text(&format!("{id:016}"))),
                    ("gsi1sk", text(&format!("{id:016}#{id:016}"))),
                    ("title", text(&title)),
                    ("updatedAt", text(&begun.plus(second * 1_000).to_string())),
                ];
                set(&mut copy, attributes);
                copy
            });
        self.puts(copies).await;
    }
}

impl Caller {
    /// The type and the id of each found record, by pages of any size.
    pub async fn finds(&self, query: &str) -> Vec<Value> {
        let rows = self
            .walk(&format!("/api/search?query={query}"))
            .await;
        rows.iter().map(name).collect()
    }
}

impl Answer {
    /// The type and the id of each found record.
    pub fn found(&self) -> Vec<Value> {
        let rows = self.expect(200);
        rows.as_array()
            .unwrap()
            .iter()
            .map(name)
            .collect()
    }
}

fn name(row: &Value) -> Value {
    json!([row["type"], row["id"]])
}
