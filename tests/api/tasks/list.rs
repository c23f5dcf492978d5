//! `GET /api/tasks`

use serde_json::{Value, json};
use shared::model::base::span;
use tests::support::{Api, Caller, ids, patches, posts, refused, shows};

#[tokio::test]
async fn a_milestone_that_is_gone_is_seen_on_no_task() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    let milestone = max.creates_milestone(json!({})).await;
    max.creates_task(json!({"milestoneId": milestone}))
        .await;
    max.deletes(&format!("/api/milestones/{milestone}"))
        .await;
    // The link is still in the table: nothing has swept yet.
    let dump = api.records().await;
    assert!(
        dump.iter()
            .any(|item| item.contains("milestoneId"))
    );
    for path in ["/api/tasks", "/api/projects/1/tasks"] {
        let tasks = max.reads(path).await;
        assert_eq!(tasks[0]["milestoneId"], Value::Null, "{path}");
        assert_eq!(tasks[0]["milestone"], Value::Null, "{path}");
    }
    let changed = max
        .patch("/api/tasks/1", json!({"title": "x"}))
        .await;
    assert_eq!(changed.expect(200)["milestoneId"], Value::Null);
    let link = json!({"milestoneId": milestone});
    refused!(max.patch("/api/tasks/1", link).await => [("/milestoneId", "unknown")]);
    assert_eq!(api.cleans_up().await, 1);
    let dump = api.records().await;
    assert!(
        !dump
            .iter()
            .any(|item| item.contains("\"milestoneId\": N"))
    );
}

#[tokio::test]
async fn a_long_list_reads_its_objects_side_by_side() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    for _ in 0..120 {
        let milestone = max.creates_milestone(json!({})).await;
        max.creates_task(json!({"milestoneId": milestone}))
            .await;
    }
    // An instance that meets a project for the first time, by new rows, reads the scopes again.
    api.clock.advance(10 * span::SECOND);
    api.counter.take();
    let tasks = max.reads("/api/tasks").await;
    let used = api.counter.take();
    // The tasks beside authentication, then two batches of milestones and one of the project at
    // once.
    assert_eq!((used.in_sequence, used.total), (2, 5));
    for task in tasks.as_array().unwrap() {
        shows!(task["milestone"], {"id": task["milestoneId"], "title": "Cut-over"});
    }
}

/// Ten tasks: the first five of project 1, the others of project 2, every second one assigned to
/// max. Each is due a day before the one created before it; the last has no due date.
async fn ten_tasks(max: &Caller) {
    for number in 1..=10 {
        let day = 20 - number;
        let due = (number < 10).then(|| format!("2026-03-{day}T00:00:00Z"));
        let assignee = (number % 2 == 0).then(|| max.id());
        max.creates_task(json!({
            "title": format!("Task {number}"), "dueDate": due, "assigneeId": assignee,
            "projectId": if number <= 5 { 1 } else { 2 },
            "status": if number % 5 == 0 { "done" } else { "todo" },
        }))
        .await;
    }
}

#[tokio::test]
async fn a_list_is_read_page_by_page_in_every_order() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    ten_tasks(&max).await;
    for (query, expected) in [
        ("limit=3", (1..=10).collect::<Vec<_>>()),
        ("sort=-id&limit=3", (1..=10).rev().collect()),
        ("sort=order&projectId=2&limit=2", (6..=10).collect()),
        ("sort=dueDate&assigneeId=me&limit=2", vec![8, 6, 4, 2, 10]),
        ("assigneeId=me&limit=2", vec![2, 4, 6, 8, 10]),
        ("assigneeId=me&sort=-id&limit=2", vec![10, 8, 6, 4, 2]),
        ("projectId=1&limit=2&sort=-id", vec![5, 4, 3, 2, 1]),
        ("status=done&limit=1", vec![5, 10]),
    ] {
        let actual = ids(&max
            .walk(&format!("/api/tasks?{query}"))
            .await);
        assert_eq!(actual, expected, "{query}");
    }
    let of_project = ids(&max
        .walk("/api/projects/2/tasks?limit=2")
        .await);
    assert_eq!(of_project, [6, 7, 8, 9, 10]);
    // There is no link where there is no more.
    let whole = max.get("/api/tasks?limit=10").await;
    assert_eq!((whole.ids().len(), whole.next()), (10, None));
}

