//! `POST /api/service-requests/{serviceRequestId}/comments`

use serde_json::json;
use shared::model::{base::Id, work::ServiceStatus};
use tests::support::{Api, Fault, Requests, patches, refused};

use crate::service_requests::{comments, exists, resolutions, stored};

/// Between the look at the request and the comment, the request becomes one that the comment opens
/// again.
#[tokio::test]
async fn a_comment_reopens_what_was_set_aside_in_the_same_moment() {
    let (api, faults, [mia, ada]) = Api::behind_faults(["mia", "ada"]).await;
    let request = exists(&api, &mia, ServiceStatus::Open)
        .await
        .id
        .get();
    faults.hold(Requests::Writing("#COMMENT"));
    let waits = async {
        faults.holds(1).await;
        patches!(ada, "/api/service-requests/{request}", {"status": "pending"});
        faults.release();
    };
    tokio::join!(mia.comments_on_request(request, "Still broken"), waits);
    assert_eq!(stored(&api, request).await.status, ServiceStatus::Open);
    assert_eq!(
        mia.get(&comments(request))
            .await
            .ids()
            .len(),
        1
    );
}

#[tokio::test]
async fn the_creators_comment_alone_reopens_a_pending_or_resolved_request() {
    use ServiceStatus::{Closed, InProgress, Open, Pending, Resolved};
    let (api, [mia, sue]) = Api::signed_in(["mia", "sue"]).await;
    for (author, status, reopens) in [
        (&mia, Pending, true),
        (&mia, Resolved, true),
        (&sue, Pending, false),
        (&sue, Resolved, false),
        (&mia, Open, false),
        (&mia, InProgress, false),
        (&mia, Closed, false),
    ] {
        let before = resolutions(&api).await;
        let request = exists(&api, &mia, status).await;
        let id = request.id.get();
        let counted = resolutions(&api).await;
        author
            .comments_on_request(id, "Still broken")
            .await;
        let after = stored(&api, id).await;
        if reopens {
            assert_eq!(after.status, Open);
            assert_eq!(after.resolved_at, None);
            assert_eq!(after.updated_at, api.clock.now());
            assert_eq!(after.created_at, request.created_at);
            assert_eq!(resolutions(&api).await, before);
        } else {
            assert_eq!(after.status, request.status);
            assert_eq!(after.resolved_at, request.resolved_at);
            assert_eq!(after.updated_at, request.updated_at);
            assert_eq!(resolutions(&api).await, counted);
        }
    }
}

#[tokio::test]
async fn a_refused_comment_does_not_reopen() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let request = exists(&api, &mia, ServiceStatus::Resolved).await;
    let before = api.records().await;
    let reply = json!({"content": "x", "parentId": 999});
    refused!(mia.post(&comments(request.id.get()), reply).await => [("/parentId", "unknown")]);
    assert_eq!(before, api.records().await);
}

#[tokio::test]
async fn a_comment_whose_answer_was_lost_is_written_once_and_reopens_once() {
    let (api, faults, [mia]) = Api::behind_faults(["mia"]).await;
    let request = exists(&api, &mia, ServiceStatus::Resolved)
        .await
        .id
        .get();
    faults.next("TransactWriteItems", Fault::LostAnswer);
    mia.comments_on_request(request, "Still broken")
        .await;
    assert!(faults.are_over());
    assert_eq!(resolutions(&api).await, (0, 0));
    assert_eq!(mia.get(&comments(request)).await.ids(), [1]);
}
