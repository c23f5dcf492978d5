//! An archived project takes no new work.

use futures::future::join_all;
use serde_json::json;

use tests::support::{Api, Caller};

/// Requests that bring project 1 new work.
async fn new_work(caller: &Caller) -> Vec<tests::support::Answer> {
    vec![
        caller
            .post("/api/tasks", json!({"title": "x", "projectId": 1}))
            .await,
        caller
            .post(
                "/api/tasks",
                json!({"title": "x", "projectId": 1, "milestoneId": 1}),
            )
            .await,
        caller
            .post("/api/milestones", json!({"title": "x", "projectId": 1}))
            .await,
        caller
            .post(
                "/api/activities",
                json!({"type": "note", "description": "x", "projectId": 1}),
            )
            .await,
        caller
            .post("/api/projects/1/phases", json!({"title": "x"}))
            .await,
    ]
}

#[tokio::test]
async fn new_work_is_refused_until_the_project_is_taken_up_again() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    let milestone = max.creates_milestone(json!({})).await;
    let task = max.creates_task(json!({})).await["id"].clone();
    let archived = json!({"status": "archived"});
    max.patches("/api/projects/1", archived).await;
    let before = api.records().await;
    for answer in new_work(&max).await {
        answer.expect_problem(409, "project_archived");
    }
    assert_eq!(before, api.records().await);
    // What is there can be read and finished.
    let path = format!("/api/tasks/{task}");
    let done = json!({"status": "done", "milestoneId": milestone});
    max.patches(&path, done).await;
    max.reads("/api/projects/1/tasks").await;
    max.creates_task(json!({"projectId": 2})).await;
    for status in ["on_hold", "completed", "active"] {
        let change = json!({"status": status});
        max.patches("/api/projects/1", change).await;
        for answer in new_work(&max).await {
            answer.expect(200);
        }
    }
}

/// Work that began after the project was archived does not come to be, whatever is under way.
#[tokio::test]
async fn nothing_that_begins_after_an_archiving_comes_to_be() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    let creates = (0..20).map(|at| {
        let max = max.clone();
        tokio::spawn(async move {
            if at == 7 {
                let archived = json!({"status": "archived"});
                max.patches("/api/projects/1", archived).await;
                let late = max.post("/api/tasks", json!({"title": "late", "projectId": 1}));
                late.await.expect_problem(409, "project_archived");
                return;
            }
            let body = json!({"title": "x", "projectId": 1});
            let answer = max.post("/api/tasks", body).await;
            if answer.status != 200 {
                answer.expect_problem(409, "project_archived");
            }
        })
    });
    for done in join_all(creates).await {
        done.unwrap();
    }
    let tasks = max.reads("/api/projects/1/tasks").await;
    let mut tasks = tasks.as_array().unwrap().iter();
    assert!(tasks.all(|task| task["title"] == "x"));
}
