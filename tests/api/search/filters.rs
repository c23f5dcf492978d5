//! Filters of a search.

use serde_json::{Value, json};
use tests::support::Api;

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
