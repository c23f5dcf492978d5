//! `PATCH /api/service-requests/{id}`

use serde_json::json;
use shared::model::{Id, ServiceStatus};

use super::{comments, exists, resolutions, stored};
use crate::managed_services::at;
use tests::support::{Api, Fault};

const PATH: &str = "/api/service-requests/1";

/// Milliseconds of the two days that a request of these tests takes.
const TWO_DAYS: i64 = 2 * 24 * 3_600_000;

#[tokio::test]
async fn a_resolution_feeds_the_dashboard_until_it_is_taken_back() {
    let (api, [mia, sue]) = Api::signed_in(["mia", "sue"]).await;
    // Raised on the 10th, and now it is the 15th.
    exists(&api, &mia, ServiceStatus::Open).await;
    api.clock
        .advance(at("2026-01-12T12:00:00Z").since(api.clock.now()));
    let sue_says = async |status: &str| {
        let changed = sue.patch(PATH, json!({"status": status})).await;
        assert_eq!(changed.expect(200)["status"], status);
        resolutions(&api).await
    };
    assert_eq!(sue_says("pending").await, (0, 0));
    assert_eq!(sue_says("resolved").await, (1, TWO_DAYS));
    assert_eq!(sue_says("resolved").await, (1, TWO_DAYS));
    let dashboard = "/api/managed-services/dashboard";
    let metrics = sue.get(dashboard).await.expect(200)["metrics"].clone();
    assert_eq!(metrics["avgResolutionTime"], 48.0);
    assert_eq!(sue_says("open").await, (0, 0));
    assert_eq!(stored(&api, 1).await.resolved_at, None);
    assert_eq!(sue_says("resolved").await, (1, TWO_DAYS));
    api.clock.advance(24 * 3_600_000);
    // It was resolved when it was resolved, not when it is closed.
    assert_eq!(sue_says("closed").await, (1, TWO_DAYS));
    // Who raised it has nothing to open any more.
    mia.comments_on_request(1, "But").await;
    assert_eq!(resolutions(&api).await, (1, TWO_DAYS));
    assert_eq!(sue_says("closed").await, (1, TWO_DAYS));
}

#[tokio::test]
async fn changes_and_comments_at_the_same_time_count_a_resolution_once() {
    let (api, [mia, sue]) = Api::signed_in(["mia", "sue"]).await;
    for _ in 0..3 {
        let id = exists(&api, &mia, ServiceStatus::Resolved).await.id.get();
        let before = resolutions(&api).await;
        let path = format!("/api/service-requests/{id}");
        let open = || sue.patch(&path, json!({"status": "open"}));
        let (thread, said) = (comments(id), json!({"content": "Still broken"}));
        let (one, two, said) = tokio::join!(open(), open(), mia.post(&thread, said));
        for answer in [one, two, said] {
            answer.expect(200);
        }
        let request = stored(&api, id).await;
        assert_eq!(
            (request.status, request.resolved_at),
            (ServiceStatus::Open.into(), None)
        );
        let after = resolutions(&api).await;
        assert_eq!((after.0, after.1), (before.0 - 1, before.1 - TWO_DAYS));
    }
}

#[tokio::test]
async fn a_change_whose_answer_was_lost_counts_once() {
    let (api, faults, [mia, sue]) = Api::behind_faults(["mia", "sue"]).await;
    exists(&api, &mia, ServiceStatus::Resolved).await;
    faults.next("TransactWriteItems", Fault::LostAnswer);
    let opened = sue.patch(PATH, json!({"status": "open"})).await;
    assert_eq!(opened.expect(200)["status"], "open");
    assert!(faults.are_over());
    assert_eq!(resolutions(&api).await, (0, 0));
}
