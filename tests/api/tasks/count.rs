//! `GET /api/projects/{projectId}/task-counts`

use serde_json::json;
use tests::support::{Api, shows, snapshot};

#[tokio::test]
async fn a_projects_tasks_are_counted_by_status_and_assignee() {
    let (api, [max, mia]) = Api::signed_in(["max", "mia"]).await;
    for (status, assignee) in [
        ("todo", Some(mia.id())),
        ("done", Some(mia.id())),
        ("todo", Some(max.id())),
        ("blocked", None),
    ] {
        let task = json!({"status": status, "assigneeId": assignee});
        mia.creates_task(task).await;
    }
    mia.creates_task(json!({"projectId": 2}))
        .await;
    let vic = api.sign_in("vic").await;
    snapshot!(vic.reads("/api/projects/1/task-counts").await, @r#"
    {
      "byAssignee": [
        {"assignee": {"fullName": "Mia Tester", "id": 2, "username": "mia"}, "total": 2},
        {"assignee": null, "total": 1},
        {"assignee": {"fullName": "Max Tester", "id": 1, "username": "max"}, "total": 1}
      ],
      "byStatus": {
        "backlog": 0,
        "blocked": 1,
        "cancelled": 0,
        "done": 1,
        "in_progress": 0,
        "in_review": 0,
        "todo": 2
      },
      "complete": true,
      "total": 4
    }
    "#);
}

#[tokio::test]
async fn ten_thousand_tasks_are_counted_and_no_more() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let task = mia.creates_task(json!({})).await;
    api.copy_tasks(&task, 2..=10_000).await;
    let path = "/api/projects/1/task-counts";
    shows!(mia.reads(path).await, {"total": 10_000, "complete": true});
    mia.creates_task(json!({})).await;
    shows!(mia.reads(path).await, {"total": 10_000, "complete": false, "/byStatus/todo": 10_000});
}
