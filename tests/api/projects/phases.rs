//! `GET` and `POST /api/projects/{projectId}/phases`

use serde_json::json;

use tests::support::Api;

#[tokio::test]
async fn a_new_phase_comes_last_unless_it_says_where() {
    let (_, [max]) = Api::signed_in(["max"]).await;
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
            json!({"version": 1, "id": phase["id"], "projectId": 1, "title": body["title"], "order": order})
        );
    }
    let elsewhere = max
        .post("/api/projects/2/phases", json!({"title": "Plan"}))
        .await;
    assert_eq!(elsewhere.expect(200)["order"], 1_024);
}

#[tokio::test]
async fn phases_come_by_order_then_id() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    let path = "/api/projects/1/phases";
    for order in [7, 3, 7, 0] {
        max.creates(path, json!({"title": "x", "order": order}))
            .await;
    }
    max.creates("/api/projects/2/phases", json!({"title": "x"}))
        .await;
    let vic = api.sign_in("vic").await;
    assert_eq!(vic.get(path).await.ids(), [4, 2, 1, 3]);
    let rows = vic.walk(&format!("{path}?limit=1&sort=order")).await;
    let ids: Vec<_> = rows.iter().map(|row| row["id"].as_i64().unwrap()).collect();
    assert_eq!(ids, [4, 2, 1, 3]);
    max.patch("/api/phases/4", json!({"order": 9}))
        .await
        .expect(200);
    max.delete("/api/phases/1").await.expect(204);
    assert_eq!(vic.get(path).await.ids(), [2, 3, 4]);
    let zoe = api.sign_in("zoe").await;
    for id in ["1", "99", "abc"] {
        let answer = zoe.get(&format!("/api/projects/{id}/phases")).await;
        answer.expect_problem(404, "not_found");
    }
}
