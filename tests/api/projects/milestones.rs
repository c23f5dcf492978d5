//! `GET /api/projects/{projectId}/milestones`

use serde_json::json;

use tests::support::Api;

#[tokio::test]
async fn a_projects_milestones_come_by_due_date_with_nulls_last() {
    let api = Api::start().await;
    let max = api.sign_in("max").await;
    for due in [
        json!(null),
        json!("2026-03-01T00:00:00Z"),
        json!("2026-02-01T00:00:00Z"),
        json!("2026-03-01T00:00:00Z"),
    ] {
        max.creates_milestone(json!({"dueDate": due})).await;
    }
    max.creates_milestone(json!({"projectId": 2})).await;
    assert_eq!(
        max.get("/api/projects/1/milestones").await.ids(),
        [3, 2, 4, 1]
    );
    assert_eq!(max.get("/api/projects/2/milestones").await.ids(), [5]);
}

#[tokio::test]
async fn milestones_are_paged_and_filtered() {
    let api = Api::start().await;
    let max = api.sign_in("max").await;
    for number in 0..5 {
        let due = (number > 0).then(|| format!("2026-02-0{number}T00:00:00Z"));
        let status = if number % 2 == 0 {
            "completed"
        } else {
            "pending"
        };
        max.creates_milestone(json!({"dueDate": due, "status": status}))
            .await;
    }
    let path = "/api/projects/1/milestones";
    let rows = max.walk(&format!("{path}?limit=2")).await;
    let ids: Vec<_> = rows.iter().map(|row| row["id"].as_i64().unwrap()).collect();
    assert_eq!(ids, [2, 3, 4, 5, 1]);
    let done = max
        .get(&format!("{path}?status=completed&sort=dueDate"))
        .await;
    assert_eq!(done.ids(), [3, 5, 1]);
    let late = max.get(&format!("{path}?status=late")).await;
    late.expect_faults(&[("?status", "value")]);
    let sort = max.get(&format!("{path}?sort=title")).await;
    sort.expect_faults(&[("?sort", "value")]);
}

#[tokio::test]
async fn each_milestone_of_a_large_project_has_its_tasks() {
    let api = Api::start().await;
    let max = api.sign_in("max").await;
    for _ in 0..120 {
        max.creates_milestone(json!({})).await;
    }
    let linked = max.creates_task(json!({"milestoneId": 7})).await;
    max.creates_task(json!({"milestoneId": 9})).await;
    let other = max.creates_task(json!({})).await;
    api.copy_tasks(&other, 1..=1_100).await;
    let first = max.get("/api/projects/1/milestones").await;
    assert_eq!(first.ids(), (1..=100).collect::<Vec<_>>());
    let body = first.expect(200);
    assert_eq!(body[6]["tasks"][0]["id"], linked["id"]);
    assert_eq!(body[8]["tasks"][0]["id"], 2);
    assert_eq!(body[7]["tasks"], json!([]));
    let rest = max.get(first.next().unwrap()).await;
    assert_eq!(rest.ids(), (101..=120).collect::<Vec<_>>());
}
