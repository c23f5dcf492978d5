//! `GET /api/tasks` by creation and by last change

use serde_json::{Value, json};
use tests::support::{Api, Caller, ids, posts};

const HOUR: i64 = 3_600_000;

/// Twelve tasks whose clocks disagree: the order of creation differs from the order of ids. Then
/// every third one is changed.
async fn twelve_tasks(api: &Api, max: &Caller) {
    let milestone = max.creates_milestone(json!({})).await;
    for number in 0..12 {
        // 0, 5, 10, 3, 8, 1, 6, 11, 4, 9, 2 and 7 hours.
        api.clock
            .advance(number * 5 % 12 * HOUR);
        max.creates_task(json!({
            "projectId": if number < 8 { 1 } else { 2 },
            "assigneeId": (number % 2 == 0).then(|| max.id()),
            "milestoneId": (number < 4).then_some(milestone),
            "status": if number % 4 == 0 { "done" } else { "todo" },
            "priority": if number % 5 == 0 { "high" } else { "low" },
            "dueDate": (number % 3 == 0).then_some("2026-03-01T00:00:00Z"),
        }))
        .await;
        api.clock
            .advance(-number * 5 % 12 * HOUR);
    }
    api.has_tag(api.home.id, "urgent").await;
    for id in [3, 9, 6, 12] {
        api.clock.advance(20 * HOUR);
        posts!(max, "/api/tasks/{id}/tags", {"tagId": 1});
    }
}

/// The filters of this test, which several indexes answer, or none.
const FILTERS: [&str; 16] = [
    "",
    "status=done",
    "status=done,todo",
    "priority=high&status=todo",
    "assigneeId=me",
    "assigneeId=none",
    "assigneeId=none,me&priority=low",
    "projectId=1",
    "projectId=1,2&dueBefore=2026-03-02T00:00:00Z",
    "projectId=2&assigneeId=me",
    "milestoneId=1",
    "milestoneId=none&phaseId=none",
    "tagId=1",
    "tagId=none",
    "dueAfter=2026-03-01T00:00:00Z",
    "updatedSince=2026-01-16T00:00:00Z",
];

fn sorted_by(mut rows: Vec<Value>, time: &str) -> Vec<(String, i64)> {
    let mut rows: Vec<_> = rows
        .drain(..)
        .map(|row| {
            (
                row[time].as_str().unwrap().to_owned(),
                row["id"].as_i64().unwrap(),
            )
        })
        .collect();
    rows.sort();
    rows
}

#[tokio::test]
async fn tasks_are_listed_by_creation_and_by_last_change_with_every_filter() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    twelve_tasks(&api, &max).await;
    api.indexes(api.home.id).await;
    for filter in FILTERS {
        let by_id = max
            .walk(&format!("/api/tasks?{filter}"))
            .await;
        assert!(!by_id.is_empty(), "{filter}");
        for (sort, time) in [
            ("createdAt", "createdAt"),
            ("-createdAt", "createdAt"),
            ("-updatedAt", "updatedAt"),
        ] {
            let mut expected = sorted_by(by_id.clone(), time);
            if sort.starts_with('-') {
                expected.reverse();
            }
            let expected: Vec<i64> = expected
                .into_iter()
                .map(|(_, id)| id)
                .collect();
            for limit in [1, 5, 200] {
                let path = format!("/api/tasks?{filter}&sort={sort}&limit={limit}");
                assert_eq!(ids(&max.walk(&path).await), expected, "{path}");
            }
        }
    }
}

/// A filtered page reads a bounded number of tasks, and leads to the next one.
#[tokio::test]
async fn a_rare_match_is_found_after_some_pages() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    for number in 0..450 {
        let status = if number == 0 { "done" } else { "todo" };
        max.creates_task(json!({"status": status}))
            .await;
    }
    let path = "/api/tasks?sort=-createdAt&status=done&limit=2";
    let mut page = max.get(path).await;
    // 202 tasks each.
    for _ in 0..2 {
        assert_eq!(page.ids(), Vec::<i64>::new());
        page = max.get(page.next().unwrap()).await;
    }
    assert_eq!((page.ids(), page.next()), (vec![1], None));
}
