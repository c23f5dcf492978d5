//! `DELETE /api/phases/{id}`

use serde_json::{Value, json};

use tests::support::Api;

#[tokio::test]
async fn a_deleted_phase_is_gone_and_its_tasks_stay() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    let [phase, ..] = api.has_phases().await;
    let path = format!("/api/phases/{phase}");
    let other = max
        .post("/api/projects/1/phases", json!({"title": "Test"}))
        .await;
    let other = other.expect(200)["id"].clone();
    let mut tasks = Vec::new();
    for phase in [json!(phase), other.clone(), json!(phase), Value::Null] {
        tasks.push(max.creates_task(json!({"phaseId": phase})).await["id"].clone());
    }
    max.delete(&path).await.expect(204);
    max.delete(&path).await.expect_problem(404, "not_found");
    max.patch(&path, json!({"title": "x"})).await.expect(404);
    let answer = max
        .patch("/api/tasks/4/phase", json!({"phaseId": phase}))
        .await;
    answer.expect_faults(&[("/phaseId", "unknown")]);
    let first = max.get("/api/tasks/1").await.expect(200);
    assert_eq!(first["phaseId"], Value::Null, "before anything is swept");
    assert_eq!(api.cleans_up().await, 1);
    let listed = max.get("/api/projects/1/tasks").await.expect(200);
    let phases: Vec<_> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|task| &task["phaseId"])
        .collect();
    assert_eq!(phases, [&Value::Null, &other, &Value::Null, &Value::Null]);
    let left = api.records().await;
    assert!(!left.iter().any(|row| row.contains("cleanup")));
    assert_eq!(api.cleans_up().await, 0);
}

/// More tasks than a step of the walk reads at once.
#[tokio::test]
async fn every_task_leaves_a_deleted_phase() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    let [phase, ..] = api.has_phases().await;
    let in_phase = max.creates_task(json!({"phaseId": phase})).await;
    api.copy_tasks(&in_phase, 1..=1_100).await;
    let outside = max.creates_task(json!({})).await;
    api.copy_tasks(&outside, 1..=50).await;
    max.delete(&format!("/api/phases/{phase}"))
        .await
        .expect(204);
    let in_it = async || {
        let mut rows = api.records().await;
        rows.retain(|row| row.contains("\"phaseId\": N"));
        rows.len()
    };
    assert_eq!(in_it().await, 1_101);
    assert_eq!(api.cleans_up().await, 1);
    assert_eq!(in_it().await, 0);
}
