//! `PATCH /api/service-requests/{id}`

use serde_json::json;
use shared::model::{Id, ServiceStatus};

use super::{comments, exists, resolutions, stored};
use crate::{
    api::managed_services::at,
    support::{Api, Fault, raise_version},
};

const PATH: &str = "/api/service-requests/1";

/// Milliseconds of the two days that a request of these tests takes.
const TWO_DAYS: i64 = 2 * 24 * 3_600_000;

#[tokio::test]
async fn every_field_is_kept_cleared_or_replaced() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let sue = api.sign_in("sue").await;
    let mut expected = {
        let sent = json!({"title": "Help", "description": "Soon", "category": "billing"});
        let path = "/api/managed-services/request";
        mia.post(path, sent).await.expect(200)
    };
    for change in [
        json!({"title": "Help us"}),
        json!({"description": "Now"}),
        json!({"description": null}),
        json!({"priority": "urgent"}),
        json!({"category": "invoices"}),
        json!({"category": null}),
        json!({"assigneeId": sue.id()}),
        json!({"assigneeId": null}),
        json!({"status": "in_progress", "title": "Help them"}),
    ] {
        api.clock.advance(1);
        for (field, value) in change.as_object().unwrap() {
            expected[field] = value.clone();
        }
        expected["updatedAt"] = json!(api.clock.now().to_string());
        raise_version(&mut expected);
        assert_eq!(sue.patch(PATH, change).await.expect(200), expected);
        assert_eq!(mia.get(PATH).await.expect(200), expected);
    }
}

#[tokio::test]
async fn every_fault_is_answered_and_nothing_written() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let sue = api.sign_in("sue").await;
    mia.raises_request().await;
    let abroad = api.sign_in("zoe").await.id();
    let before = api.records().await;
    mia.patch(PATH, json!({}))
        .await
        .expect_problem(403, "permission_denied");
    for (body, faults) in [
        (json!({}), vec![("", "required")]),
        (json!({"creatorId": 2}), vec![("", "required")]),
        (
            json!({"title": null, "priority": null, "status": null}),
            vec![
                ("/title", "null"),
                ("/priority", "null"),
                ("/status", "null"),
            ],
        ),
        (
            json!({"title": " ", "status": "done", "assigneeId": 0}),
            vec![
                ("/title", "blank"),
                ("/status", "value"),
                ("/assigneeId", "range"),
            ],
        ),
        (
            json!({"assigneeId": abroad}),
            vec![("/assigneeId", "unknown")],
        ),
        (json!({"assigneeId": 99}), vec![("/assigneeId", "unknown")]),
    ] {
        sue.patch(PATH, body).await.expect_faults(&faults);
    }
    // The record comes before whom it is assigned to.
    sue.patch("/api/service-requests/9", json!({"assigneeId": 99}))
        .await
        .expect_problem(404, "not_found");
    assert_eq!(before, api.records().await);
}

#[tokio::test]
async fn a_status_goes_where_it_may_and_nowhere_else() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let sue = api.sign_in("sue").await;
    let all = [
        ServiceStatus::Open,
        ServiceStatus::InProgress,
        ServiceStatus::Pending,
        ServiceStatus::Resolved,
        ServiceStatus::Closed,
    ];
    for from in all {
        for to in all {
            let id = exists(&api, &mia, from).await.id;
            let path = format!("/api/service-requests/{id}");
            let before = api.records().await;
            let answer = sue
                .patch(&path, json!({"status": to, "title": "Moved"}))
                .await;
            if from.may_become(to) {
                let changed = answer.expect(200);
                assert_eq!(changed["status"], json!(to), "{from:?} to {to:?}");
                assert_eq!(changed["title"], "Moved");
            } else {
                answer.expect_problem(409, "invalid_transition");
                assert_eq!(before, api.records().await, "{from:?} to {to:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_resolution_feeds_the_dashboard_until_it_is_taken_back() {
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let sue = api.sign_in("sue").await;
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
    let api = Api::start().await;
    let mia = api.sign_in("mia").await;
    let sue = api.sign_in("sue").await;
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
            (ServiceStatus::Open, None)
        );
        let after = resolutions(&api).await;
        assert_eq!((after.0, after.1), (before.0 - 1, before.1 - TWO_DAYS));
    }
}

#[tokio::test]
async fn a_change_whose_answer_was_lost_counts_once() {
    let (api, faults) = Api::behind_faults().await;
    let mia = api.sign_in("mia").await;
    let sue = api.sign_in("sue").await;
    exists(&api, &mia, ServiceStatus::Resolved).await;
    faults.next("TransactWriteItems", Fault::LostAnswer);
    let opened = sue.patch(PATH, json!({"status": "open"})).await;
    assert_eq!(opened.expect(200)["status"], "open");
    assert!(faults.are_over());
    assert_eq!(resolutions(&api).await, (0, 0));
}

#[tokio::test]
async fn a_request_that_keeps_changing_is_a_conflict() {
    let (api, faults) = Api::behind_faults().await;
    let mia = api.sign_in("mia").await;
    let sue = api.sign_in("sue").await;
    mia.raises_request().await;
    for _ in 0..5 {
        faults.next("TransactWriteItems", Fault::Outrun);
    }
    sue.patch(PATH, json!({"title": "Mine"}))
        .await
        .expect_problem(409, "concurrent_change");
    assert!(faults.are_over());
}
