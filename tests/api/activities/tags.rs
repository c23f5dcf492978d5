//! `POST /api/activities/{activityId}/tags` and `DELETE /api/activities/{activityId}/tags/{tagId}`

use serde_json::{Value, json};

use super::NO_ID;
use crate::support::Api;

#[tokio::test]
async fn a_tag_is_attached_once_and_detached_once() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    mia.records_activity(json!({})).await;
    let tags = [
        api.has_tag(api.home.id, "urgent").await.id,
        api.has_tag(api.home.id, "legal").await.id,
    ];
    let bare = api.records().await.len();
    for times in 1..=2 {
        for tag in tags {
            let answer = mia
                .post("/api/activities/1/tags", json!({"tagId": tag}))
                .await;
            assert_eq!(answer.expect(204), Value::Null);
        }
        assert_eq!(
            api.records().await.len(),
            bare + 2,
            "attached {times} times"
        );
    }
    for times in 1..=2 {
        let path = format!("/api/activities/1/tags/{}", tags[0]);
        assert_eq!(mia.delete(&path).await.expect(204), Value::Null);
        assert_eq!(
            api.records().await.len(),
            bare + 1,
            "detached {times} times"
        );
    }
}

#[tokio::test]
async fn an_unknown_tag_is_not_found() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    mia.records_activity(json!({})).await;
    let abroad = api.has_tag(api.abroad.id, "theirs").await.id.to_string();
    let before = api.table_dump().await;
    for id in ["99", &abroad] {
        let body = json!({"tagId": id.parse::<i64>().unwrap()});
        mia.post("/api/activities/1/tags", body)
            .await
            .expect_problem(404, "not_found");
    }
    for id in NO_ID.into_iter().chain([abroad.as_str()]) {
        mia.delete(&format!("/api/activities/1/tags/{id}"))
            .await
            .expect_problem(404, "not_found");
    }
    for (body, fault) in [
        (json!({}), "required"),
        (json!({"tagId": null}), "null"),
        (json!({"tagId": "1"}), "type"),
        (json!({"tagId": 0}), "range"),
    ] {
        mia.post("/api/activities/1/tags", body)
            .await
            .expect_faults(&[("/tagId", fault)]);
    }
    assert_eq!(before, api.table_dump().await);
}
