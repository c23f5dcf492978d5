//! `PATCH /api/projects/{id}`

use futures::future::join_all;
use serde_json::{Value, json};

use tests::support::{Api, shows};

#[tokio::test]
async fn a_change_keeps_what_is_absent_and_clears_what_is_null() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    let path = "/api/projects/1";
    let about = json!({"description": "All customers."});
    max.patch(path, about).await.expect(200);
    api.clock.advance(1_000);
    let renamed = json!({"title": "Billing, moved", "status": "completed"});
    let project = max.patch(path, renamed).await.expect(200);
    assert_eq!(
        project,
        json!({
            "id": 1, "title": "Billing, moved", "description": "All customers.",
            "status": "completed", "version": 3,
            "createdAt": "2026-01-15T12:00:00.000Z", "updatedAt": "2026-01-15T12:00:01.000Z",
        })
    );
    let cleared = json!({"description": null});
    let project = max.patch(path, cleared).await.expect(200);
    assert_eq!(project["description"], Value::Null);
    assert_eq!(project, max.get(path).await.expect(200));
}

#[tokio::test]
async fn a_renamed_project_is_found_by_its_new_title_alone() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    let renamed = json!({"title": "Harbour lights"});
    max.patch("/api/projects/1", renamed).await.expect(200);
    for (query, found) in [("harbour", vec![1]), ("billing", vec![])] {
        let path = format!("/api/managed-services/search-references?query={query}");
        assert_eq!(max.get(&path).await.ids(), found, "{query}");
    }
    let task = max.creates_task(json!({})).await["id"].clone();
    let tasks = max.get("/api/tasks").await.expect(200);
    shows!(tasks[0], {"id": task, "/project/title": "Harbour lights"});
}

#[tokio::test]
async fn active_projects_are_counted_whatever_happens_at_once() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    let active = async || {
        let dashboard = max.get("/api/managed-services/dashboard").await.expect(200);
        dashboard["metrics"]["activeEngagements"].as_i64().unwrap()
    };
    for (status, count) in [
        ("on_hold", 1),
        ("completed", 1),
        ("active", 2),
        ("active", 2),
        ("archived", 1),
        ("active", 2),
    ] {
        let change = json!({"status": status});
        max.patch("/api/projects/1", change).await.expect(200);
        assert_eq!(active().await, count, "{status}");
    }
    let changes = [
        "on_hold",
        "active",
        "archived",
        "active",
        "on_hold",
        "completed",
    ];
    let changes = changes.map(|status| max.patch("/api/projects/1", json!({"status": status})));
    for answer in join_all(changes).await {
        assert!([200, 409].contains(&answer.status), "{}", answer.text);
    }
    let project = max.get("/api/projects/1").await.expect(200);
    let expected = 1 + i64::from(project["status"] == "active");
    assert_eq!(active().await, expected);
}
