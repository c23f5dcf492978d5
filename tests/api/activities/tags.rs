//! `POST /api/activities/{activityId}/tags` and `DELETE /api/activities/{activityId}/tags/{tagId}`

use serde_json::{Value, json};
use tests::support::{Api, Caller, posts, shows};

/// Asserts that activity 1 carries these tags, wherever it is read.
async fn carries(caller: &Caller, tags: &Value) {
    assert_eq!(caller.reads("/api/activities/1").await["tags"], *tags);
    for list in [
        "/api/activities",
        "/api/projects/1/activities",
        "/api/organizations/1/activities",
    ] {
        assert_eq!(caller.reads(list).await[0]["tags"], *tags);
    }
}

#[tokio::test]
async fn tags_that_come_and_go_at_the_same_time_all_do() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    mia.records_activity(json!({})).await;
    for name in ["urgent", "legal", "late"] {
        api.has_tag(api.home.id, name).await;
    }
    let path = "/api/activities/1/tags";
    posts!(mia, path, {"tagId": 1});
    let (two, three, gone, changed) = tokio::join!(
        mia.post(path, json!({"tagId": 2})),
        mia.post(path, json!({"tagId": 3})),
        mia.delete("/api/activities/1/tags/1"),
        mia.patch("/api/activities/1", json!({"type": "call"})),
    );
    for answer in [two, three, gone] {
        answer.expect(204);
    }
    changed.expect(200);
    let read = mia.reads("/api/activities/1").await;
    let tags = json!([{"id": 2, "name": "legal"}, {"id": 3, "name": "late"}]);
    shows!(read, {"tags": tags, "type": "call"});
}

#[tokio::test]
async fn a_tag_that_is_gone_shows_on_no_activity() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    mia.records_activity(json!({"projectId": 1}))
        .await;
    for name in ["urgent", "legal"] {
        posts!(mia, "/api/activities/1/tags", {"tagId": api.has_tag(api.home.id, name).await.id});
    }
    api.loses("ORG#1#TAG", "0000000000000001")
        .await;
    carries(&mia, &json!([{"id": 2, "name": "legal"}])).await;
    let changed = mia.patch("/api/activities/1", json!({"type": "call"}));
    let tags = json!([{"id": 2, "name": "legal"}]);
    assert_eq!(changed.await.expect(200)["tags"], tags);
    // Not even one that it carried can be attached to it, or detached.
    let attached = mia.post("/api/activities/1/tags", json!({"tagId": 1}));
    attached.await.expect_not_found();
    let detached = mia
        .delete("/api/activities/1/tags/1")
        .await;
    detached.expect_not_found();
}
