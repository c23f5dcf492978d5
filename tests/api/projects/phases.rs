//! `GET` and `POST /api/projects/{projectId}/phases`

use serde_json::json;
use tests::support::{Api, creates, ids, patches};

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
        let phase = max.posts(path, body.clone()).await;
        let expected = json!({"version": 1, "id": phase["id"], "projectId": 1, "title": body["title"], "order": order});
        assert_eq!(phase, expected);
    }
    let body = json!({"title": "Plan"});
    let elsewhere = max
        .post("/api/projects/2/phases", body)
        .await;
    assert_eq!(elsewhere.expect(200)["order"], 1_024);
}

#[tokio::test]
async fn phases_come_by_order_then_id() {
    let (api, [max]) = Api::signed_in(["max"]).await;
    let path = "/api/projects/1/phases";
    for order in [7, 3, 7, 0] {
        creates!(max, path, {"title": "x", "order": order});
    }
    creates!(max, "/api/projects/2/phases", {"title": "x"});
    let vic = api.sign_in("vic").await;
    assert_eq!(vic.get(path).await.ids(), [4, 2, 1, 3]);
    let ids = ids(&vic
        .walk(&format!("{path}?limit=1&sort=order"))
        .await);
    assert_eq!(ids, [4, 2, 1, 3]);
    patches!(max, "/api/phases/4", {"order": 9});
    max.deletes("/api/phases/1").await;
    assert_eq!(vic.get(path).await.ids(), [2, 3, 4]);
}
