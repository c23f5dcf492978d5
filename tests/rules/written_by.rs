//! The author of a record's last write, in the attribute `writtenBy`.

use aws_sdk_dynamodb::types::AttributeValue;
use serde_json::{Value, json};
use tests::support::{Api, creates, patches};

/// The authors of the items of a kind, by key.
async fn authors(api: &Api, kind: &str) -> Vec<Value> {
    let items = api.items_of(kind).await.into_iter();
    let authors = items.map(|item| match item.get("writtenBy") {
        Some(AttributeValue::M(author)) => {
            let author = author.iter();
            let author = author.map(|(name, id)| (name.clone(), json!(id.as_n().unwrap())));
            author.collect()
        }
        Some(other) => panic!("{other:?} is no author"),
        None => Value::Null,
    });
    authors.collect()
}

/// The author of the only item of a kind.
async fn author(api: &Api, kind: &str) -> Value {
    let mut authors = authors(api, kind).await;
    assert_eq!(authors.len(), 1, "{kind}");
    authors.remove(0)
}

#[tokio::test]
async fn a_record_names_the_author_of_its_last_write() {
    let (api, [max, mia]) = Api::signed_in(["max", "mia"]).await;
    let max_id = api.user("max").await.id.to_string();
    let mia_id = api.user("mia").await.id.to_string();
    let (script, token) = api
        .token_and_id_of(&api.user("max").await, json!({}))
        .await;
    let by_max = json!({"userId": max_id});
    let by_mia = json!({"userId": mia_id});
    let by_script = json!({"userId": max_id, "tokenId": token.to_string()});

    mia.creates_task(json!({})).await;
    assert_eq!(author(&api, "task").await, by_mia);
    patches!(script, "/api/tasks/1", {"title": "Renamed"});
    assert_eq!(author(&api, "task").await, by_script);
    patches!(max, "/api/tasks/reorder", {"tasks": [{"id": 1, "order": 7}]});
    assert_eq!(author(&api, "task").await, by_max);
    api.has_tag(api.home.id, "urgent").await;
    mia.posts("/api/tasks/1/tags", json!({"tagId": 1}))
        .await;
    assert_eq!(author(&api, "task").await, by_mia);

    creates!(script, "/api/tasks/1/comments", {"content": "Soon."});
    assert_eq!(author(&api, "comment").await, by_script);
    let ticket = json!({"title": "No invoices", "description": "Since Monday."});
    max.creates("/api/managed-services/tickets", ticket)
        .await;
    assert_eq!(author(&api, "ticket").await, by_max);
    assert_eq!(author(&api, "ticket_message").await, by_max);
}

#[tokio::test]
async fn a_write_of_the_service_has_no_author() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    assert_eq!(authors(&api, "project").await, [const { Value::Null }; 3]);
    api.has_tag(api.home.id, "urgent").await;
    max.creates_task(json!({})).await;
    max.posts("/api/tasks/1/tags", json!({"tagId": 1}))
        .await;
    max.deletes("/api/tags/1").await;
    assert_ne!(author(&api, "task").await, Value::Null);
    assert_eq!(api.cleans_up().await, 1);
    assert_eq!(author(&api, "task").await, Value::Null);
}
