//! Filters of a search.

use serde_json::json;

use tests::support::Api;

use super::{each, one_of_each};

#[tokio::test]
async fn a_search_is_filtered_by_type() {
    let api = Api::start().await;
    let max = api.sign_in("max").await;
    one_of_each(&max).await;
    api.publishes(&mut api.stream().await).await;
    for one in each() {
        let kind = one[0].as_str().unwrap();
        assert_eq!(max.finds(&format!("zebra&type={kind}")).await, [one]);
    }
    let two = max.finds("zebra&type=task,project").await;
    assert_eq!(two.len(), 2, "{two:?}");
}

#[tokio::test]
async fn a_search_is_filtered_by_project() {
    let api = Api::start().await;
    let max = api.sign_in("max").await;
    one_of_each(&max).await;
    max.creates_task(json!({"title": "Zebra", "projectId": 2}))
        .await;
    api.publishes(&mut api.stream().await).await;
    for (filter, expected) in [
        (
            "projectId=1",
            vec![json!(["task", 1]), json!(["milestone", 1])],
        ),
        ("projectId=2", vec![json!(["task", 2])]),
        ("projectId=4", vec![json!(["project", 4])]),
        (
            "projectId=2,4",
            vec![json!(["task", 2]), json!(["project", 4])],
        ),
        ("projectId=1&type=milestone", vec![json!(["milestone", 1])]),
        ("projectId=3", vec![]),
    ] {
        assert_eq!(
            max.finds(&format!("zebra&{filter}")).await,
            expected,
            "{filter}"
        );
    }
}
