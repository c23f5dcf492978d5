//! `PATCH /api/activities/{id}`

use serde_json::json;
use tests::support::{Api, Fault, patches, refused};

#[tokio::test]
async fn a_new_timestamp_moves_it_in_every_list() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    for day in [10, 11, 12] {
        let timestamp = format!("2026-01-{day}T00:00:00Z");
        let activity = json!({"projectId": 1, "timestamp": timestamp});
        mia.records_activity(activity).await;
    }
    patches!(mia, "/api/activities/1", {"timestamp": "2026-01-13T01:00:00+01:00"});
    for list in [
        "/api/activities",
        "/api/projects/1/activities",
        "/api/organizations/1/activities",
    ] {
        assert_eq!(mia.get(list).await.ids(), [1, 3, 2], "{list}");
    }
}

#[tokio::test]
async fn recorders_change_their_own_activity_and_managers_any() {
    let (api, [mia, sue, max]) = Api::signed_in(["mia", "sue", "max"]).await;
    mia.records_activity(json!({})).await;
    let before = api.records().await;
    let body = json!({"description": "Corrected"});
    let denied = sue
        .patch("/api/activities/1", body.clone())
        .await;
    denied.expect_denied();
    // What is wrong with the body is said before whose it is.
    refused!(sue.patch("/api/activities/1", json!({})).await => [("", "required")]);
    assert_eq!(before, api.records().await);
    for caller in [&mia, &max] {
        let changed = caller
            .patch("/api/activities/1", body.clone())
            .await;
        assert_eq!(changed.expect(200)["creatorId"], mia.id());
    }
}

#[tokio::test]
async fn a_change_that_was_outrun_starts_over_and_one_of_what_is_gone_finds_nothing() {
    let (_, faults, [mia]) = Api::behind_faults(["mia"]).await;
    mia.records_activity(json!({})).await;
    let body = json!({"description": "Corrected"});
    faults.next("PutItem", Fault::Outrun);
    let changed = mia
        .patch("/api/activities/1", body)
        .await;
    assert_eq!(changed.expect(200)["description"], "Corrected");
    faults.outrun("PutItem");
    let again = json!({"description": "Again"});
    refused!(mia.patch("/api/activities/1", again.clone()).await => 409, "concurrent_change");
    assert!(faults.are_over());
    mia.deletes("/api/activities/1").await;
    let gone = mia
        .patch("/api/activities/1", again)
        .await;
    gone.expect_not_found();
}
