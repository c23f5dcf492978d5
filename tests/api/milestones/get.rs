//! `GET /api/milestones/{id}`

use serde_json::json;
use tests::support::{Api, creates, snapshot};

#[tokio::test]
async fn a_milestone_keeps_every_field() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    let id = creates!(max, "/api/milestones", {
        "title": "Cut-over", "projectId": 2, "description": "All at once",
        "startDate": "2026-02-01T00:00:00+01:00", "dueDate": "2026-02-28T12:00:00.5Z",
        "status": "in_progress", "unknown": "is ignored",
    });
    snapshot!(max.reads(&format!("/api/milestones/{id}")).await, @r#"
    {
      "createdAt": "2026-01-15T12:00:00.000Z",
      "description": "All at once",
      "dueDate": "2026-02-28T12:00:00.500Z",
      "id": 1,
      "projectId": 2,
      "startDate": "2026-01-31T23:00:00.000Z",
      "status": "in_progress",
      "tasks": [],
      "tasksNext": null,
      "title": "Cut-over",
      "updatedAt": "2026-01-15T12:00:00.000Z",
      "version": 1
    }
    "#);
}

#[tokio::test]
async fn a_milestone_links_the_tasks_that_it_does_not_show() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    let milestone = max.creates_milestone(json!({})).await;
    let task = max
        .creates_task(json!({"milestoneId": milestone}))
        .await;
    let path = format!("/api/milestones/{milestone}");
    assert_eq!(max.reads(&path).await["tasksNext"], json!(null));
    api.copy_tasks(&task, 1..=250).await;
    let read = max.reads(&path).await;
    let listed = max
        .reads("/api/projects/1/milestones")
        .await;
    for milestone in [&read, &listed[0]] {
        let shown = milestone["tasks"].as_array().unwrap();
        assert_eq!(shown.len(), 200);
        let next = milestone["tasksNext"].as_str().unwrap();
        let (_, next) = next.split_once(".com").unwrap();
        let more = max.walk(next).await;
        let ids = shown
            .iter()
            .chain(&more)
            .map(|task| task["id"].as_i64());
        let ids = ids.collect::<Vec<_>>();
        assert_eq!(ids, (1..=251).map(Some).collect::<Vec<_>>());
    }
}
