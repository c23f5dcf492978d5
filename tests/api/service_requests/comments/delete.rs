//! `DELETE /api/service-requests/{serviceRequestId}/comments/{commentId}`

use serde_json::{Value, json};

use crate::{
    api::service_requests::comments,
    support::{Api, raise_version},
};

#[tokio::test]
async fn a_deleted_comment_keeps_its_place_and_says_nothing() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let request = mia.raises_request().await;
    let list = comments(request);
    mia.comments_on_request(request, "A secret slipped out")
        .await;
    let reply = json!({"content": "Delete that", "parentId": 1});
    mia.post(&list, reply).await.expect(200);
    let before = mia.get(&list).await.expect(200);
    api.clock.advance(60_000);
    let path = format!("{list}/1");
    assert_eq!(mia.delete(&path).await.expect(204), Value::Null);
    let mut expected = before.clone();
    expected[0]["content"] = json!("");
    for field in ["updatedAt", "deletedAt"] {
        expected[0][field] = json!("2026-01-15T12:01:00.000Z");
    }
    raise_version(&mut expected[0]);
    assert_eq!(mia.get(&list).await.expect(200), expected);
    let kept = api.table_dump().await;
    assert!(!kept.iter().any(|item| item.contains("slipped")));
    // It is there for nobody but its replies.
    for answer in [
        mia.delete(&path).await,
        mia.patch(&path, json!({"content": "x"})).await,
    ] {
        answer.expect_problem(404, "not_found");
    }
    let late = json!({"content": "Which secret?", "parentId": 1});
    mia.post(&list, late)
        .await
        .expect_faults(&[("/parentId", "unknown")]);
    let reply = json!({"content": "Done", "parentId": 2});
    mia.post(&list, reply).await.expect(200);
    // The refused one used up an id.
    assert_eq!(mia.get(&list).await.ids(), [1, 2, 4]);
}

#[tokio::test]
async fn authors_delete_their_own_and_managers_any() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let sue = api.sign_in("sue").await;
    let max = api.sign_in("max").await;
    let request = mia.raises_request().await;
    for one_who_may in [&mia, &max] {
        let comment = mia.comments_on_request(request, "Mine").await;
        let path = format!("{}/{comment}", comments(request));
        let before = api.records().await;
        sue.delete(&path)
            .await
            .expect_problem(403, "permission_denied");
        assert_eq!(before, api.records().await);
        one_who_may.delete(&path).await.expect(204);
    }
}

#[tokio::test]
async fn of_two_deletes_at_the_same_time_one_does_it() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let request = mia.raises_request().await;
    mia.comments_on_request(request, "Mine").await;
    let path = format!("{}/1", comments(request));
    let (one, other) = tokio::join!(mia.delete(&path), mia.delete(&path));
    let mut statuses = [one.status, other.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [204, 404]);
}
