//! Filters of a search.

use serde_json::{Value, json};
use tests::support::{Api, creates, text_of};

use super::{each, one_of_each};

#[tokio::test]
async fn a_search_is_filtered_by_type_and_project() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    one_of_each(&max).await;
    api.publishes().await;
    let mut rows = max.finds("zebra").await;
    rows.sort_by_key(Value::to_string);
    assert_eq!(rows, each());
    assert_eq!(max.finds("gone").await, [json!(["ticket_message", 1])]);
    for row in each() {
        let kind = row[0].as_str().unwrap();
        assert_eq!(
            max.finds(&format!("zebra&type={kind}"))
                .await,
            [row]
        );
    }
    max.creates_task(json!({"title": "Zebra", "projectId": 2}))
        .await;
    api.publishes().await;
    let cases = [
        (
            "type=task,project",
            vec![
                json!(["task", 2]),
                json!(["task", 1]),
                json!(["project", 4]),
            ],
        ),
        (
            "projectId=1",
            vec![
                json!(["task", 1]),
                json!(["milestone", 1]),
                json!(["comment", 1]),
            ],
        ),
        ("projectId=2", vec![json!(["task", 2])]),
        ("projectId=4", vec![json!(["project", 4])]),
        (
            "projectId=2,4",
            vec![json!(["task", 2]), json!(["project", 4])],
        ),
        (
            "projectId=2&projectId=4",
            vec![json!(["task", 2]), json!(["project", 4])],
        ),
        ("projectId=1&type=milestone", vec![json!(["milestone", 1])]),
        ("projectId=3", vec![]),
    ];
    for (filter, expected) in cases {
        let rows = max
            .finds(&format!("zebra&{filter}"))
            .await;
        assert_eq!(rows, expected, "{filter}");
    }
}

/// An earlier version wrote comments without their project, into the index too. `index-records`
/// adds it.
#[tokio::test]
async fn older_comments_get_the_project_of_what_they_are_on() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    let task = creates!(max, "/api/tasks", {"title": "x", "projectId": 2});
    let comment = creates!(max, "/api/tasks/{task}/comments", {"content": "A zebra."});
    api.publishes().await;
    for kind in ["comment", "indexed_record"] {
        for mut item in api.items_of(kind).await {
            if kind == "comment" || text_of(&item, "type") == "comment" {
                item.remove("projectId");
                api.puts([item]).await;
            }
        }
    }
    let expected = [json!(["comment", comment])];
    assert_eq!(max.finds("zebra&projectId=2").await, [json!(null); 0]);
    for _ in 0..2 {
        api.indexes(api.home.id).await;
        assert_eq!(max.finds("zebra&projectId=2").await, expected);
    }
    assert_eq!(
        max.walk("/api/search?query=zebra")
            .await[0]["projectId"],
        2
    );
}
