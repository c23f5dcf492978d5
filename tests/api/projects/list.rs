//! `GET /api/projects`

use serde_json::Value;
use tests::support::{Api, creates, patches};

fn titles(rows: &[Value]) -> Vec<&str> {
    let titles = rows
        .iter()
        .map(|row| row["title"].as_str().unwrap());
    titles.collect()
}

#[tokio::test]
async fn projects_come_by_title_archived_ones_only_when_asked_for() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    for (title, status) in [
        ("Office", "on_hold"),
        ("archive of old bills", "archived"),
        ("Zebra", "completed"),
        ("billing", "archived"),
        ("Office move", "active"),
    ] {
        creates!(max, "/api/projects", {"title": title, "status": status});
    }
    let live = [
        "Billing migration",
        "Office",
        "Office move",
        "Office move",
        "Zebra",
    ];
    for (query, expected) in [
        ("", live.to_vec()),
        ("sort=title", live.to_vec()),
        (
            "status=active",
            vec!["Billing migration", "Office move", "Office move"],
        ),
        ("status=on_hold,completed", vec!["Office", "Zebra"]),
        ("status=archived", vec!["archive of old bills", "billing"]),
        (
            "status=archived,completed",
            vec!["archive of old bills", "billing", "Zebra"],
        ),
        ("query=BILL", vec!["Billing migration"]),
        (
            "query=bill&status=archived",
            vec!["archive of old bills", "billing"],
        ),
        ("query=move+off", vec!["Office move", "Office move"]),
    ] {
        for part in ["", "&limit=1", "&limit=3"] {
            let rows = max
                .walk(&format!("/api/projects?{query}{part}"))
                .await;
            assert_eq!(titles(&rows), expected, "{query}{part}");
        }
    }
    let rows = max.walk("/api/projects").await;
    let ids: Vec<_> = rows
        .iter()
        .map(|row| row["id"].as_i64().unwrap())
        .collect();
    assert_eq!(ids, [1, 4, 2, 8, 6]);
    assert_eq!(max.reads("/api/projects/1").await, rows[0]);
}

#[tokio::test]
async fn a_renamed_project_moves_in_the_list() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    patches!(max, "/api/projects/1", {"title": "Zebra"});
    assert_eq!(max.get("/api/projects").await.ids(), [2, 1]);
    assert_eq!(
        max.get("/api/projects?query=bill")
            .await
            .ids(),
        [0; 0]
    );
    assert_eq!(
        max.get("/api/projects?query=zeb")
            .await
            .ids(),
        [1]
    );
}
