//! `PATCH /api/projects/{id}`

use futures::future::join_all;
use serde_json::json;
use tests::support::{Api, patches, shows};

#[tokio::test]
async fn a_renamed_project_is_found_by_its_new_title_alone() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    patches!(max, "/api/projects/1", {"title": "Harbour lights"});
    for (query, expected) in [("harbour", vec![1]), ("billing", vec![])] {
        let path = format!("/api/managed-services/search-references?query={query}");
        assert_eq!(max.get(&path).await.ids(), expected, "{query}");
    }
    let task = max.creates_task(json!({})).await["id"].clone();
    shows!(max.reads("/api/tasks").await[0], {"id": task, "/project/title": "Harbour lights"});
}

#[tokio::test]
async fn active_projects_are_counted_whatever_happens_at_once() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    let active = async || {
        let dashboard = max
            .reads("/api/managed-services/dashboard")
            .await;
        dashboard["metrics"]["activeEngagements"]
            .as_i64()
            .unwrap()
    };
    for (status, count) in [
        ("on_hold", 1),
        ("completed", 1),
        ("active", 2),
        ("active", 2),
        ("archived", 1),
        ("active", 2),
    ] {
        patches!(max, "/api/projects/1", {"status": status});
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
    let expected = 1 + i64::from(max.reads("/api/projects/1").await["status"] == "active");
    assert_eq!(active().await, expected);
}
