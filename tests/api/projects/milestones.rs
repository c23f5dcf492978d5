//! `GET /api/projects/{projectId}/milestones`

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tests::support::{Api, ids, shows};

#[tokio::test]
async fn a_projects_milestones_come_by_due_date_with_nulls_last() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    for (due, status) in [
        (json!(null), "completed"),
        (json!("2026-03-01T00:00:00Z"), "pending"),
        (json!("2026-02-01T00:00:00Z"), "completed"),
        (json!("2026-03-01T00:00:00Z"), "pending"),
    ] {
        let milestone = json!({"dueDate": due, "status": status});
        max.creates_milestone(milestone).await;
    }
    max.creates_milestone(json!({"projectId": 2}))
        .await;
    for (query, expected) in [
        ("1/milestones?limit=2", vec![3, 2, 4, 1]),
        ("1/milestones?status=completed&sort=dueDate", vec![3, 1]),
        ("2/milestones", vec![5]),
    ] {
        let rows = max
            .walk(&format!("/api/projects/{query}"))
            .await;
        assert_eq!(ids(&rows), expected, "{query}");
    }
}

#[tokio::test]
async fn each_milestone_of_a_large_project_has_its_tasks() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    for _ in 0..120 {
        max.creates_milestone(json!({})).await;
    }
    let linked = max
        .creates_task(json!({"milestoneId": 7}))
        .await;
    max.creates_task(json!({"milestoneId": 9}))
        .await;
    let other = max.creates_task(json!({})).await;
    api.copy_tasks(&other, 1..=1_100).await;
    let first = max
        .get("/api/projects/1/milestones")
        .await;
    assert_eq!(first.ids(), (1..=100).collect::<Vec<_>>());
    shows!(first.expect(200), {"/6/tasks/0/id": linked["id"], "/8/tasks/0/id": 2, "/7/tasks": []});
    let rest = max.get(first.next().unwrap()).await;
    assert_eq!(rest.ids(), (101..=120).collect::<Vec<_>>());
}

fn path_of(url: &Value) -> &str {
    let url = url.as_str().unwrap();
    &url[url.find("/api/").unwrap()..]
}

/// Before, the first of these took 838 units and the second 1,281.
#[tokio::test]
async fn a_page_reads_the_tasks_of_its_own_milestones() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    for _ in 0..3 {
        max.creates_milestone(json!({})).await;
    }
    api.creates_long_tasks(1..=3, 9).await;
    for (query, rows, most) in [("?limit=1", 1, 150.0), ("", 3, 560.0)] {
        let path = format!("/api/projects/1/milestones{query}");
        let (page, units) = max.costs(&path).await;
        assert!(units < most, "{path}: {units}");
        let page = page.expect(200);
        assert_eq!(page.as_array().unwrap().len(), rows);
        let mut ids = page[0]["tasks"]
            .as_array()
            .unwrap()
            .clone();
        assert!((3..9).contains(&ids.len()), "{page}");
        ids.extend(
            max.walk(path_of(&page[0]["tasksNext"]))
                .await,
        );
        let ids: Vec<i64> = ids
            .iter()
            .map(|task| task["id"].as_i64().unwrap())
            .collect();
        assert_eq!(ids, (1..=9).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn a_page_ends_before_it_reads_many_long_tasks() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    for _ in 0..30 {
        max.creates_milestone(json!({})).await;
    }
    api.creates_long_tasks(1..=30, 5).await;
    let mut tasks = BTreeMap::new();
    let mut path = "/api/projects/1/milestones".to_owned();
    let mut pages = 0;
    loop {
        let (page, units) = max.costs(&path).await;
        assert!(units < 3_500.0, "{units}");
        pages += 1;
        for row in page.expect(200).as_array().unwrap() {
            let mut own = row["tasks"].as_array().unwrap().clone();
            if row["tasksNext"].is_string() {
                own.extend(
                    max.walk(path_of(&row["tasksNext"]))
                        .await,
                );
            }
            assert_eq!(tasks.insert(row["id"].as_i64().unwrap(), own.len()), None);
        }
        match page.next() {
            Some(next) => next.clone_into(&mut path),
            None => break,
        }
    }
    assert!(pages > 1);
    assert_eq!(tasks, (1..=30).map(|id| (id, 5)).collect());
}
