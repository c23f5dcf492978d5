//! `DELETE /api/service-requests/{id}`

use serde_json::{Value, json};
use shared::model::work::ServiceStatus;
use tests::support::Api;

use super::{comments, exists, resolutions};

#[tokio::test]
async fn creators_delete_their_own_and_managers_any() {
    let (api, [mia, max, sue]) = Api::signed_in(["mia", "max", "sue"]).await;
    for (creator, others, one_who_may) in [(&mia, [&sue], &mia), (&sue, [&mia], &max)] {
        let request = creator.raises_request().await;
        let path = format!("/api/service-requests/{request}");
        let before = api.table_dump().await;
        for other in others {
            other
                .delete(&path)
                .await
                .expect_denied();
        }
        assert_eq!(before, api.table_dump().await);
        assert_eq!(one_who_may.deletes(&path).await, Value::Null);
    }
}

#[tokio::test]
async fn a_deleted_request_is_gone_at_once_with_its_comments() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let request = mia.raises_request().await;
    let other = mia.raises_request().await;
    mia.comments_on_request(request, "Goes")
        .await;
    // A round of the cleanup deletes a thousand.
    api.copy_comments(1..=1_100).await;
    let kept = mia
        .comments_on_request(other, "Stays")
        .await;
    let path = format!("/api/service-requests/{request}");
    mia.deletes(&path).await;
    mia.delete(&path)
        .await
        .expect_not_found();
    mia.get(&comments(request))
        .await
        .expect_not_found();
    let refused = mia
        .post(&comments(request), json!({"content": "x"}))
        .await;
    refused.expect_not_found();
    assert_eq!(api.cleans_up().await, 1);
    let left = api.table_dump().await;
    assert!(
        !left
            .iter()
            .any(|item| item.contains("Goes"))
    );
    assert!(
        !left
            .iter()
            .any(|item| item.contains("cleanup"))
    );
    assert_eq!(mia.get(&comments(other)).await.ids(), [kept]);
}

#[tokio::test]
async fn deleting_a_resolved_request_leaves_its_resolution_counted() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let request = exists(&api, &mia, ServiceStatus::Resolved).await;
    assert_eq!(resolutions(&api).await, (1, 2 * 24 * 3_600_000));
    let path = format!("/api/service-requests/{}", request.id);
    mia.deletes(&path).await;
    assert_eq!(resolutions(&api).await, (1, 2 * 24 * 3_600_000));
}
