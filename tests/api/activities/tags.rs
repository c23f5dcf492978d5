//! `POST /api/activities/{activityId}/tags` and `DELETE /api/activities/{activityId}/tags/{tagId}`

use serde_json::{Value, json};

use tests::support::{Api, Caller, shows};

#[tokio::test]
async fn a_tag_is_attached_once_and_detached_once() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    mia.records_activity(json!({"projectId": 1})).await;
    let tags = [
        api.has_tag(api.home.id, "urgent").await.id,
        api.has_tag(api.home.id, "legal").await.id,
    ];
    let mut both = Vec::new();
    for times in 1..=2 {
        for tag in tags.into_iter().rev() {
            let answer = mia
                .post("/api/activities/1/tags", json!({"tagId": tag}))
                .await;
            assert_eq!(answer.expect(204), Value::Null);
        }
        let named = json!([{"id": 1, "name": "urgent"}, {"id": 2, "name": "legal"}]);
        carries(&mia, &named).await;
        if times == 1 {
            both = api.records().await;
        }
    }
    assert_eq!(api.records().await, both, "attached twice");
    let mut one = Vec::new();
    for times in 1..=2 {
        let path = format!("/api/activities/1/tags/{}", tags[0]);
        assert_eq!(mia.delete(&path).await.expect(204), Value::Null);
        carries(&mia, &json!([{"id": 2, "name": "legal"}])).await;
        if times == 1 {
            one = api.records().await;
        }
    }
    assert_eq!(api.records().await, one, "detached twice");
    mia.delete(&format!("/api/activities/1/tags/{}", tags[1]))
        .await
        .expect(204);
    carries(&mia, &json!([])).await;
}

/// Asserts that activity 1 carries these tags, wherever it is read.
async fn carries(caller: &Caller, tags: &Value) {
    let read = caller.get("/api/activities/1").await.expect(200);
    assert_eq!(read["tags"], *tags);
    for list in [
        "/api/activities",
        "/api/projects/1/activities",
        "/api/organizations/1/activities",
    ] {
        let list = caller.get(list).await.expect(200);
        assert_eq!(list[0]["tags"], *tags);
    }
}

#[tokio::test]
async fn a_tag_that_comes_or_goes_changes_the_activity() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    mia.records_activity(json!({})).await;
    api.has_tag(api.home.id, "urgent").await;
    for (method, path, body) in [
        ("POST", "/api/activities/1/tags", Some(r#"{"tagId": 1}"#)),
        ("DELETE", "/api/activities/1/tags/1", None),
    ] {
        api.clock.advance(1_000);
        let body = body.map(str::to_owned);
        mia.send(method, path, body).await.expect(204);
        let read = mia.get("/api/activities/1").await.expect(200);
        assert_eq!(read["updatedAt"], api.clock.now().to_string(), "{method}");
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
    mia.post(path, json!({"tagId": 1})).await.expect(204);
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
    let read = mia.get("/api/activities/1").await.expect(200);
    let tags = json!([{"id": 2, "name": "legal"}, {"id": 3, "name": "late"}]);
    shows!(read, {"tags": tags, "type": "call"});
}

#[tokio::test]
async fn a_tag_that_is_gone_shows_on_no_activity() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    mia.records_activity(json!({"projectId": 1})).await;
    for name in ["urgent", "legal"] {
        let tag = api.has_tag(api.home.id, name).await.id;
        mia.post("/api/activities/1/tags", json!({"tagId": tag}))
            .await
            .expect(204);
    }
    api.loses("ORG#1#TAG", "0000000000000001").await;
    carries(&mia, &json!([{"id": 2, "name": "legal"}])).await;
    let changed = mia.patch("/api/activities/1", json!({"type": "call"}));
    let tags = json!([{"id": 2, "name": "legal"}]);
    assert_eq!(changed.await.expect(200)["tags"], tags);
    // Not even one that it carried can be attached to it, or detached.
    mia.post("/api/activities/1/tags", json!({"tagId": 1}))
        .await
        .expect_problem(404, "not_found");
    mia.delete("/api/activities/1/tags/1")
        .await
        .expect_problem(404, "not_found");
}
