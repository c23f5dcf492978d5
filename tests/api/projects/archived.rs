//! An archived project takes no new work.

use futures::future::join_all;
use serde_json::json;
use tests::support::{Answer, Api, Caller, patches};

/// Requests that bring project 1 new work.
async fn new_work(caller: &Caller) -> Vec<Answer> {
    let body = json!({"title": "x", "type": "note", "description": "x", "projectId": 1});
    let mut of_milestone = body.clone();
    of_milestone["milestoneId"] = json!(1);
    let mut answers = vec![
        caller
            .post("/api/tasks", of_milestone)
            .await,
    ];
    for path in ["tasks", "milestones", "activities", "projects/1/phases"] {
        answers.push(
            caller
                .post(&format!("/api/{path}"), body.clone())
                .await,
        );
    }
    answers
}

#[tokio::test]
async fn new_work_is_refused_until_the_project_is_taken_up_again() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    let milestone = max.creates_milestone(json!({})).await;
    let task = max.creates_task(json!({})).await["id"].clone();
    patches!(max, "/api/projects/1", {"status": "archived"});
    let before = api.records().await;
    for answer in new_work(&max).await {
        answer.expect_problem(409, "project_archived");
    }
    assert_eq!(before, api.records().await);
    // What is there can be read and finished.
    patches!(max, "/api/tasks/{task}", {"status": "done", "milestoneId": milestone});
    max.reads("/api/projects/1/tasks").await;
    max.creates_task(json!({"projectId": 2}))
        .await;
    for status in ["on_hold", "completed", "active"] {
        patches!(max, "/api/projects/1", {"status": status});
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
                patches!(max, "/api/projects/1", {"status": "archived"});
                let late = max.post("/api/tasks", json!({"title": "late", "projectId": 1}));
                late.await
                    .expect_problem(409, "project_archived");
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
