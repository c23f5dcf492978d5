//! `GET /api/projects/{projectId}/tasks`

use serde_json::json;
use tests::support::{Api, patches};

#[tokio::test]
async fn a_projects_tasks_come_by_order_without_those_of_others() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    let [first, second] = mia
        .creates_tasks(["Draft", "Review"])
        .await;
    let other = mia
        .creates_task(json!({"projectId": 2}))
        .await;
    patches!(mia, "/api/tasks/reorder", {
        "tasks": [{"id": second, "order": 1}, {"id": first, "order": 2}],
    });
    let tasks = mia.get("/api/projects/1/tasks").await;
    assert_eq!(tasks.ids(), [second, first]);
    let tasks = mia.get("/api/projects/2/tasks").await;
    assert_eq!(tasks.ids(), [other["id"].as_i64().unwrap()]);
}
