//! `PATCH /api/tags/{id}`

use serde_json::json;
use tests::support::{Api, creates, refused};

#[tokio::test]
async fn a_renamed_tag_leaves_its_name_to_others() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    for name in ["urgent", "late"] {
        creates!(max, "/api/tags", {"name": name});
    }
    let rename = |id: i64, name: &'static str| {
        let max = max.clone();
        let path = format!("/api/tags/{id}");
        async move {
            max.patch(&path, json!({"name": name}))
                .await
        }
    };
    rename(1, "LATE")
        .await
        .expect_problem(409, "name_taken");
    // In another case it is the same name, and its own.
    let tag = rename(1, "URGENT").await.expect(200);
    assert_eq!(tag, json!({"version": 2, "id": 1, "name": "URGENT"}));
    rename(1, "now").await.expect(200);
    rename(2, "Urgent").await.expect(200);
    rename(1, "late").await.expect(200);
    for name in ["urgent", "LATE"] {
        refused!(max.post("/api/tags", json!({"name": name})).await => 409, "name_taken");
    }
    creates!(max, "/api/tags", {"name": "now"});
}

/// Both take the other's name, or one of them is refused: no name is held twice, and none
/// forgotten.
#[tokio::test]
async fn a_tag_that_is_renamed_twice_at_once_holds_one_name() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    creates!(max, "/api/tags", {"name": "a"});
    let renames = ["b", "c", "d", "e"].map(|name| max.patch("/api/tags/1", json!({"name": name})));
    for answer in futures::future::join_all(renames).await {
        assert!([200, 409].contains(&answer.status), "{}", answer.text);
    }
    let held = api.records().await;
    let held = held
        .iter()
        .filter(|row| row.contains("TAG_NAME"));
    assert_eq!(held.count(), 1);
    max.deletes("/api/tags/1").await;
    for name in ["a", "b", "c", "d", "e"] {
        creates!(max, "/api/tags", {"name": name});
    }
}
