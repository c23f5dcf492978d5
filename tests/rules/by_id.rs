//! Lists by the ids of their rows: the same rows in the same order as without, each as it is now.

use serde_json::{Value, json};
use tests::support::{Caller, Operation, World, budgets::within, creates, example};

/// An id that no record has.
const UNKNOWN: i64 = 987_654_321;

/// The lists that take ids.
fn lists() -> impl Iterator<Item = &'static Operation> {
    let takes_ids = |parameter: &Value| parameter["in"] == "query" && parameter["name"] == "id";
    Operation::reads().filter(move |operation| operation.parameters().any(takes_ids))
}

/// The orders of a list that need no filter.
fn sorts(list: &Operation) -> Vec<&str> {
    let mut sorts = list.sorts();
    sorts.retain(|name| list.path != "/api/tasks" || !["order", "dueDate"].contains(name));
    sorts
}

fn ids(rows: &[Value]) -> Vec<i64> {
    rows.iter()
        .map(|row| row["id"].as_i64().unwrap())
        .collect()
}

/// Adds rows to each list that takes ids.
async fn has_rows(by: &Caller) {
    for number in 1..=3 {
        let title = format!("Row {number}");
        by.creates_task(json!({"title": title}))
            .await;
        let content = json!({"content": title});
        for subject in ["tasks", "activities", "service-requests"] {
            let path = format!("/api/{subject}/1/comments");
            by.creates(&path, content.clone()).await;
        }
        by.creates("/api/tags", json!({"name": title}))
            .await;
        creates!(by, "/api/projects/1/phases", {"title": title, "order": 10 - number});
        creates!(by, "/api/managed-services/tickets", {"title": title, "description": title});
        let request = json!({"title": title});
        by.creates("/api/managed-services/request", request)
            .await;
    }
}

#[tokio::test]
async fn rows_by_id_are_those_of_the_list_in_its_order() {
    let world = Box::pin(World::start()).await;
    let caller = world.caller().await;
    has_rows(&caller).await;
    let mut seen = 0;
    for list in lists() {
        let path = example(&list.path, "1");
        for sort in sorts(list) {
            let rows = caller
                .walk(&format!("{path}?sort={sort}"))
                .await;
            assert!(rows.len() >= 3, "{path}: {rows:?}");
            // In no order, one twice, one unknown.
            let mut named: Vec<String> = ids(&rows)
                .iter()
                .map(ToString::to_string)
                .collect();
            named.sort_unstable();
            named.push(UNKNOWN.to_string());
            named.push(named[0].clone());
            let at_commas = format!("{path}?sort={sort}&id={}", named.join(","));
            let answer = caller.get(&at_commas).await;
            assert!(answer.next().is_none(), "{at_commas}");
            assert_eq!(answer.expect(200), Value::from(rows.clone()), "{at_commas}");
            let repeated = format!("{path}?sort={sort}&id={}", named.join("&id="));
            assert_eq!(caller.walk(&repeated).await, rows, "{repeated}");
            let in_pages = format!("{at_commas}&limit=2");
            assert_eq!(caller.walk(&in_pages).await, rows, "{in_pages}");
            let few = format!("{path}?sort={sort}&id={UNKNOWN},{}", named[1]);
            let expected = [named[1].parse::<i64>().unwrap()];
            assert_eq!(ids(&caller.walk(&few).await), expected, "{few}");
            seen += 1;
        }
        let beyond: Vec<_> = (1..=101)
            .map(|id| id.to_string())
            .collect();
        let answer = caller
            .get(&format!("{path}?id={}", beyond.join(",")))
            .await;
        answer.expect_faults(&[("?id", "length")]);
    }
    assert!(seen >= 14, "{seen}");
}

