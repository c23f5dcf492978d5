//! `GET /api/tasks`

use serde_json::{Value, json};

use crate::support::Api;

#[tokio::test]
async fn a_milestone_that_is_gone_is_seen_on_no_task() {
    let api = Api::start().await;
    let max = api.sign_in("max").await;
    let milestone = max.creates_milestone(json!({})).await;
    max.creates_task(json!({"milestoneId": milestone})).await;
    max.delete(&format!("/api/milestones/{milestone}"))
        .await
        .expect(204);
    // The link is still in the table: nothing has swept yet.
    let dump = api.records().await;
    assert!(dump.iter().any(|item| item.contains("milestoneId")));
    for path in ["/api/tasks", "/api/projects/1/tasks"] {
        let tasks = max.get(path).await.expect(200);
        assert_eq!(tasks[0]["milestoneId"], Value::Null, "{path}");
        assert_eq!(tasks[0]["milestone"], Value::Null, "{path}");
    }
    let changed = max.patch("/api/tasks/1", json!({"title": "x"})).await;
    assert_eq!(changed.expect(200)["milestoneId"], Value::Null);
    let link = json!({"milestoneId": milestone});
    max.patch("/api/tasks/1", link)
        .await
        .expect_faults(&[("/milestoneId", "unknown")]);
    assert_eq!(api.store.cleanups().run_due(10).await.unwrap(), 1);
    let dump = api.records().await;
    assert!(!dump.iter().any(|item| item.contains("milestoneId")));
}

#[tokio::test]
async fn a_long_list_reads_its_objects_side_by_side() {
    let api = Api::start().await;
    let max = api.sign_in("max").await;
    for _ in 0..120 {
        let milestone = max.creates_milestone(json!({})).await;
        max.creates_task(json!({"milestoneId": milestone})).await;
    }
    api.counter.take();
    let tasks = max.get("/api/tasks").await.expect(200);
    let used = api.counter.take();
    // Authentication, the tasks, and two batches at once.
    assert_eq!((used.in_sequence, used.total), (3, 4));
    for task in tasks.as_array().unwrap() {
        assert_eq!(task["milestone"]["id"], task["milestoneId"]);
        assert_eq!(task["milestone"]["title"], "Cut-over");
    }
}
