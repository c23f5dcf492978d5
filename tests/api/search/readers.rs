//! Readers of found records: no row is of a record that its reader may not read.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tests::support::{Api, Caller};

use super::one_of_each;

/// The records of [`one_of_each`], each with a path that shows it.
const SHOWN: [(&str, i64, &str); 8] = [
    ("task", 1, "/api/tasks/1"),
    ("milestone", 1, "/api/milestones/1"),
    ("project", 4, "/api/projects/4"),
    ("activity", 1, "/api/activities/1"),
    ("service_request", 1, "/api/service-requests/1"),
    ("ticket", 1, "/api/managed-services/ticket/1"),
    ("ticket_message", 1, "/api/managed-services/ticket/1"),
    ("comment", 1, "/api/tasks/1/comments"),
];

/// Users of every role, and scripts with each permission beside `view_work`.
async fn readers(api: &Api) -> Vec<Caller> {
    let mut readers = Vec::new();
    for name in ["ada", "max", "mia", "sue", "vic", "zoe", "zac"] {
        readers.push(api.sign_in(name).await);
    }
    let session = readers[0]
        .reads("/api/auth/session")
        .await;
    let permissions = session["permissions"]
        .as_array()
        .unwrap()
        .clone();
    assert!(permissions.len() > 10, "{permissions:?}");
    let ada = api.user("ada").await;
    for permission in permissions {
        let only = json!({"permissions": ["view_work", permission]});
        readers.push(api.token_of(&ada, only).await);
    }
    readers
}

#[tokio::test]
async fn readers_find_what_they_may_read_and_nothing_else() {
    let api = Api::start().await;
    one_of_each(&api.sign_in("max").await).await;
    api.publishes().await;
    let mut row_counts = BTreeSet::new();
    for reader in readers(&api).await {
        let mut readable = Vec::new();
        for (kind, id, path) in SHOWN {
            if reader.get(path).await.status == 200 {
                readable.push(json!([kind, id]));
            }
        }
        let mut rows = reader.finds("zebra").await;
        for rows in [&mut readable, &mut rows] {
            rows.sort_by_key(Value::to_string);
        }
        assert_eq!(rows, readable, "{:?}", reader.user);
        row_counts.insert(rows.len());
    }
    // All, all but tickets and messages, and none.
    assert_eq!(row_counts, BTreeSet::from([0, 6, 8]));
}
