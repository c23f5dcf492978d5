//! `GET /api/auth/session`

use serde_json::json;
use shared::model::base::span;
use tests::support::{Api, Caller, Fault, Faults, Requests};

#[tokio::test]
async fn a_session_ends_after_a_day_without_a_request() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    api.clock.advance(span::DAY - 1);
    mia.is_signed_in().await;
    api.clock.advance(span::DAY);
    mia.is_signed_out().await;
}

#[tokio::test]
async fn a_session_ends_after_seven_days_whatever_happens() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    for _ in 0..13 {
        api.clock.advance(12 * span::HOUR);
        mia.is_signed_in().await;
    }
    let session = mia.reads("/api/auth/session").await;
    assert_eq!(session["expiresAt"], "2026-01-22T12:00:00.000Z");
    api.clock.advance(12 * span::HOUR);
    api.counter.take();
    mia.is_signed_out().await;
    assert!(api.counter.take().total > 0);
    // Its cookie tells its age, and costs no read.
    api.clock.advance(span::SECOND);
    mia.is_signed_out().await;
    assert_eq!(api.counter.take().total, 0);
}

#[tokio::test]
async fn the_idle_time_is_extended_at_most_once_per_tenth() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let used = |_| api.counter.take().total;
    assert_eq!(used(mia.get("/api/auth/session").await), 1);
    api.clock.advance(span::DAY / 10 - 1);
    assert_eq!(used(mia.get("/api/auth/session").await), 1);
    api.clock.advance(1);
    assert_eq!(used(mia.get("/api/auth/session").await), 2);
    assert_eq!(used(mia.get("/api/auth/session").await), 1);
}

/// A caller whose next request extends the session.
async fn about_to_extend() -> (Api, Faults, Caller) {
    let (api, faults, [max]) = Api::behind_faults(["max"]).await;
    api.clock.advance(span::DAY / 10);
    (api, faults, max)
}

#[tokio::test]
async fn a_session_is_extended_beside_the_operation() {
    let (api, faults, max) = about_to_extend().await;
    // The create reserves an id by an update, as well.
    max.creates_milestone(json!({})).await;
    api.clock.advance(span::DAY / 10);
    let change = max.put("/api/milestones/1", json!({"title": "Renamed"}));
    faults.hold(Requests::Of("UpdateItem"));
    let meanwhile = async {
        faults.holds(1).await;
        let rows = api.table_dump().await;
        faults.release();
        rows
    };
    let (changed, meanwhile) = tokio::join!(change, meanwhile);
    changed.expect(200);
    assert!(
        meanwhile
            .iter()
            .any(|row| row.contains("Renamed"))
    );
}

#[tokio::test]
async fn a_session_that_cannot_be_extended_serves_all_the_same() {
    let (api, faults, max) = about_to_extend().await;
    for fault in [Fault::Denied, Fault::Throttled] {
        faults.begin(Requests::Of("UpdateItem"), fault);
        max.is_signed_in().await;
        max.reads("/api/projects/1/milestones")
            .await;
    }
    faults.end();
    // The next request extends it, and the one after that has no need to.
    for requests in [2, 1] {
        api.counter.take();
        max.is_signed_in().await;
        assert_eq!(api.counter.take().total, requests);
    }
    api.clock.advance(span::DAY - 1);
    max.is_signed_in().await;
}
