//! `GET /api/service-requests/{serviceRequestId}/comments`

use serde_json::json;

use crate::service_requests::comments;
use tests::support::Api;

#[tokio::test]
async fn comments_are_a_flat_list_oldest_first() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let request = mia.raises_request().await;
    assert_eq!(mia.get(&comments(request)).await.ids(), [0; 0]);
    mia.comments_on_request(request, "First").await;
    mia.comments_on_request(request, "At the same time").await;
    api.clock.advance(-1_000);
    let reply = json!({"content": "By a clock that is behind", "parentId": 1});
    mia.post(&comments(request), reply).await.expect(200);
    api.clock.advance(2_000);
    let reply = json!({"content": "To a reply", "parentId": 3});
    mia.post(&comments(request), reply).await.expect(200);
    assert_eq!(mia.get(&comments(request)).await.ids(), [3, 1, 2, 4]);
}

#[tokio::test]
async fn comments_come_page_by_page_in_either_order() {
    let (_, [mia]) = Api::signed_in(["mia"]).await;
    let request = mia.raises_request().await;
    for number in 1..=5 {
        mia.comments_on_request(request, &format!("Comment {number}"))
            .await;
    }
    for (query, expected) in [
        ("?limit=2", [1, 2, 3, 4, 5]),
        ("?limit=2&sort=createdAt", [1, 2, 3, 4, 5]),
        ("?limit=2&sort=-createdAt", [5, 4, 3, 2, 1]),
    ] {
        let rows = mia.walk(&format!("{}{query}", comments(request))).await;
        let ids: Vec<_> = rows.iter().map(|row| row["id"].as_i64().unwrap()).collect();
        assert_eq!(ids, expected, "{query}");
    }
}

#[tokio::test]
async fn a_cursor_goes_on_where_it_was_whatever_comes_and_goes() {
    let (api, [mia]) = Api::signed_in(["mia"]).await;
    let request = mia.raises_request().await;
    for number in 1..=4 {
        mia.comments_on_request(request, &format!("Comment {number}"))
            .await;
        api.clock.advance(1);
    }
    let first = mia.get(&format!("{}?limit=2", comments(request))).await;
    assert_eq!(first.ids(), [1, 2]);
    mia.delete(&format!("{}/2", comments(request)))
        .await
        .expect(204);
    mia.comments_on_request(request, "Comment 5").await;
    let rest = mia.walk(first.next().unwrap()).await;
    let ids: Vec<_> = rest.iter().map(|row| row["id"].as_i64().unwrap()).collect();
    assert_eq!(ids, [3, 4, 5]);
    // Of another thread it is no cursor.
    let other = mia.raises_request().await;
    let (_, cursor) = first.next().unwrap().split_once("cursor=").unwrap();
    mia.get(&format!("{}?cursor={cursor}", comments(other)))
        .await
        .expect_faults(&[("?cursor", "unknown")]);
}