#[tokio::test]
async fn every_filter_keeps_what_fits() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    let [phase, ..] = api.has_phases().await;
    let milestone = max.creates_milestone(json!({})).await;
    ten_tasks(&max).await;
    patches!(max, "/api/tasks/3", {"milestoneId": milestone, "phaseId": phase, "priority": "high"});
    for (query, expected) in [
        ("status=done", vec![5, 10]),
        ("status=done,todo&priority=high", vec![3]),
        ("priority=high,urgent", vec![3]),
        ("assigneeId=none&projectId=2", vec![7, 9]),
        ("assigneeId=none,me&projectId=2", vec![6, 7, 8, 9, 10]),
        (&format!("assigneeId={}", max.id()), vec![2, 4, 6, 8, 10]),
        ("assigneeId=99", vec![]),
        ("projectId=1,2&status=done", vec![5, 10]),
        ("milestoneId=1", vec![3]),
        ("milestoneId=1&status=done", vec![]),
        ("milestoneId=none&projectId=1", vec![1, 2, 4, 5]),
        ("phaseId=1", vec![3]),
        ("phaseId=none&projectId=1", vec![1, 2, 4, 5]),
        ("dueBefore=2026-03-13T00:00:00Z", vec![8, 9]),
        ("dueAfter=2026-03-18T00:00:00%2B00:00", vec![1, 2]),
        (
            "dueAfter=2026-03-12T00:00:00Z&dueBefore=2026-03-14T00:00:00Z",
            vec![7, 8],
        ),
        ("updatedSince=2026-01-15T12:00:00Z&status=done", vec![5, 10]),
        ("updatedSince=2026-01-15T12:00:00.001Z", vec![]),
        ("tagId=1", vec![]),
    ] {
        let answer = max
            .get(&format!("/api/tasks?{query}"))
            .await;
        assert_eq!(answer.ids(), expected, "{query}");
    }
    let done = max
        .get("/api/projects/2/tasks?status=done")
        .await;
    assert_eq!(done.ids(), [10]);
    let zac = api.sign_in("zac").await;
    assert_eq!(
        zac.get("/api/tasks?projectId=1")
            .await
            .ids(),
        [0; 0]
    );
}

#[tokio::test]
async fn a_filter_of_what_is_gone_finds_nothing() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    let [phase, ..] = api.has_phases().await;
    let tag = api
        .has_tag(api.home.id, "urgent")
        .await
        .id;
    let milestone = max.creates_milestone(json!({})).await;
    max.creates_task(json!({"milestoneId": milestone, "phaseId": phase}))
        .await;
    max.records_activity(json!({})).await;
    for record in ["tasks", "activities"] {
        posts!(max, "/api/{record}/1/tags", {"tagId": tag});
    }
    let filters = [
        format!("/api/tasks?milestoneId={milestone}"),
        format!("/api/tasks?phaseId={phase}"),
        format!("/api/projects/1/tasks?phaseId={phase}"),
        format!("/api/tasks?tagId={tag}"),
        format!("/api/activities?tagId={tag}"),
    ];
    for path in &filters {
        assert_eq!(max.get(path).await.ids(), [1], "{path}");
    }
    for path in [
        format!("/api/milestones/{milestone}"),
        format!("/api/phases/{phase}"),
        format!("/api/tags/{tag}"),
    ] {
        max.deletes(&path).await;
    }
    // The records still name them: nothing has swept yet.
    for path in &filters {
        assert_eq!(max.get(path).await.ids(), [0; 0], "{path}");
    }
}

#[tokio::test]
async fn the_detail_of_a_fault_names_what_may_be_sent() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    for query in [
        "sort=order",
        "sort=order&projectId=1,2",
        "sort=dueDate&projectId=1",
    ] {
        refused!(mia.get(&format!("/api/tasks?{query}")).await => [("?sort", "combination")]);
    }
}

