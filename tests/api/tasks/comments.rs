//! `/api/tasks/{taskId}/comments`

use serde_json::json;

use crate::support::{Api, raise_version};

const LIST: &str = "/api/tasks/1/comments";

#[tokio::test]
async fn a_comment_on_a_task_comes_back_with_its_author() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let vic = api.sign_in("vic").await;
    mia.creates_task(json!({})).await;
    let comment = mia.post(LIST, json!({"content": "Half done"})).await;
    let comment = comment.expect(200);
    assert_eq!(
        comment,
        json!({
            "version": 1, "id": 1, "content": "Half done", "taskId": 1, "userId": mia.id(), "parentId": null,
            "createdAt": "2026-01-15T12:00:00.000Z", "updatedAt": "2026-01-15T12:00:00.000Z",
            "deletedAt": null,
            "user": {"id": mia.id(), "username": "mia", "fullName": "Mia Tester"},
        })
    );
    api.clock.advance(1);
    let reply = json!({"content": "Which half?", "parentId": 1});
    let reply = mia.post(LIST, reply).await.expect(200);
    assert_eq!(vic.get(LIST).await.expect(200), json!([comment, reply]));
    let before = api.records().await;
    vic.post(LIST, json!({}))
        .await
        .expect_problem(403, "permission_denied");
    for parent in [3, 99] {
        mia.post(LIST, json!({"content": "x", "parentId": parent}))
            .await
            .expect_faults(&[("/parentId", "unknown")]);
    }
    assert_eq!(before, api.records().await);
}

#[tokio::test]
async fn a_comment_is_edited_and_deleted_in_its_place() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let sue = api.sign_in("sue").await;
    mia.creates_task(json!({})).await;
    let mut expected = mia.post(LIST, json!({"content": "Done"})).await.expect(200);
    let path = "/api/tasks/1/comments/1";
    let body = json!({"content": "Not done"});
    for answer in [sue.patch(path, body.clone()).await, sue.delete(path).await] {
        answer.expect_problem(403, "permission_denied");
    }
    api.clock.advance(1_000);
    expected["content"] = json!("Not done");
    expected["updatedAt"] = json!("2026-01-15T12:00:01.000Z");
    raise_version(&mut expected);
    assert_eq!(mia.patch(path, body).await.expect(200), expected);
    let max = api.sign_in("max").await;
    max.delete(path).await.expect(204);
    let list = mia.get(LIST).await.expect(200);
    assert_eq!(
        (&list[0]["content"], list[0]["deletedAt"].is_string()),
        (&json!(""), true)
    );
    max.delete(path).await.expect_problem(404, "not_found");
}

#[tokio::test]
async fn what_is_foreign_or_absent_is_not_found() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let zoe = api.sign_in("zoe").await;
    mia.creates_task(json!({})).await;
    let body = json!({"content": "Secret"});
    mia.post(LIST, body.clone()).await.expect(200);
    let before = api.records().await;
    for id in ["1", "99", "0", "abc", "01"] {
        let list = format!("/api/tasks/{id}/comments");
        let comment = format!("{list}/1");
        for answer in [
            zoe.get(&list).await,
            zoe.post(&list, body.clone()).await,
            zoe.patch(&comment, body.clone()).await,
            zoe.delete(&comment).await,
        ] {
            answer.expect_problem(404, "not_found");
        }
    }
    assert_eq!(before, api.records().await);
}

#[tokio::test]
async fn a_deleted_task_is_gone_at_once_with_its_comments() {
    let api = Api::start().await;
    let max = api.sign_in("max").await;
    max.creates_tasks(["Goes", "Stays"]).await;
    for list in [LIST, "/api/tasks/2/comments"] {
        max.post(list, json!({"content": "x"})).await.expect(200);
    }
    max.delete("/api/tasks/1").await.expect(204);
    max.get(LIST).await.expect_problem(404, "not_found");
    max.post(LIST, json!({"content": "x"}))
        .await
        .expect_problem(404, "not_found");
    assert_eq!(api.cleans_up().await, 1);
    let left = api.table_dump().await;
    assert!(!left.iter().any(|item| item.contains("#TASK#1#COMMENT")));
    assert_eq!(max.get("/api/tasks/2/comments").await.ids(), [2]);
}
