//! Comments on service requests, activities and tasks: `/api/{subject}/{id}/comments`

use serde_json::{Value, json};
use tests::support::{Api, Caller, creates, posts, raise_version, refused, shows};

/// The folder of a subject, and the member by which a comment names it.
const SUBJECTS: [(&str, &str); 3] = [
    ("service-requests", "serviceRequestId"),
    ("activities", "activityId"),
    ("tasks", "taskId"),
];

/// Records 1 and 2 of each subject, by mia.
async fn with_subjects() -> (Api, Caller) {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    for _ in 0..2 {
        mia.raises_request().await;
        mia.records_activity(json!({})).await;
        mia.creates_task(json!({})).await;
    }
    (api, mia)
}

#[tokio::test]
async fn a_comment_comes_back_with_its_author_and_its_replies() {
    let (api, mia) = with_subjects().await;
    let max = api.sign_in("max").await;
    for (subject, named) in SUBJECTS {
        let path = format!("/api/{subject}/1/comments");
        assert_eq!(mia.get(&path).await.ids(), [0; 0]);
        let comment = posts!(mia, &path, {"content": " Which one?\n"});
        let now = api.clock.now();
        let expected = json!({
            "version": 1, "id": comment["id"], "content": " Which one?\n", named: 1,
            "userId": mia.id(), "parentId": null, "createdAt": now, "updatedAt": now,
            "deletedAt": null,
            "user": {"id": mia.id(), "username": "mia", "fullName": "Mia Tester"},
        });
        assert_eq!(comment, expected);
        api.clock.advance(1);
        let reply = posts!(max, &path, {"content": "The blue one", "parentId": comment["id"]});
        shows!(reply, {"parentId": comment["id"], "/user/username": "max"});
        assert_eq!(mia.reads(&path).await, json!([comment, reply]));
    }
}

#[tokio::test]
async fn a_reply_stays_within_its_thread() {
    let (api, mia) = with_subjects().await;
    let content = json!({"content": "x"});
    // A thread of each subject under the same number, and another one of the same subject.
    for (subject, _) in SUBJECTS {
        let path = format!("/api/{subject}/2/comments");
        mia.creates(&path, content.clone())
            .await;
    }
    let before = api.records().await;
    for (subject, _) in SUBJECTS {
        for folder in [format!("{subject}/1"), format!("{subject}/2")] {
            let path = format!("/api/{folder}/comments");
            let own = mia.get(&path).await.ids();
            // The next id to be given out is the reply's own.
            for parent in [1, 2, 3, 4, 5, 999] {
                if !own.contains(&parent) {
                    let reply = json!({"content": "x", "parentId": parent});
                    refused!(mia.post(&path, reply).await => [("/parentId", "unknown")]);
                }
            }
        }
    }
    assert_eq!(before, api.records().await);
}

#[tokio::test]
async fn authors_and_managers_alone_edit_and_delete_a_comment() {
    let (api, mia) = with_subjects().await;
    let sue = api.sign_in("sue").await;
    let max = api.sign_in("max").await;
    let body = json!({"content": "Better put"});
    for (subject, _) in SUBJECTS {
        let path = format!("/api/{subject}/1/comments");
        for one_who_may in [&mia, &max] {
            let comment = creates!(mia, &path, {"content": "Mine"});
            let path = format!("{path}/{comment}");
            let before = api.records().await;
            sue.patch(&path, body.clone())
                .await
                .expect_denied();
            sue.delete(&path).await.expect_denied();
            assert_eq!(before, api.records().await);
            let edited = one_who_may
                .patches(&path, body.clone())
                .await;
            assert_eq!(edited["userId"], mia.id(), "it is still its author's");
            assert_eq!(edited["user"]["id"], mia.id());
            one_who_may.deletes(&path).await;
        }
    }
}

#[tokio::test]
async fn a_deleted_comment_keeps_its_place_and_says_nothing() {
    let (api, mia) = with_subjects().await;
    for (subject, _) in SUBJECTS {
        let list = format!("/api/{subject}/1/comments");
        let first = creates!(mia, &list, {"content": "A secret slipped out"});
        let body = json!({"content": "Delete that", "parentId": first});
        let reply = mia.creates(&list, body).await;
        let mut expected = mia.reads(&list).await;
        api.clock.advance(60_000);
        let path = format!("{list}/{first}");
        assert_eq!(mia.deletes(&path).await, Value::Null);
        expected[0]["content"] = json!("");
        for field in ["updatedAt", "deletedAt"] {
            expected[0][field] = json!(api.clock.now());
        }
        raise_version(&mut expected[0]);
        assert_eq!(mia.reads(&list).await, expected);
        let kept = api.table_dump().await;
        assert!(
            !kept
                .iter()
                .any(|item| item.contains("slipped"))
        );
        // Its replies alone still have it.
        mia.delete(&path)
            .await
            .expect_not_found();
        let body = json!({"content": "x"});
        mia.patch(&path, body)
            .await
            .expect_not_found();
        let late = json!({"content": "Which secret?", "parentId": first});
        refused!(mia.post(&list, late).await => [("/parentId", "unknown")]);
        posts!(mia, &list, {"content": "Done", "parentId": reply});
    }
}

#[tokio::test]
async fn comments_go_with_what_they_are_on() {
    let (api, mia) = with_subjects().await;
    let max = api.sign_in("max").await;
    let body = json!({"content": "Gone soon"});
    for (subject, _) in SUBJECTS {
        for id in [1, 2, 2] {
            let comments = format!("/api/{subject}/{id}/comments");
            mia.creates(&comments, body.clone())
                .await;
        }
        let path = format!("/api/{subject}/1");
        let comments = format!("{path}/comments");
        let first = mia.get(&comments).await.ids()[0];
        max.deletes(&path).await;
        max.delete(&path)
            .await
            .expect_not_found();
        mia.get(&comments)
            .await
            .expect_not_found();
        mia.post(&comments, body.clone())
            .await
            .expect_not_found();
        mia.patch(&format!("{comments}/{first}"), body.clone())
            .await
            .expect_not_found();
        let path = format!("{comments}/{first}");
        mia.delete(&path)
            .await
            .expect_not_found();
    }
    assert_eq!(api.cleans_up().await, 3);
    let left = api.table_dump().await;
    let comments = left
        .iter()
        .filter(|item| item.contains("Gone soon"));
    assert_eq!(comments.count(), 6);
    for (subject, _) in SUBJECTS {
        let comments = format!("/api/{subject}/2/comments");
        assert_eq!(mia.get(&comments).await.ids().len(), 2);
    }
    assert_eq!(api.cleans_up().await, 0);
}
