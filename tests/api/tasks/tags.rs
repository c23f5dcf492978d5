//! `POST /api/tasks/{taskId}/tags` and `DELETE /api/tasks/{taskId}/tags/{tagId}`

use serde_json::{Value, json};

use super::task;
use crate::support::Api;

const TAGS: &str = "/api/tasks/1/tags";

#[tokio::test]
async fn a_tag_is_attached_once_and_detached_once() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    mia.creates_task(json!({})).await;
    for name in ["urgent", "legal"] {
        api.has_tag(api.home.id, name).await;
    }
    for _ in 0..2 {
        for tag in [2, 1] {
            let answer = mia.post(TAGS, json!({"tagId": tag})).await;
            assert_eq!(answer.expect(204), Value::Null);
        }
        let both = json!([{"id": 1, "name": "urgent"}, {"id": 2, "name": "legal"}]);
        assert_eq!(task(&mia, 1).await["tags"], both);
    }
    // What else is written to the task leaves them alone.
    for (path, body) in [
        ("/api/tasks/1", json!({"title": "Renamed"})),
        ("/api/tasks/1/phase", json!({"phaseId": null})),
        (
            "/api/tasks/reorder",
            json!({"tasks": [{"id": 1, "order": 7}]}),
        ),
    ] {
        let answer = mia.patch(path, body).await;
        assert!(answer.status < 300, "{}", answer.text);
    }
    for _ in 0..2 {
        let path = format!("{TAGS}/1");
        assert_eq!(mia.delete(&path).await.expect(204), Value::Null);
        let one = json!([{"id": 2, "name": "legal"}]);
        assert_eq!(task(&mia, 1).await["tags"], one);
    }
}

#[tokio::test]
async fn what_is_foreign_or_absent_is_not_found() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let zoe = api.sign_in("zoe").await;
    let vic = api.sign_in("vic").await;
    mia.creates_task(json!({})).await;
    let ours = api.has_tag(api.home.id, "ours").await.id;
    let theirs = api.has_tag(api.abroad.id, "theirs").await.id;
    mia.post(TAGS, json!({"tagId": ours})).await.expect(204);
    let before = api.records().await;
    vic.post(TAGS, json!({}))
        .await
        .expect_problem(403, "permission_denied");
    vic.delete(&format!("{TAGS}/{ours}"))
        .await
        .expect_problem(403, "permission_denied");
    for id in ["1", "99", "0", "abc"] {
        let tags = format!("/api/tasks/{id}/tags");
        zoe.post(&tags, json!({"tagId": theirs}))
            .await
            .expect_problem(404, "not_found");
        zoe.delete(&format!("{tags}/{theirs}"))
            .await
            .expect_problem(404, "not_found");
    }
    for tag in [theirs.to_string(), "99".to_owned()] {
        let body = json!({"tagId": tag.parse::<i64>().unwrap()});
        mia.post(TAGS, body).await.expect_problem(404, "not_found");
        mia.delete(&format!("{TAGS}/{tag}"))
            .await
            .expect_problem(404, "not_found");
    }
    mia.post(TAGS, json!({"tagId": "1"}))
        .await
        .expect_faults(&[("/tagId", "type")]);
    assert_eq!(before, api.records().await);
}

#[tokio::test]
async fn a_task_carries_fifty_tags_and_no_more() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    mia.creates_task(json!({})).await;
    for number in 1..=51 {
        api.has_tag(api.home.id, &format!("Tag {number}")).await;
        let answer = mia.post(TAGS, json!({"tagId": number})).await;
        if number <= 50 {
            answer.expect(204);
        } else {
            let problem = answer.expect_problem(409, "too_many_tags");
            let detail = problem["detail"].as_str().unwrap();
            assert!(detail.starts_with("The task carries 50"), "{detail}");
        }
    }
    mia.post(TAGS, json!({"tagId": 7})).await.expect(204);
}
