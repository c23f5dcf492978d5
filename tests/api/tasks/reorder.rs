//! `PATCH /api/tasks/reorder`

use serde_json::{Value, json};
use tests::support::{Api, patches, posts, refused, shows};

use super::task;

#[tokio::test]
async fn a_task_keeps_its_place_after_a_reorder() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    mia.creates_tasks(["Draft", "Review", "Publish"])
        .await;
    api.clock.advance(1_000);
    patches!(mia, "/api/tasks/reorder", {
        "tasks": [{"id": 3, "order": 0}, {"id": 1, "order": 7}, {"id": 2, "order": 7}],
    });
    assert_eq!(
        mia.get("/api/projects/1/tasks")
            .await
            .ids(),
        [3, 1, 2]
    );
    assert_eq!(mia.get("/api/tasks").await.ids(), [1, 2, 3]);
    shows!(task(&mia, 2).await, {"order": 7, "updatedAt": "2026-01-15T12:00:01.000Z"});
    // A change that says nothing of the order leaves the place alone.
    let changed = mia
        .patch("/api/tasks/1", json!({"title": "x"}))
        .await;
    assert_eq!(changed.expect(200)["order"], 7);
    assert_eq!(
        mia.get("/api/projects/1/tasks")
            .await
            .ids(),
        [3, 1, 2]
    );
    // One that does moves it.
    let changed = mia
        .patch("/api/tasks/1", json!({"order": 8}))
        .await;
    assert_eq!(changed.expect(200)["order"], 8);
    assert_eq!(
        mia.get("/api/projects/1/tasks")
            .await
            .ids(),
        [3, 2, 1]
    );
}

#[tokio::test]
async fn tasks_of_no_project_can_be_reordered() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    posts!(mia, "/api/tasks", {"title": "Buy stamps", "organizationId": 1});
    patches!(mia, "/api/tasks/reorder", {"tasks": [{"id": 1, "order": 3}]});
    assert_eq!(task(&mia, 1).await["order"], 3);
}

#[tokio::test]
async fn a_hundred_tasks_are_reordered_at_once() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    mia.creates_tasks(["x"; 100]).await;
    let places: Vec<Value> = (1..=100)
        .map(|id| json!({"id": id, "order": 1000 - id}))
        .collect();
    patches!(mia, "/api/tasks/reorder", {"tasks": places});
    let reversed: Vec<i64> = (1..=100).rev().collect();
    assert_eq!(
        mia.get("/api/projects/1/tasks")
            .await
            .ids(),
        reversed
    );
}

#[tokio::test]
async fn a_reorder_is_all_or_nothing() {
    let (api, [mia, zac]) = Api::signed_in(["mia", "zac"]).await;
    mia.creates_task(json!({})).await;
    zac.creates_task(json!({"projectId": 3}))
        .await;
    let before = api.table_dump().await;
    for stranger in [2, 99] {
        let places = json!({"tasks": [{"id": 1, "order": 9}, {"id": stranger, "order": 1}]});
        let refused = mia
            .patch("/api/tasks/reorder", places)
            .await;
        refused.expect_not_found();
    }
    // A task has one place.
    let tasks = json!([{"id": 1, "order": 1}, {"id": 2, "order": 1}, {"id": 1, "order": 2}]);
    let twice = json!({"tasks": tasks});
    refused!(mia.patch("/api/tasks/reorder", twice).await => [("/tasks/2/id", "repeated")]);
    assert_eq!(before, api.table_dump().await);
}
