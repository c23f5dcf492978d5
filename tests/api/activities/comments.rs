//! `/api/activities/{activityId}/comments`

use serde_json::json;

use crate::support::{Api, raise_version};

#[tokio::test]
async fn a_comment_on_an_activity_comes_back_with_its_author() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let sue = api.sign_in("sue").await;
    let path = "/api/activities/1/comments";
    mia.records_activity(json!({})).await;
    assert_eq!(mia.get(path).await.ids(), [0; 0]);
    let comment = sue.post(path, json!({"content": "Well done"})).await;
    let comment = comment.expect(200);
    assert_eq!(
        comment,
        json!({
            "version": 1, "id": 1, "content": "Well done", "activityId": 1, "userId": sue.id(),
            "parentId": null, "createdAt": "2026-01-15T12:00:00.000Z",
            "updatedAt": "2026-01-15T12:00:00.000Z", "deletedAt": null,
            "user": {"id": sue.id(), "username": "sue", "fullName": "Sue Tester"},
        })
    );
    api.clock.advance(1);
    let reply = json!({"content": "Thanks", "parentId": 1});
    let reply = mia.post(path, reply).await.expect(200);
    assert_eq!(reply["parentId"], 1);
    let list = mia.get(path).await.expect(200);
    assert_eq!(list, json!([comment, reply]));
}

#[tokio::test]
async fn a_reply_stays_within_its_thread() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    mia.records_activity(json!({})).await;
    mia.records_activity(json!({})).await;
    let request = json!({"title": "Help"});
    let request = mia.post("/api/managed-services/request", request).await;
    // Threads of both kinds under the same number.
    assert_eq!(request.expect(200)["id"], 1);
    let content = json!({"content": "x"});
    for path in [
        "/api/activities/2/comments",
        "/api/service-requests/1/comments",
    ] {
        mia.post(path, content.clone()).await.expect(200);
    }
    let before = api.records().await;
    // 3 is the id that the first of these comments is about to get.
    for parent in [1, 2, 3, 999] {
        let reply = json!({"content": "x", "parentId": parent});
        mia.post("/api/activities/1/comments", reply)
            .await
            .expect_faults(&[("/parentId", "unknown")]);
    }
    for (body, faults) in [
        (
            json!({"parentId": -1}),
            vec![("/content", "required"), ("/parentId", "range")],
        ),
        (json!({"content": ""}), vec![("/content", "blank")]),
        (
            json!({"content": "x".repeat(50_001)}),
            vec![("/content", "length")],
        ),
    ] {
        mia.post("/api/activities/1/comments", body)
            .await
            .expect_faults(&faults);
    }
    assert_eq!(before, api.records().await);
}

#[tokio::test]
async fn a_comment_is_edited_and_deleted_in_its_place() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    mia.records_activity(json!({})).await;
    let list = "/api/activities/1/comments";
    let mut expected = mia.post(list, json!({"content": "Wlel"})).await.expect(200);
    let path = "/api/activities/1/comments/1";
    api.clock.advance(1_000);
    expected["content"] = json!("Well");
    expected["updatedAt"] = json!("2026-01-15T12:00:01.000Z");
    raise_version(&mut expected);
    let edited = mia.patch(path, json!({"content": "Well"})).await;
    assert_eq!(edited.expect(200), expected);
    api.clock.advance(1_000);
    mia.delete(path).await.expect(204);
    expected["content"] = json!("");
    for field in ["updatedAt", "deletedAt"] {
        expected[field] = json!("2026-01-15T12:00:02.000Z");
    }
    raise_version(&mut expected);
    assert_eq!(mia.get(list).await.expect(200), json!([expected]));
    mia.delete(path).await.expect_problem(404, "not_found");
}
