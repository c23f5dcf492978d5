//! `/api/milestones` and `/api/projects/{projectId}/milestones`

use serde_json::{Value, json};

use crate::support::{Api, Caller};

async fn creates_milestone(caller: &Caller, more: Value) -> Value {
    let mut body = json!({"title": "Cut-over", "projectId": 1});
    for (name, value) in more.as_object().unwrap() {
        body[name] = value.clone();
    }
    caller.post("/api/milestones", body).await.expect(200)
}

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
            "id": 1, "title": "Cut-over", "description": null, "projectId": 1,
            "startDate": null, "dueDate": null, "status": "pending",
            "createdAt": "2026-01-15T12:00:00.000Z", "updatedAt": "2026-01-15T12:00:00.000Z",
        })
    );
}

#[tokio::test]
async fn a_milestone_keeps_every_field() {
    let api = Api::start().await;
    let max = api.sign_in("max").await;
    let sent = json!({
        "title": "Cut-over", "projectId": 2, "description": "All at once",
        "startDate": "2026-02-01T00:00:00+01:00", "dueDate": "2026-02-28T12:00:00.5Z",
        "status": "in_progress", "unknown": "is ignored",
    });
    let id = max.post("/api/milestones", sent).await.expect(200)["id"].clone();
    let read = max.get(&format!("/api/milestones/{id}")).await.expect(200);
    assert_eq!(
        read,
        json!({
            "id": id, "title": "Cut-over", "description": "All at once", "projectId": 2,
            "startDate": "2026-01-31T23:00:00.000Z", "dueDate": "2026-02-28T12:00:00.500Z",
            "status": "in_progress", "tasks": [],
            "createdAt": "2026-01-15T12:00:00.000Z", "updatedAt": "2026-01-15T12:00:00.000Z",
        })
    );
}

#[tokio::test]
async fn every_fault_of_a_new_milestone_is_answered_and_nothing_written() {
    let api = Api::start().await;
    let max = api.sign_in("max").await;
    let before = api.table_dump().await;
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
            json!({"title": "x", "projectId": 1, "status": null}),
            vec![("/status", "null")],
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
    let after = api.table_dump().await;
    let records = |dump: &[String]| {
        dump.iter()
            .filter(|item| !item.contains("COUNTER"))
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(records(&before), records(&after));
}

#[tokio::test]
async fn only_managers_write_milestones_and_everybody_reads_them() {
    let api = Api::start().await;
    let max = api.sign_in("max").await;
    creates_milestone(&max, json!({})).await;
    for name in ["vic", "mia", "sue"] {
        let caller = api.sign_in(name).await;
        let body = json!({"title": "x", "projectId": 1});
        caller
            .post("/api/milestones", body.clone())
            .await
            .expect_problem(403, "permission_denied");
        caller.put("/api/milestones/1", body).await.expect(403);
        caller.delete("/api/milestones/1").await.expect(403);
        caller.get("/api/milestones/1").await.expect(200);
        assert_eq!(caller.get("/api/projects/1/milestones").await.ids(), [1]);
    }
}

#[tokio::test]
async fn what_is_foreign_is_absent() {
    let api = Api::start().await;
    let max = api.sign_in("max").await;
    let zoe = api.sign_in("zoe").await;
    creates_milestone(&max, json!({})).await;
    let before = api.table_dump().await;
    for id in [
        "1",
        "2",
        "0",
        "-1",
        "abc",
        "9007199254740993",
        "%FF",
        "1e0",
        "01",
    ] {
        let path = format!("/api/milestones/{id}");
        zoe.get(&path).await.expect_problem(404, "not_found");
        zoe.put(&path, json!({"title": "Mine"}))
            .await
            .expect_problem(404, "not_found");
        zoe.delete(&path).await.expect_problem(404, "not_found");
        let path = format!("/api/projects/{id}/milestones");
        zoe.get(&path).await.expect_problem(404, "not_found");
    }
    assert_eq!(before, api.table_dump().await);
}

#[tokio::test]
async fn a_change_keeps_what_is_absent_and_clears_what_is_null() {
    let api = Api::start().await;
    let max = api.sign_in("max").await;
    let sent = json!({"description": "D", "startDate": "2026-02-01T00:00:00Z", "dueDate": "2026-03-01T00:00:00Z"});
    creates_milestone(&max, sent).await;
    api.clock.advance(1_000);
    let body = json!({"title": "Renamed", "description": null, "status": "completed"});
    let changed = max.put("/api/milestones/1", body).await.expect(200);
    assert_eq!(
        changed,
        json!({
            "id": 1, "title": "Renamed", "description": null, "projectId": 1,
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
    let api = Api::start().await;
    let max = api.sign_in("max").await;
    let sent = json!({"startDate": "2026-02-01T00:00:00Z", "dueDate": "2026-03-01T00:00:00Z"});
    creates_milestone(&max, sent).await;
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
    for body in [
        json!({"title": null}),
        json!({"title": ""}),
        json!({"status": null}),
    ] {
        max.put("/api/milestones/1", body)
            .await
            .expect_problem(400, "validation_error");
    }
    assert_eq!(before, api.table_dump().await);
}

#[tokio::test]
async fn a_projects_milestones_come_by_due_date_with_nulls_last() {
    let api = Api::start().await;
    let max = api.sign_in("max").await;
    for due in [
        json!(null),
        json!("2026-03-01T00:00:00Z"),
        json!("2026-02-01T00:00:00Z"),
        json!("2026-03-01T00:00:00Z"),
    ] {
        creates_milestone(&max, json!({"dueDate": due})).await;
    }
    creates_milestone(&max, json!({"projectId": 2})).await;
    assert_eq!(
        max.get("/api/projects/1/milestones").await.ids(),
        [3, 2, 4, 1]
    );
    assert_eq!(max.get("/api/projects/2/milestones").await.ids(), [5]);
}

#[tokio::test]
async fn a_second_delete_finds_nothing() {
    let api = Api::start().await;
    let max = api.sign_in("max").await;
    creates_milestone(&max, json!({})).await;
    max.delete("/api/milestones/1").await.expect(204);
    max.delete("/api/milestones/1")
        .await
        .expect_problem(404, "not_found");
    max.get("/api/milestones/1")
        .await
        .expect_problem(404, "not_found");
    assert_eq!(max.get("/api/projects/1/milestones").await.ids(), [0; 0]);
}

#[tokio::test]
async fn changes_at_the_same_time_lose_nothing() {
    let api = Api::start().await;
    let max = api.sign_in("max").await;
    creates_milestone(&max, json!({})).await;
    let (one, other) = tokio::join!(
        max.put("/api/milestones/1", json!({"title": "Renamed"})),
        max.put("/api/milestones/1", json!({"status": "on_hold"})),
    );
    one.expect(200);
    other.expect(200);
    let read = max.get("/api/milestones/1").await.expect(200);
    assert_eq!(
        (&read["title"], &read["status"]),
        (&json!("Renamed"), &json!("on_hold"))
    );
}
