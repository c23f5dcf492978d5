//! Rows of found records, and who gets which.

use serde_json::json;
use tests::support::{Api, Caller, budgets::within, creates};

use super::one_of_each;

#[tokio::test]
async fn a_row_shows_the_record_and_the_text_about_the_match() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    let text = format!("{} the zebra {}", "before ".repeat(30), "after ".repeat(30));
    let task = json!({"title": "Draft", "description": text, "status": "in_progress"});
    max.creates_task(task).await;
    creates!(max, "/api/tasks/1/comments", {"content": "What zebra?"});
    max.records_activity(json!({"description": "A zebra\ncalled", "projectId": 2}))
        .await;
    api.publishes().await;
    let rows = max
        .reads("/api/search?query=zebra")
        .await;
    let at = "2026-01-15T12:00:00.000Z";
    let excerpt = rows[0]["excerpt"].as_str().unwrap();
    let holds = excerpt.starts_with("…before") && excerpt.contains("the zebra after");
    assert!(holds, "{excerpt}");
    let expected = json!([
        {
            "type": "task", "id": 1, "title": "Draft", "excerpt": excerpt, "projectId": 1,
            "status": "in_progress", "updatedAt": at, "parent": null,
        },
        {
            "type": "comment", "id": 1, "title": "Draft", "excerpt": "What zebra?", "projectId": 1,
            "status": null, "updatedAt": at, "parent": {"type": "task", "recordId": 1},
        },
        {
            "type": "activity", "id": 1, "title": "A zebra called", "excerpt": "A zebra called",
            "projectId": 2, "status": null, "updatedAt": at, "parent": null,
        },
    ]);
    assert_eq!(rows, expected);
}

#[tokio::test]
async fn callers_find_the_types_that_they_may_read() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    one_of_each(&max).await;
    api.publishes().await;
    let only_work = json!({"permissions": ["view_work"]});
    let script = api
        .token_of(&api.user("max").await, only_work)
        .await;
    let rows = script.finds("zebra").await;
    assert_eq!(rows.len(), 6, "{rows:?}");
    assert!(script.finds("gone").await.is_empty());
    assert!(
        script
            .finds("zebra&type=ticket,ticket_message")
            .await
            .is_empty()
    );
    let services = json!({"permissions": ["view_managed_services"]});
    let other = api
        .token_of(&api.user("max").await, services)
        .await;
    other
        .get("/api/search?query=zebra")
        .await
        .expect_denied();
}

#[tokio::test]
async fn a_search_is_within_its_budget() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    one_of_each(&max).await;
    api.publishes().await;
    let is_within = async |caller: &Caller, path: &str| {
        api.counter.take();
        within(&api, "GET /api/search", 200, &caller.get(path).await);
    };
    is_within(&max, "/api/search?query=zebra").await;
    is_within(&max, "/api/search?query=nothing").await;
    is_within(&max, "/api/search?query=1").await;
}
