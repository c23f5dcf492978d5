//! Rows of found records, and who gets which.

use serde_json::json;
use shared::model::base::span;
use tests::support::{Api, Caller, budgets::within, creates, snapshot};

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
    snapshot!(rows, @r#"
    [
      {
        "excerpt": "…before before before before before before the zebra after after after after after after after after after after after after after after after after after afte…",
        "id": 1,
        "parent": null,
        "projectId": 1,
        "status": "in_progress",
        "title": "Draft",
        "type": "task",
        "updatedAt": "2026-01-15T12:00:00.000Z"
      },
      {
        "excerpt": "What zebra?",
        "id": 1,
        "parent": {"recordId": 1, "type": "task"},
        "projectId": 1,
        "status": null,
        "title": "Draft",
        "type": "comment",
        "updatedAt": "2026-01-15T12:00:00.000Z"
      },
      {
        "excerpt": "A zebra called",
        "id": 1,
        "parent": null,
        "projectId": 2,
        "status": null,
        "title": "A zebra called",
        "type": "activity",
        "updatedAt": "2026-01-15T12:00:00.000Z"
      }
    ]
    "#);
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
    api.clock.advance(10 * span::SECOND);
    let is_within = async |caller: &Caller, path: &str| {
        api.counter.take();
        within(&api, "GET /api/search", 200, &caller.get(path).await);
    };
    is_within(&max, "/api/search?query=zebra").await;
    is_within(&max, "/api/search?query=nothing").await;
    is_within(&max, "/api/search?query=1").await;
}
