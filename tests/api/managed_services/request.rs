//! `POST /api/managed-services/request`

use serde_json::json;
use tests::support::{Api, shows, snapshot};

use crate::service_requests::stored;

use super::REQUEST;

#[tokio::test]
async fn a_new_request_is_open_and_of_medium_priority() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let body = mia
        .post(REQUEST, json!({"title": "Help"}))
        .await;
    snapshot!(body.expect(200), @r#"
    {
      "agentAction": null,
      "assigneeId": null,
      "category": null,
      "createdAt": "2026-01-15T12:00:00.000Z",
      "creatorId": 1,
      "customerId": null,
      "description": null,
      "id": 1,
      "metadata": null,
      "priority": "medium",
      "referenceId": null,
      "referenceType": null,
      "status": "open",
      "tags": [],
      "title": "Help",
      "updatedAt": "2026-01-15T12:00:00.000Z",
      "version": 1
    }
    "#);
    assert_eq!(stored(&api, 1).await.resolved_at, None);
}

#[tokio::test]
async fn a_request_keeps_every_field_and_decides_the_rest_itself() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    let sent = json!({
        "title": "x".repeat(255), "description": "ü".repeat(50_000), "priority": "urgent",
        "category": "billing", "referenceType": "project", "referenceId": 2,
        "status": "closed", "creatorId": 99, "assigneeId": 1, "id": 77, "metadata": {"a": 1},
    });
    let body = mia.posts(REQUEST, sent.clone()).await;
    for field in "title description priority category referenceType referenceId".split(' ') {
        assert_eq!(body[field], sent[field]);
    }
    shows!(body, {
        "id": 1, "status": "open", "creatorId": mia.id(), "assigneeId": null, "metadata": null,
    });
    assert_eq!(
        mia.reads("/api/service-requests/1")
            .await,
        body
    );
    for (kind, id) in [
        (json!("organization"), json!(1)),
        (json!(null), json!(null)),
    ] {
        let about = json!({"title": "x", "referenceType": kind, "referenceId": id});
        shows!(mia.posts(REQUEST, about).await, {"referenceType": kind, "referenceId": id});
    }
}

#[tokio::test]
async fn a_request_refers_to_a_record_of_the_organization_or_to_none() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let before = api.records().await;
    let cases = [
        (
            json!("project"),
            json!(null),
            &[("/referenceId", "required")][..],
        ),
        (json!(null), json!(1), &[("/referenceType", "required")]),
        (
            json!("nothing"),
            json!(null),
            &[("/referenceType", "value"), ("/referenceId", "required")],
        ),
        (json!("project"), json!(99), &[("/referenceId", "unknown")]),
        (json!("project"), json!(3), &[("/referenceId", "unknown")]),
        (
            json!("organization"),
            json!(2),
            &[("/referenceId", "unknown")],
        ),
    ];
    for (kind, id, faults) in cases {
        let body = json!({"title": "x", "referenceType": kind, "referenceId": id});
        mia.post(REQUEST, body)
            .await
            .expect_faults(faults);
    }
    assert_eq!(before, api.records().await);
}
