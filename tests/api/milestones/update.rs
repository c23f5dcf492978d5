//! `PUT /api/milestones/{id}`

use serde_json::{Value, json};

use tests::support::{Api, shows};

#[tokio::test]
async fn a_change_keeps_what_is_absent_and_clears_what_is_null() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    let sent = json!({"description": "D", "startDate": "2026-02-01T00:00:00Z", "dueDate": "2026-03-01T00:00:00Z"});
    max.creates_milestone(sent).await;
    api.clock.advance(1_000);
    let body = json!({"title": "Renamed", "description": null, "status": "completed"});
    let changed = max.put("/api/milestones/1", body).await.expect(200);
    assert_eq!(
        changed,
        json!({
            "version": 2, "id": 1, "title": "Renamed", "description": null, "projectId": 1,
            "startDate": "2026-02-01T00:00:00.000Z", "dueDate": "2026-03-01T00:00:00.000Z",
            "status": "completed",
            "createdAt": "2026-01-15T12:00:00.000Z", "updatedAt": "2026-01-15T12:00:01.000Z",
        })
    );
    let changed = max
        .put("/api/milestones/1", json!({"startDate": null}))
        .await
        .expect(200);
    assert_eq!(changed["startDate"], Value::Null);
}

#[tokio::test]
async fn a_change_cannot_put_the_start_after_the_due_date() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    let sent = json!({"startDate": "2026-02-01T00:00:00Z", "dueDate": "2026-03-01T00:00:00Z"});
    max.creates_milestone(sent).await;
    let before = api.table_dump().await;
    for (body, fault) in [
        (json!({"dueDate": "2026-01-31T00:00:00Z"}), "/dueDate"),
        (json!({"startDate": "2026-03-02T00:00:00Z"}), "/startDate"),
        (
            json!({"startDate": "2026-04-02T00:00:00Z", "dueDate": "2026-04-01T00:00:00Z"}),
            "/startDate",
        ),
    ] {
        max.put("/api/milestones/1", body)
            .await
            .expect_faults(&[(fault, "order")]);
    }
    assert_eq!(before, api.table_dump().await);
}

#[tokio::test]
async fn changes_at_the_same_time_lose_nothing() {
    let (_, [max]) = Api::signed_in(["max"]).await;
    max.creates_milestone(json!({})).await;
    let (one, other) = tokio::join!(
        max.put("/api/milestones/1", json!({"title": "Renamed"})),
        max.put("/api/milestones/1", json!({"status": "on_hold"})),
    );
    one.expect(200);
    other.expect(200);
    let read = max.get("/api/milestones/1").await.expect(200);
    shows!(read, {"title": "Renamed", "status": "on_hold"});
}