/// A filter beside the ids means the same as without them, in each order.
#[tokio::test]
async fn other_filters_hold_for_rows_by_id() {
    let world = Box::pin(World::start()).await;
    let caller = world.caller().await;
    has_rows(&caller).await;
    let mut seen = 0;
    for (path, filters) in [
        (
            "/api/tasks",
            "status=todo,done priority=high projectId=1 projectId=none milestoneId=1 milestoneId=none \
             assigneeId=me assigneeId=none tagId=none dueBefore=2026-06-01T00:00:00Z \
             updatedSince=2026-01-15T12:00:00Z sort=order&projectId=1 sort=dueDate&assigneeId=me",
        ),
        (
            "/api/projects/1/tasks",
            "status=todo phaseId=none assigneeId=none,me",
        ),
        (
            "/api/service-requests",
            "status=open status=closed priority=medium,low category=none assigneeId=none creatorId=me \
             updatedSince=2026-01-15T12:00:00Z",
        ),
        (
            "/api/managed-services/tickets",
            "status=open status=resolved,closed priority=medium assigneeId=none creatorId=me,none \
             sort=-lastMessageAt&status=open updatedSince=2026-01-15T12:00:00Z",
        ),
    ] {
        let list = path.replace("/projects/1/tasks", "/tasks");
        let every = ids(&caller.walk(&list).await);
        let every: Vec<_> = every
            .iter()
            .map(ToString::to_string)
            .collect();
        for filter in filters.split(' ') {
            let alone = caller
                .walk(&format!("{path}?{filter}"))
                .await;
            let by_id = format!("{path}?{filter}&id={}", every.join(","));
            assert_eq!(ids(&caller.walk(&by_id).await), ids(&alone), "{by_id}");
            seen += usize::from(!alone.is_empty());
        }
    }
    assert!(seen >= 15, "{seen}");
}

/// Rows of others are left out: of another organization, and of another record of this one.
#[tokio::test]
async fn rows_of_another_record_have_no_id_here() {
    let world = Box::pin(World::start()).await;
    let caller = world.caller().await;
    has_rows(&caller).await;
    let zoe = world.api().sign_in("zoe").await;
    for list in [
        "/api/tasks",
        "/api/tags",
        "/api/service-requests",
        "/api/managed-services/tickets",
    ] {
        let foreign = format!("{list}?id=1,2,3");
        assert_eq!(zoe.get(&foreign).await.ids(), [0; 0], "{foreign}");
        assert!(
            !caller
                .get(&foreign)
                .await
                .ids()
                .is_empty(),
            "{foreign}"
        );
    }
    let body = json!({"title": "Beside", "projectId": 2});
    let task = caller.creates("/api/tasks", body).await;
    let comments = format!("/api/tasks/{task}/comments");
    let body = json!({"content": "Beside."});
    let comment = caller.creates(&comments, body).await;
    let body = json!({"title": "Beside"});
    let phase = caller
        .creates("/api/projects/2/phases", body)
        .await;
    for (list, id) in [
        ("/api/projects/{}/tasks", task),
        ("/api/projects/{}/phases", phase),
    ] {
        let [other, own] =
            ["1", "2"].map(|project| format!("{}?id={id}", list.replace("{}", project)));
        assert_eq!(caller.get(&other).await.ids(), [0; 0], "{other}");
        assert_eq!(caller.get(&own).await.ids(), [id], "{own}");
    }
    let other = format!("/api/tasks/1/comments?id={comment}");
    assert_eq!(caller.get(&other).await.ids(), [0; 0]);
    let answer = caller
        .get("/api/tasks/987654321/comments?id=1")
        .await;
    answer.expect(404);
}

#[tokio::test]
async fn a_hundred_rows_by_id_are_within_the_budget_of_their_list() {
    let world = Box::pin(World::start()).await;
    let caller = world.caller().await;
    let mut named = Vec::new();
    for number in 0..100 {
        let task = json!({
            "title": format!("Task {number}"), "projectId": 1, "milestoneId": 1, "assigneeId": caller.id(),
        });
        named.push(
            caller
                .creates("/api/tasks", task)
                .await
                .to_string(),
        );
    }
    let caller = world.caller().await;
    for list in lists() {
        let path = format!("{}?id={}", example(&list.path, "1"), named.join(","));
        world.api().counter.take();
        let answer = caller.get(&path).await;
        within(world.api(), &format!("GET {}", list.path), 200, &answer);
    }
}
