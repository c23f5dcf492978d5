//! `POST /api/milestones`

use serde_json::json;

use crate::support::Api;

#[tokio::test]
async fn a_new_milestone_is_pending() {
    let api = Api::start().await;
    let max = api.sign_in("max").await;
    let body = max
        .post(
            "/api/milestones",
            json!({"title": "Cut-over", "projectId": 1}),
        )
        .await
        .expect(200);
    assert_eq!(
        body,
        json!({
            "version": 1, "id": 1, "title": "Cut-over", "description": null, "projectId": 1,
            "startDate": null, "dueDate": null, "status": "pending",
            "createdAt": "2026-01-15T12:00:00.000Z", "updatedAt": "2026-01-15T12:00:00.000Z",
        })
    );
}

#[tokio::test]
async fn every_fault_of_a_new_milestone_is_answered_and_nothing_written() {
    let api = Api::start().await;
    let max = api.sign_in("max").await;
    let before = api.records().await;
    for (body, faults) in [
        (
            json!({}),
            vec![("/title", "required"), ("/projectId", "required")],
        ),
        (
            json!({"title": null, "projectId": "1", "description": 5, "startDate": "soon", "dueDate": 7, "status": "done"}),
            vec![
                ("/title", "null"),
                ("/projectId", "type"),
                ("/description", "type"),
                ("/startDate", "date_time"),
                ("/dueDate", "type"),
                ("/status", "value"),
            ],
        ),
        (
            json!({"title": " ", "projectId": 0}),
            vec![("/title", "blank"), ("/projectId", "range")],
        ),
        (
            json!({"title": "x".repeat(256), "projectId": 1.5}),
            vec![("/title", "length"), ("/projectId", "type")],
        ),
        (
            json!({"title": "ü", "projectId": 9_007_199_254_740_993_i64, "description": "x".repeat(50_001)}),
            vec![("/projectId", "range"), ("/description", "length")],
        ),
        (
            json!({"title": "x", "projectId": 1, "status": "someday"}),
            vec![("/status", "value")],
        ),
        (
            json!({"title": "x", "projectId": 1, "startDate": "2026-02-02T00:00:00Z", "dueDate": "2026-02-01T00:00:00Z"}),
            vec![("/startDate", "order")],
        ),
        (
            json!({"title": "x", "projectId": 99}),
            vec![("/projectId", "unknown")],
        ),
        (
            json!({"title": "x", "projectId": 3}),
            vec![("/projectId", "unknown")],
        ),
    ] {
        max.post("/api/milestones", body)
            .await
            .expect_faults(&faults);
    }
    assert_eq!(before, api.records().await);
}
