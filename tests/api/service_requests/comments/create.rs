//! `POST /api/service-requests/{serviceRequestId}/comments`

use serde_json::json;
use shared::model::{Id, ServiceStatus};

use crate::service_requests::{comments, exists, resolutions, stored};
use tests::support::{Api, Fault, Requests, budgets::within};

#[tokio::test]
async fn the_creators_comment_reopens_a_pending_or_resolved_request() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    for status in [ServiceStatus::Pending, ServiceStatus::Resolved] {
        let request = exists(&api, &mia, status).await;
        assert_eq!(
            request.resolved_at.is_some(),
            status == ServiceStatus::Resolved
        );
        mia.comments_on_request(request.id.get(), "Still broken")
            .await;
        let after = stored(&api, request.id.get()).await;
        assert_eq!(after.status, ServiceStatus::Open);
        assert_eq!(after.resolved_at, None);
        assert_eq!(after.updated_at, api.clock.now());
        assert_eq!(after.created_at, request.created_at);
        assert_eq!(resolutions(&api).await, (0, 0));
    }
}

/// Between the look at the request and the comment, the request becomes one that the comment opens
/// again.
#[tokio::test]
async fn a_comment_reopens_what_was_set_aside_in_the_same_moment() {
    let (api, faults, [mia, ada]) = Api::behind_faults(["mia", "ada"]).await;
    let request = exists(&api, &mia, ServiceStatus::Open).await.id.get();
    faults.hold(Requests::Writing("#COMMENT"));
    let waits = async {
        faults.holds(1).await;
        let pending = json!({"status": "pending"});
        let path = format!("/api/service-requests/{request}");
        ada.patch(&path, pending).await.expect(200);
        faults.release();
    };
    tokio::join!(mia.comments_on_request(request, "Still broken"), waits);
    assert_eq!(stored(&api, request).await.status, ServiceStatus::Open);
    assert_eq!(mia.get(&comments(request)).await.ids().len(), 1);
}

#[tokio::test]
async fn reopening_costs_no_more_than_another_write() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let request = exists(&api, &mia, ServiceStatus::Resolved).await.id.get();
    let body = json!({"content": "Still broken"});
    let answer = mia.post(&comments(request), body).await;
    let operation = "POST /api/service-requests/{serviceRequestId}/comments";
    within(&api, operation, 200, &answer);
}

#[tokio::test]
async fn other_comments_leave_a_request_as_it_is() {
    let (api, [mia, sue]) = Api::signed_in(["mia", "sue"]).await;
    for (author, status) in [
        (&sue, ServiceStatus::Pending),
        (&sue, ServiceStatus::Resolved),
        (&mia, ServiceStatus::Open),
        (&mia, ServiceStatus::InProgress),
        (&mia, ServiceStatus::Closed),
    ] {
        let request = exists(&api, &mia, status).await;
        let counted = resolutions(&api).await;
        author
            .comments_on_request(request.id.get(), "Thank you")
            .await;
        let after = stored(&api, request.id.get()).await;
        assert_eq!(after.status, status);
        assert_eq!(after.resolved_at, request.resolved_at);
        assert_eq!(after.updated_at, request.updated_at);
        assert_eq!(resolutions(&api).await, counted);
    }
}

#[tokio::test]
async fn a_refused_comment_does_not_reopen() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let request = exists(&api, &mia, ServiceStatus::Resolved).await;
    let before = api.records().await;
    let reply = json!({"content": "x", "parentId": 999});
    mia.post(&comments(request.id.get()), reply)
        .await
        .expect_faults(&[("/parentId", "unknown")]);
    assert_eq!(before, api.records().await);
}

#[tokio::test]
async fn comments_at_the_same_time_reopen_once_and_are_all_kept() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let request = exists(&api, &mia, ServiceStatus::Resolved).await.id.get();
    tokio::join!(
        mia.comments_on_request(request, "Still broken"),
        mia.comments_on_request(request, "And another thing"),
        mia.comments_on_request(request, "Hello?"),
    );
    assert_eq!(stored(&api, request).await.status, ServiceStatus::Open);
    assert_eq!(resolutions(&api).await, (0, 0));
    assert_eq!(mia.get(&comments(request)).await.ids(), [1, 2, 3]);
}

#[tokio::test]
async fn a_comment_whose_answer_was_lost_is_written_once_and_reopens_once() {
    let (api, faults, [mia]) = Api::behind_faults(["mia"]).await;
    let request = exists(&api, &mia, ServiceStatus::Resolved).await.id.get();
    faults.next("TransactWriteItems", Fault::LostAnswer);
    mia.comments_on_request(request, "Still broken").await;
    assert!(faults.are_over());
    assert_eq!(resolutions(&api).await, (0, 0));
    assert_eq!(mia.get(&comments(request)).await.ids(), [1]);
}
