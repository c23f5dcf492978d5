//! An index behind its records, and one that has caught up.

use serde_json::json;
use tests::support::{Api, patches};

use super::{each, one_of_each};

/// The index is as before all changes: rows that no longer match are left out.
#[tokio::test]
async fn a_row_that_no_longer_matches_is_not_shown() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    one_of_each(&max).await;
    max.creates_task(json!({"title": "Zebra"}))
        .await;
    api.publishes().await;
    assert_eq!(max.finds("zebra").await.len(), each().len() + 1);

    let renamed = json!({"title": "Horse"});
    max.patches("/api/tasks/1", renamed.clone())
        .await;
    max.puts("/api/milestones/1", renamed.clone())
        .await;
    max.patches("/api/projects/4", renamed.clone())
        .await;
    max.patches("/api/managed-services/ticket/1", renamed)
        .await;
    patches!(max, "/api/activities/1", {"description": "A horse called"});
    max.deletes("/api/tasks/1/comments/1")
        .await;
    max.deletes("/api/service-requests/1")
        .await;
    let message = json!(["ticket_message", 1]);
    let rows = max.finds("zebra").await;
    assert_eq!(rows, [message.clone(), json!(["task", 2])]);

    api.publishes().await;
    assert_eq!(max.finds("zebra").await, [message, json!(["task", 2])]);
    assert_eq!(max.finds("horse").await.len(), 5);
}

#[tokio::test]
async fn a_comment_is_gone_with_its_record() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    one_of_each(&max).await;
    api.publishes().await;
    max.deletes("/api/tasks/1").await;
    assert!(
        max.finds("zebra&type=task,comment")
            .await
            .is_empty()
    );
    api.cleans_up().await;
    api.publishes().await;
    let index = api.search_index().await;
    let words = index.iter().filter(|item| {
        item["type"]
            .as_s()
            .is_ok_and(|kind| kind == "comment")
    });
    assert_eq!(words.count(), 0);
}

#[tokio::test]
async fn a_change_of_a_text_is_found_by_its_new_words() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    mia.creates_task(json!({"title": "Move the invoices"}))
        .await;
    api.publishes().await;
    patches!(mia, "/api/tasks/1", {"description": "before the audit", "title": "Move"});
    api.publishes().await;
    assert_eq!(mia.finds("audit%20move").await, [json!(["task", 1])]);
    assert!(mia.finds("invoices").await.is_empty());
}