#[tokio::test]
async fn a_cursor_holds_for_its_list_filters_and_organization_alone() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    ten_tasks(&max).await;
    let page = max
        .get("/api/tasks?projectId=1&sort=order&limit=2")
        .await;
    let next = page.next().unwrap();
    assert_eq!(max.get(next).await.ids(), [3, 4]);
    let (_, cursor) = next.split_once("cursor=").unwrap();
    // How many rows are wanted may change on the way.
    let more = format!("/api/tasks?limit=3&cursor={cursor}&sort=order&projectId=1");
    assert_eq!(max.get(&more).await.ids(), [3, 4, 5]);
    // However the names of parameters are escaped, the next link has one cursor.
    let escaped = format!("/api/tasks?projectId=1&%73ort=order&limit=2&%63ursor={cursor}");
    let third = max.get(&escaped).await;
    assert_eq!(third.ids(), [3, 4]);
    assert_eq!(
        max.get(third.next().unwrap())
            .await
            .ids(),
        [5]
    );
    let mut forged = cursor.to_owned();
    let first = if forged.starts_with('A') { "B" } else { "A" };
    forged.replace_range(..1, first);
    for path in [
        format!("/api/tasks?cursor={cursor}"),
        format!("/api/tasks?projectId=1&cursor={cursor}"),
        format!("/api/tasks?projectId=2&sort=order&cursor={cursor}"),
        format!("/api/tasks?projectId=1&sort=order&status=todo&cursor={cursor}"),
        format!("/api/projects/1/tasks?sort=order&cursor={cursor}"),
        format!("/api/tasks?projectId=1&sort=order&cursor={forged}"),
        format!("/api/tasks?projectId=1&sort=order&cursor={}", &cursor[4..]),
    ] {
        refused!(max.get(&path).await => [("?cursor", "unknown")]);
    }
    let zoe = api.sign_in("zoe").await;
    zoe.get(next)
        .await
        .expect_faults(&[("?cursor", "unknown")]);
}

#[tokio::test]
async fn a_rare_filter_walks_a_thousand_rows_a_page() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    let row = max
        .creates_task(json!({"status": "done"}))
        .await;
    api.copy_tasks(&row, 1..=2_500).await;
    max.creates_task(json!({"status": "blocked"}))
        .await;
    api.clock.advance(10 * span::SECOND);
    let mut page = max
        .get("/api/tasks?status=blocked&limit=5")
        .await;
    let mut pages = vec![page.ids().len()];
    while let Some(next) = page.next().map(str::to_owned) {
        api.counter.take();
        page = max.get(&next).await;
        pages.push(page.ids().len());
        assert!(pages.len() < 10, "{pages:?}");
        let used = api.counter.take();
        assert!(used.in_sequence <= 3, "{used:?}");
    }
    assert_eq!(pages, [0, 0, 1]);
    assert_eq!(max.walk("/api/tasks").await.len(), 2_502);
    assert_eq!(max.get("/api/tasks").await.ids().len(), 1_000);
    // More tasks of one project than a look at all of them may read.
    let rows = max
        .walk("/api/tasks?projectId=1&limit=200")
        .await;
    assert_eq!(rows.len(), 2_502);
    assert!(ids(&rows).is_sorted());
}

/// Forty tasks of 200 kB. Before, a page read 5 MB of them.
#[tokio::test]
async fn a_filtered_page_reads_two_megabytes() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    max.creates_milestone(json!({})).await;
    api.creates_long_tasks(1..=1, 40).await;
    let (first_page, units) = max
        .costs("/api/tasks?status=done")
        .await;
    assert_eq!(first_page.expect(200), json!([]));
    assert!(units < 300.0, "{units}");
    let mut next = first_page.next().map(str::to_owned);
    let mut pages = 1;
    while let Some(path) = next {
        let page = max.get(&path).await;
        assert_eq!(page.ids(), [0; 0]);
        next = page.next().map(str::to_owned);
        pages += 1;
    }
    assert_eq!(pages, 4);
    assert_eq!(
        max.walk("/api/tasks?status=todo")
            .await
            .len(),
        40
    );
}
