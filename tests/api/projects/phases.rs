//! `POST /api/projects/{projectId}/phases`

use serde_json::json;

use crate::support::Api;

#[tokio::test]
async fn a_new_phase_comes_last_unless_it_says_where() {
    let api = Api::start().await;
    let max = api.sign_in("max").await;
    let path = "/api/projects/1/phases";
    for (body, order) in [
        (json!({"title": "Prepare"}), 1_024),
        (json!({"title": "Move", "order": null}), 2_048),
        (json!({"title": "Plan", "order": 7}), 7),
        (json!({"title": "Look after"}), 3_072),
    ] {
        let phase = max.post(path, body.clone()).await.expect(200);
        assert_eq!(
            phase,
            json!({"id": phase["id"], "projectId": 1, "title": body["title"], "order": order})
        );
    }
    let elsewhere = max
        .post("/api/projects/2/phases", json!({"title": "Plan"}))
        .await;
    assert_eq!(elsewhere.expect(200)["order"], 1_024);
}

#[tokio::test]
async fn every_fault_of_a_new_phase_is_answered_and_nothing_written() {
    let api = Api::start().await;
    let max = api.sign_in("max").await;
    let before = api.records().await;
    for (body, faults) in [
        (json!({}), vec![("/title", "required")]),
        (
            json!({"title": "", "order": -1}),
            vec![("/title", "blank"), ("/order", "range")],
        ),
        (
            json!({"title": "x", "order": 1.5}),
            vec![("/order", "type")],
        ),
    ] {
        let answer = max.post("/api/projects/1/phases", body).await;
        answer.expect_faults(&faults);
    }
    assert_eq!(before, api.records().await);
}
