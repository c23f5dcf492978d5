//! `DELETE /api/phases/{id}`

use serde_json::{Value, json};
use tests::support::{Api, posts, refused};

#[tokio::test]
async fn a_deleted_phase_is_gone_and_its_tasks_stay() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    let [phase, ..] = api.has_phases().await;
    let path = format!("/api/phases/{phase}");
    let other = posts!(max, "/api/projects/1/phases", {"title": "Test"})["id"].clone();
    let mut tasks = Vec::new();
    for phase in [json!(phase), other.clone(), json!(phase), Value::Null] {
        tasks.push(
            max.creates_task(json!({"phaseId": phase}))
                .await["id"]
                .clone(),
        );
    }
    max.deletes(&path).await;
    max.delete(&path)
        .await
        .expect_not_found();
    max.patch(&path, json!({"title": "x"}))
        .await
        .expect(404);
    let body = json!({"phaseId": phase});
    refused!(max.patch("/api/tasks/4/phase", body).await => [("/phaseId", "unknown")]);
    let first = max.reads("/api/tasks/1").await;
    assert_eq!(first["phaseId"], Value::Null, "before anything is swept");
    assert_eq!(api.cleans_up().await, 1);
    let listed = max.reads("/api/projects/1/tasks").await;
    let phases: Vec<_> = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|task| &task["phaseId"])
        .collect();
    assert_eq!(phases, [&Value::Null, &other, &Value::Null, &Value::Null]);
    let left = api.records().await;
    assert!(
        !left
            .iter()
            .any(|row| row.contains("cleanup"))
    );
    assert_eq!(api.cleans_up().await, 0);
}
