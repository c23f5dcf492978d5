//! Records that do not read harm only themselves: operations beside them are answered.

use serde_json::{Value, json};
use shared::store::metered;
use tests::support::{Answer, Api, Operation, World, creates, example, shows, text_of};

/// The rows of an answer, of which there are some.
fn rows(answer: &Answer) -> Vec<Value> {
    let rows = answer
        .expect(200)
        .as_array()
        .unwrap()
        .clone();
    assert!(!rows.is_empty());
    rows
}

/// Every read is answered, whatever becomes of the records that others name.
#[tokio::test]
async fn records_are_shown_without_an_unreadable_one_they_name() {
    let world = World::start().await;
    let api = world.api();
    let ada = api.sign_in("ada").await;
    let own = ada.id().to_string();
    let is_other = |item: &_| text_of(item, "username") != "ada";
    assert!(api.damages("user", is_other).await >= 3, "{own}");
    for kind in ["tag", "milestone"] {
        assert!(api.damages(kind, |_| true).await >= 2, "{kind}");
    }
    let is_document = |operation: &&Operation| operation.path.ends_with("openapi.json");
    let mut read = 0;
    for list in Operation::reads().filter(|operation| !is_document(operation)) {
        let by_id = [
            "/api/users/{id}",
            "/api/users/{id}/sessions",
            "/api/users/{id}/tokens",
            "/api/milestones/{id}",
        ];
        let by_id = by_id.contains(&list.path.as_str());
        let answer = ada.get(&example(&list.path, "1")).await;
        let path = &list.path;
        let text = &answer.text;
        assert_eq!(answer.status >= 500, by_id, "{path}: {text}");
        read += usize::from(answer.status == 200);
    }
    assert!(read >= 20, "{read}");
    for row in rows(&ada.get("/api/tasks").await) {
        for name in ["assignee", "milestone", "milestoneId"] {
            assert_eq!(row[name], Value::Null, "{name}");
        }
        assert_eq!(row["tags"], json!([]));
    }
    for subject in ["service-requests", "activities", "tasks"] {
        let (comments, used) = metered(ada.get(&format!("/api/{subject}/1/comments"))).await;
        for row in rows(&comments) {
            assert_eq!(row["user"], Value::Null, "{row}");
        }
        assert_eq!(used.unreadable.len(), 1);
    }
    for row in rows(&ada.get("/api/activities").await) {
        assert_eq!(row["creator"], Value::Null, "{row}");
    }
    assert!(ada.get("/api/users").await.ids().len() == 1);
    assert!(ada.reads("/api/tags").await == json!([]));
}

#[tokio::test]
async fn work_of_a_project_that_does_not_read_is_still_there() {
    let (api, [ada]) = Api::signed_in(["ada"]).await;
    ada.creates_task(json!({})).await;
    ada.records_activity(json!({"projectId": 1}))
        .await;
    let first = |item: &_| text_of(item, "sk") == format!("{:016}", 1);
    let is_home = |item: &_| first(item) && text_of(item, "pk") == "ORG#1#PROJECT";
    assert_eq!(api.damages("project", is_home).await, 1);
    shows!(ada.reads("/api/tasks/1").await, {"projectId": 1, "project": null});
    for list in ["/api/tasks", "/api/activities"] {
        shows!(rows(&ada.get(list).await)[0], {"projectId": 1, "project": null});
    }
    let titles: Vec<_> = rows(
        &ada.get("/api/managed-services/search-references")
            .await,
    );
    let titles: Vec<_> = titles
        .iter()
        .map(|row| row["title"].clone())
        .collect();
    assert_eq!(
        titles.len(),
        2,
        "the other project and the organization: {titles:?}"
    );
    // By its own id, it is an error.
    for path in ["/api/projects/1", "/api/projects/1/tasks"] {
        ada.get(path)
            .await
            .expect_problem(500, "internal_error");
    }
}

#[tokio::test]
async fn the_dashboard_shows_the_newest_that_read() {
    let world = World::start().await;
    let ada = world.api().sign_in("ada").await;
    for number in 0..22 {
        ada.raises_request().await;
        creates!(ada, "/api/managed-services/tickets", {"title": format!("Ticket {number}")});
        ada.records_activity(json!({})).await;
        world.api().clock.advance(1);
    }
    let lists = [
        ("service_request", "serviceRequests"),
        ("ticket", "tickets"),
        ("activity", "activityFeed"),
    ];
    let dashboard = async || {
        ada.get("/api/managed-services/dashboard")
            .await
            .expect(200)
    };
    let ids = |dashboard: &Value, list: &str| -> Vec<i64> {
        let rows = dashboard[list]
            .as_array()
            .unwrap()
            .iter();
        rows.map(|row| row["id"].as_i64().unwrap())
            .collect()
    };
    let before = dashboard().await;
    for (kind, list) in lists {
        let newest = ids(&before, list);
        let sk = format!("{:016}", newest[1]);
        let second = |item: &_| text_of(item, "sk") == sk;
        assert_eq!(world.api().damages(kind, second).await, 1, "{kind}");
        let after = ids(&dashboard().await, list);
        let shown = (after.len(), after[0], &after[1..19]);
        assert_eq!(shown, (20, newest[0], &newest[2..]));
    }
}
